"""Several models of the same examples, as one calibrated distribution."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._calibrator import _FIT, Calibrator, Progress, fit_options
from ._data import About, PathLike, inputs, takes_data
from ._errors import CredenceError

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _kind(input: str | Mapping[str, str] | None, name: str) -> str | None:
    return input.get(name) if isinstance(input, Mapping) else input


class Panel:
    """The calibrators of several models, and how much each counts.

    Made by :func:`fit_panel`, :meth:`load` or :meth:`from_json`.
    """

    def __init__(self, core: _core.Panel) -> None:
        self._core = core
        #: The parsed file: nll of all models together and of each alone on held-out rows,
        #: exponents, calibrators.
        self.report_: dict[str, Any] = json.loads(core.to_json())

    @staticmethod
    def load(path: PathLike) -> Panel:
        """Read a file written here or by ``credence fit`` with several score files."""
        text = Path(path).read_text(encoding="utf-8")
        return Panel(_core.Panel.from_json(text, os.fspath(path)))

    @staticmethod
    def from_json(text: str) -> Panel:
        """The panel that :meth:`to_json` wrote."""
        return Panel(_core.Panel.from_json(text, "panel"))

    def save(self, path: PathLike) -> None:
        """Write the file, whole or not at all."""
        self._core.save(os.fspath(path))

    def to_json(self) -> str:
        """The text of the file."""
        return self._core.to_json()

    @property
    def names(self) -> list[str]:
        """The models, in the order in which their scores are read."""
        return [str(model["name"]) for model in self.report_["models"]]

    @property
    def exponents(self) -> dict[str, float]:
        """The power of each model's probabilities; 0: it does not count."""
        return {str(m["name"]): float(m["exponent"]) for m in self.report_["models"]}

    @property
    def calibrators(self) -> dict[str, Calibrator]:
        """The calibrator of each model's scores alone."""
        return {
            str(m["name"]): Calibrator.from_json(json.dumps(m["calibrator"]))
            for m in self.report_["models"]
        }

    @property
    def notes(self) -> list[str]:
        """What was taken for granted when the data were read, and what the fit has to say."""
        return self._core.notes + [str(note) for note in self.report_["notes"]]

    def predict_proba(
        self,
        scores: Mapping[str, Any],
        *,
        input: str | Mapping[str, str] | None = None,
        threads: int = _FIT.threads,
        progress: Progress | None = None,
    ) -> npt.NDArray[Any]:
        """Calibrated probabilities (float64) from the scores of every model, by its name."""
        if not isinstance(scores, Mapping) or set(scores) != set(self.names):
            given = ", ".join(map(str, scores)) if isinstance(scores, Mapping) else "no names"
            raise CredenceError(
                "usage",
                f"scores of {given}; the panel has {', '.join(self.names)}",
                "give a dictionary with the scores of each model under its name",
            )
        kinds = dict(zip(self.names, self._core.kinds))
        given_inputs = [
            inputs(scores[name], None, input=_kind(input, name) or kinds[name], scores_only=True)
            for name in self.names
        ]
        return np.asarray(self._core.predict(given_inputs, threads, progress))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Panel) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}: {b:.3g}" for name, b in self.exponents.items())
        return f"Panel({parts})"


@takes_data
def fit_panel(
    scores: Mapping[str, Any],
    votes: Any = None,
    *,
    input: str | Mapping[str, str] | None = None,
    labels: Any = None,
    gauge: str = _FIT.gauge,
    seed: int = _FIT.seed,
    threads: int = _FIT.threads,
    max_passes: int = _FIT.max_passes,
    progress: Progress | None = None,
    **about: Unpack[About],
) -> Panel:
    """Fit several models of the same examples at once: ensembles, a panel of judges.

    ``scores`` has the scores of each model under its name, each as :func:`fit` takes them;
    ``input`` says what they are, for all or by name. Every model is calibrated alone by "auto"; the
    result is the product of their probabilities, each to a power that fits rows their calibrators
    have not seen. Where all together are not ahead of the best model alone, that one is used. The
    file is that of ``credence fit --method auto`` with several score files.

    >>> import credence
    >>> demo = credence.demo_data(rows=400)
    >>> models = {"first": demo["logits"], "second": 0.5 * demo["logits"]}
    >>> both = credence.fit_panel(models, demo["votes"], input="logits")
    >>> both.predict_proba(models).shape
    (400, 5)
    """
    if not isinstance(scores, Mapping) or not scores:
        raise CredenceError(
            "usage",
            "fit_panel() takes the scores of several models by name",
            'for example {"a": scores_of_a, "b": scores_of_b}; fit() takes those of one model',
        )
    if votes is None and labels is None:
        raise CredenceError(
            "usage",
            "method 'auto' learns from annotations and none were given",
            "give votes, or labels= when only majority labels are known",
        )
    # Every model reads them anew, which an iterator would not stand.
    if (ids := about.get("ids")) is not None:
        about["ids"] = list(ids)
    if (vote_ids := about.get("vote_ids")) is not None:
        about["vote_ids"] = list(vote_ids)
    options = fit_options(gauge, seed, max_passes)
    options.threads = threads
    given = [
        inputs(one, votes, input=_kind(input, name), labels=labels, **about)
        for name, one in scores.items()
    ]
    return Panel(_core.fit_panel(given, [str(name) for name in scores], options, progress))
