"""Fitting, and what comes out of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, cast

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._data import About, Names, PathLike, inputs, takes_data
from ._errors import CredenceError

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Called with the share done (or None where it is unknown) and a text, on the thread that called.
#: Raising stops the work; so does returning False.
Progress = Callable[[Optional[float], str], Optional[bool]]

_FIT = _core.FitOptions()


def _float32(scores: Any, dtype: Any) -> bool:
    if dtype is None:
        if isinstance(scores, np.ndarray):
            return bool(scores.dtype == np.float32)
        return "float32" in str(getattr(scores, "dtype", ""))
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise CredenceError("usage", f"dtype is {kind}", "wanted float32 or float64")
    return bool(kind == np.float32)


class SecondOrder(NamedTuple):
    """How sure predictions are, one entry per row; see :meth:`Calibrator.predict_second_order`."""

    #: s: annotators' shares scatter about the prediction q like Dirichlet(s q).
    concentration: npt.NDArray[np.float64]
    #: Probability that two annotators of the example disagree.
    disagreement: npt.NDArray[np.float64]
    #: With ``next_votes``: between ``low`` and ``high`` lies the share of so many votes, by class.
    low: npt.NDArray[np.float64] | None = None
    high: npt.NDArray[np.float64] | None = None

    def effective_votes(self, votes: Any) -> npt.NDArray[np.float64]:
        """So many independent annotators tell as much of an example as ``votes`` of its own do."""
        given = np.asarray(votes, dtype=np.float64)
        s = self.concentration
        return np.asarray(given * (1.0 + 1.0 / s) / (1.0 + given / s))


class Calibrator:
    """A fitted calibrator: a value that is saved, sent and compared as its JSON text.

    Made by :func:`fit`, :meth:`load` or :meth:`from_json`.

    >>> import credence
    >>> demo = credence.demo_data(rows=500)
    >>> model = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
    >>> model
    Calibrator(method='slts', classes=5, temperature=5.25)
    >>> model == credence.Calibrator.from_json(model.to_json())
    True
    """

    def __init__(self, core: _core.Calibrator) -> None:
        self._core = core

    @staticmethod
    def load(path: PathLike) -> Calibrator:
        """Read a calibrator file, written here or by the command line."""
        return Calibrator(_core.Calibrator.load(os.fspath(path)))

    @staticmethod
    def from_json(text: str) -> Calibrator:
        """The calibrator that :meth:`to_json` wrote."""
        return Calibrator(_core.Calibrator.from_json(text, "calibrator"))

    def save(self, path: PathLike) -> None:
        """Write the calibrator file, whole or not at all: the bytes of ``credence fit``."""
        self._core.save(os.fspath(path))

    def to_json(self) -> str:
        """The text of the calibrator file."""
        return self._core.to_json()

    def to_onnx(
        self,
        path: PathLike | None = None,
        *,
        input: str | None = None,
        result: str = "probs",
        precision: str = "float32",
        arithmetic: str = "auto",
        opset: int = 13,
        rank: int = 2,
    ) -> bytes:
        """The calibrator as an ONNX model, written to ``path`` when given: scores in,
        probabilities out.

        The bytes are those of ``credence export``, which can also append the calibrator to a
        network. ``input`` says what the graph will be given; without it, what the calibrator was
        fitted to. ``result`` is "probs" or "log_probs", ``precision`` the type of input and output,
        and ``arithmetic`` the type in which it computes. ``rank=3`` is for (batch, positions,
        classes).

        >>> import credence
        >>> model = credence.fit("slts", [[2.0, 0.0]] * 3, [[2, 1]] * 3, input="logits")
        >>> graph = model.to_onnx()          # or model.to_onnx("calibrator.onnx")
        >>> b"probabilities" in graph
        True
        """
        try:
            from . import _onnx
        except ImportError as error:
            raise ImportError(
                "this build of credence has no ONNX: build it where libonnx-dev and "
                "libprotobuf-dev are installed ('scripts/setup build'), or use 'credence export' "
                f"({error})"
            ) from error
        graph = _onnx.onnx_model(
            self.to_json(), input or "", result, precision, arithmetic, opset, rank
        )
        if path is not None:
            _core.write_bytes(os.fspath(path), graph)
        return graph

    def predict_proba(
        self,
        scores: Any,
        *,
        input: str | None = None,
        dtype: Any = None,
        score_classes: Names = None,
        threads: int = _FIT.threads,
        progress: Progress | None = None,
    ) -> npt.NDArray[Any]:
        """Calibrated probabilities, one row per row of ``scores``, columns in their order.

        ``input`` says what the scores are; without it, what they were when fitting. ``dtype`` is
        float32 or float64; without it float32 for float32 scores and float64 for all others.
        ``scores`` may be whatever :func:`fit` takes, a path included.

        >>> import credence
        >>> model = credence.fit("slts", [[2.0, 0.0]] * 3, [[2, 1]] * 3, input="logits")
        >>> model.predict_proba([[2.0, 0.0]]).round(3)
        array([[0.667, 0.333]])
        """
        given = inputs(
            scores, None, input=input or self.input, score_classes=score_classes, scores_only=True
        )
        found = self._core.predict(given, _float32(scores, dtype), threads, progress)
        return np.asarray(found)

    def predict(self, scores: Any, *, input: str | None = None) -> npt.NDArray[Any]:
        """The most probable class of every row: its name, or its index without names."""
        best: npt.NDArray[Any] = self.classes_[self.predict_proba(scores, input=input).argmax(1)]
        return best

    def predict_second_order(
        self,
        scores: Any,
        *,
        input: str | None = None,
        next_votes: int | None = None,
        level: float = 0.9,
        score_classes: Names = None,
        threads: int = _FIT.threads,
        progress: Progress | None = None,
    ) -> SecondOrder:
        """How sure the predictions for ``scores`` are: their concentration, and the probability
        that two annotators of the example disagree. For calibrators fitted with
        ``second_order=True``.

        ``next_votes=m`` adds the ends of an interval of this ``level`` for the share that each
        class will get of the next m votes. ``scores`` as for :meth:`predict_proba`.

        >>> import credence
        >>> demo = credence.demo_data(rows=500)
        >>> model = credence.fit("slts", demo["logits"], demo["votes"], input="logits",
        ...                      second_order=True)
        >>> sure = model.predict_second_order(demo["logits"], next_votes=10)
        >>> sure.concentration.shape, sure.low.shape
        ((500,), (500, 5))
        """
        if next_votes is not None and not 1 <= next_votes <= 10_000:
            message = f"next_votes is {next_votes}"
            raise CredenceError("usage", message, "wanted a whole number from 1 to 10000")
        if not 0.0 < level < 1.0:
            raise CredenceError("usage", f"level is {level}", "wanted a number between 0 and 1")
        found = self.predict_proba(
            scores,
            input=input,
            dtype=np.float64,
            score_classes=score_classes,
            threads=threads,
            progress=progress,
        )
        sure = np.asarray(self._core.certainties(found, next_votes or 0, level))
        if next_votes is None:
            return SecondOrder(sure[:, 0], sure[:, 1])
        low, high = np.split(sure[:, 2:], 2, axis=1)
        return SecondOrder(sure[:, 0], sure[:, 1], low, high)

    @property
    def second_order_(self) -> dict[str, Any] | None:
        """How the second order was fitted: the two lines over log D, the nats per example with and
        without it, and how often annotators disagreed; None where it was not.
        """
        return cast("dict[str, Any] | None", self._core.second_order)

    @property
    def method(self) -> str:
        """The method's name."""
        return self._core.method

    @property
    def input(self) -> str:
        """What the scores were that it was fitted to."""
        return str(self._core.info["score_kind"])

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Names of the classes, or 0 to K-1 when none are known."""
        named = self._core.classes
        return np.array(named) if named else np.arange(self._core.class_count)

    @property
    def temperature_(self) -> float | None:
        """T of a single temperature; None for other maps."""
        return self._core.temperature or None

    @property
    def report_(self) -> dict[str, Any]:
        """What it was fitted to, how every stage ended, and what to know about it.

        "members" are the methods and weights of a pool, "selection" is how "auto" chose: its
        candidates with their held-out nll, and the probability that the result does harm.

        >>> import credence
        >>> model = credence.fit("slts", [[2.0, 0.0]] * 3, [[2, 1]] * 3, input="logits")
        >>> model.report_["stages"][0]["stop"]
        'converged'
        """
        notes = self._core.notes
        return {
            **self._core.info,
            "notes": notes,
            "stages": self._core.stages,
            "members": self._core.members,
            "selection": self._core.selection,
        }

    def __repr__(self) -> str:
        temperature = self.temperature_
        shown = "" if temperature is None else f", temperature={temperature:.3g}"
        return f"Calibrator(method={self.method!r}, classes={self._core.class_count}{shown})"

    def _repr_html_(self) -> str:
        rows = [
            [s["map"], s["target"], s["parameters"], s["stop"], s["passes"], s["loss"]]
            for s in self._core.stages
        ]
        heading = ["map", "fitted to", "parameters", "ended", "passes", "loss"]
        temperature = self.temperature_
        shown = "" if temperature is None else f", T = {temperature:.6g}"
        title = f"<b>{_html.cell(self.method)}</b>: {self._core.class_count} classes{shown}"
        return f"<p>{title}</p>{_html.table(heading, rows)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Calibrator):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Callable[[str], Calibrator], tuple[str]]:
        return (_from_json, (self.to_json(),))


def _from_json(text: str) -> Calibrator:
    return Calibrator.from_json(text)


def fit_options(gauge: str, seed: int, max_passes: int) -> _core.FitOptions:
    options = _core.FitOptions()
    options.gauge = gauge
    options.seed = seed
    options.max_passes = max_passes
    return options


def method_settings(
    draws: int | None,
    epsilon: float | None,
    lambda_: float | None,
    mu: float | None,
    bins: int | None,
    tau: float | None,
    step_prior: float | None,
) -> _core.MethodSettings:
    """What the user has set of a method; the engine refuses what the method does not have."""
    settings = _core.MethodSettings()
    settings.draws = draws
    settings.epsilon = epsilon
    settings.penalty = lambda_
    settings.mu = mu
    settings.bins = bins
    settings.tau = tau
    settings.step_prior = step_prior
    return settings


@takes_data
def fit(
    method: str,
    scores: Any,
    votes: Any = None,
    *,
    input: str | None = None,
    labels: Any = None,
    draws: int | None = None,
    epsilon: float | None = None,
    lambda_: float | None = None,
    mu: float | None = None,
    bins: int | None = None,
    tau: float | None = None,
    step_prior: float | None = None,
    second_order: bool = False,
    gauge: str = _FIT.gauge,
    seed: int = _FIT.seed,
    threads: int = _FIT.threads,
    max_passes: int = _FIT.max_passes,
    progress: Progress | None = None,
    **about: Unpack[About],
) -> Calibrator:
    """Fit a calibrator to scores and annotations.

    ``method`` is one of :func:`methods`, "TARGET+MAP" or "A then B". "auto" fits several and
    weighs them by how they predict held-out rows.

    ``scores`` have one row per example and one column per class: an array of any float type, a
    torch tensor, a data frame of pandas, polars or pyarrow, a dataset of Hugging Face with a column
    of lists (``scores_field`` names it), or the path of a file that the command line reads.
    C-contiguous float32 is used where it is; anything else is rounded to float32 block by block.
    ``input`` says what they are: "logits", "log_probs" or "probs". It is never guessed.

    ``votes`` are counts or shares per class (an array, or a frame whose columns name the classes),
    a long frame (task, worker, label and their usual names), a frame with one column per annotator
    and blanks, a dataset with lists of counts or labels (``votes_field``), or a path. A dataset
    given as ``scores`` may hold the votes as well. ``labels=`` takes one majority label per example
    instead, when nothing is known about the voters. ``ids`` and ``vote_ids`` name the rows of
    arrays to join by; frames and files bring their own.

    ``draws``, ``epsilon``, ``lambda_``, ``mu``, ``tau``, ``bins`` and ``step_prior`` set what the
    method has of these.
    ``second_order=True`` also fits how sure the predictions are
    (:meth:`Calibrator.predict_second_order`); it needs examples with two votes or more.
    ``threads`` changes no result.

    >>> import credence
    >>> logits = [[2.0, 0.0], [0.0, 3.0], [1.0, 0.5]]
    >>> votes = [[8, 2], [1, 9], [6, 4]]   # ten annotators each
    >>> credence.fit("slts", logits, votes, input="logits").temperature_
    1.39045...
    """
    options = fit_options(gauge, seed, max_passes)
    options.threads = threads
    settings = method_settings(draws, epsilon, lambda_, mu, bins, tau, step_prior)
    given = inputs(scores, votes, input=input, labels=labels, **about)
    return Calibrator(_core.fit(method, given, options, settings, second_order, progress))
