"""Generated data, and the catalogues of methods and metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import CredenceError

_TOY = _core.ToyOptions()
_ANNOTATORS = _core.AnnotatorOptions()


def demo_data(
    rows: int | None = None, *, annotators: int | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Logits, votes and classes to try things on: animals on blurred pictures.

    >>> import credence
    >>> demo = credence.demo_data(rows=100)
    >>> demo["logits"].shape, demo["classes"]
    ((100, 5), ['cat', 'lynx', 'fox', 'dog', 'wolf'])
    """
    found: dict[str, Any] = _core.demo_data(rows, annotators, seed)
    return found


def simulate_toy(
    *,
    points: int = _TOY.points,
    epochs: int = _TOY.epochs,
    annotators: int = _TOY.annotators,
    seed: int = _TOY.seed,
) -> dict[str, Any]:
    """The smallest example on which calibrating to the majority label goes wrong.

    "training", "calibration" and "evaluation" each have points, votes and which of them are
    ambiguous; the last two have the logits of a small network too.

    >>> import credence
    >>> toy = credence.simulate_toy(points=20, epochs=5)
    >>> toy["evaluation"]["logits"].shape
    (60, 3)
    """
    options = _core.ToyOptions()
    options.points = points
    options.epochs = epochs
    options.annotators = annotators
    options.seed = seed
    found: dict[str, Any] = _core.simulate_toy(options)
    for part in ("training", "calibration", "evaluation"):
        found[part]["ambiguous"] = found[part]["ambiguous"].astype(bool)
    return found


def simulate_annotators(
    labels: Any,
    confusion: str | npt.ArrayLike | Sequence[npt.ArrayLike] = "isic",
    *,
    annotators: int | None = None,
    normalise: bool = False,
    seed: int = _ANNOTATORS.seed,
) -> npt.NDArray[np.int64]:
    """Answers of simulated annotators, one row per example and one column per annotator.

    ``labels`` are consensus class indices. Entry (i, j) of a ``confusion`` matrix is the
    probability of the answer j for an example whose consensus is i; "isic" is that of
    dermatologists on ISIC 2019. A list of matrices has one for each annotator.
    ``normalise=True`` takes counts.

    >>> import credence
    >>> credence.simulate_annotators([0, 1, 1], [[0.9, 0.1], [0.2, 0.8]], annotators=4).shape
    (3, 4)
    """
    options = _core.AnnotatorOptions()
    matrices: list[Any]
    if isinstance(confusion, str):
        matrices = [confusion]
    else:
        array = np.asarray(confusion, dtype=np.float64)
        matrices = [array] if array.ndim == 2 else list(array)
    if annotators is not None:
        options.annotators = annotators
    elif len(matrices) > 1:
        options.annotators = len(matrices)
    options.seed = seed
    answers = _core.simulate_annotators(np.asarray(labels), matrices, normalise, options)
    return np.asarray(answers, dtype=np.int64)


def simulate(kind: str, *arguments: Any, **options: Any) -> Any:
    """:func:`simulate_toy` or :func:`simulate_annotators`, as ``credence simulate KIND`` is.

    >>> import credence
    >>> credence.simulate("toy", points=20, epochs=5)["calibration"]["votes"].shape
    (60, 3)
    """
    kinds: dict[str, Callable[..., Any]] = {
        "toy": simulate_toy,
        "annotators": simulate_annotators,
    }
    if kind not in kinds:
        raise CredenceError("usage", f"cannot simulate {kind!r}", 'wanted "toy" or "annotators"')
    return kinds[kind](*arguments, **options)


def methods() -> list[dict[str, Any]]:
    """The catalogue of methods: id, target, map, needs, summary.

    >>> import credence
    >>> [m["id"] for m in credence.methods()][:3]
    ['uncalibrated', 'ts', 'ats']
    """
    return list(_core.methods())


def metrics() -> list[dict[str, Any]]:
    """The catalogue of metrics: name, better, needs, definition, meaning, ...

    >>> import credence
    >>> credence.metrics()[0]["better"]
    'higher'
    """
    return list(_core.metrics())
