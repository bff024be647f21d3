"""Scores of probabilities against what annotators said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional

from . import _core, _html
from ._calibrator import Calibrator, Progress
from ._data import About, Dataset, data, inputs, takes_data
from ._errors import CredenceError

if TYPE_CHECKING:
    from typing_extensions import Unpack

_METRICS = _core.MetricOptions()
_BOOTSTRAP = _core.BootstrapOptions()


class Evaluation(Mapping[str, Optional[float]]):
    """Metrics by name, with their intervals and the bins of the reliability diagram.

    A metric that the votes cannot give is None.

    >>> import credence
    >>> scores = credence.evaluate([[0.7, 0.3]] * 4, [[7, 3]] * 4, resamples=0)
    >>> round(scores["ece_expected"], 6)
    0.0
    >>> scores.bins[10]["count"]
    4
    """

    def __init__(self, core: _core.Evaluation) -> None:
        self._json = core.json
        self._metrics: dict[str, float | None] = core.metrics
        self.results: dict[str, Any] = json.loads(core.json)
        #: What a careful reader should know besides the numbers.
        self.notes: list[str] = core.notes
        self._subgroup_figure: str = core.subgroup_figure

    def __getitem__(self, name: str) -> float | None:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    @property
    def bins(self) -> list[dict[str, Any]]:
        """The bins of the reliability diagram: from, to, count, confidence, agreement, accuracy."""
        return list(self.results["reliability"])

    @property
    def intervals(self) -> dict[str, dict[str, Any]]:
        """standard_error, low and high by metric; empty without resamples."""
        return dict((self.results["intervals"] or {"metrics": {}})["metrics"])

    @property
    def subgroups(self) -> list[dict[str, Any]]:
        """With ``by``: name, examples, gap (mean confidence minus agreement), nll, accuracy and
        ece_expected of every part of the data, the largest gap first. The intervals of a column
        hold together.
        """
        return list((self.results["subgroups"] or {"scores": []})["scores"])

    @property
    def worst_subgroup(self) -> str | None:
        """The part whose confidence is off most, where one is off beyond chance."""
        name = (self.results["subgroups"] or {"worst": None})["worst"]
        return None if name is None else str(name)

    def subgroup_figure(self) -> str:
        """How far confidence is off in every part of the data, as SVG; needs ``by``."""
        if not self._subgroup_figure:
            raise CredenceError("usage", "no subgroups were named", "evaluate with by=")
        return self._subgroup_figure

    def to_json(self) -> str:
        """The text that ``credence evaluate --format json`` prints for the same data."""
        return self._json

    def _rows(self) -> list[list[Any]]:
        empty: dict[str, Any] = {}
        return [
            [name, value, *(self.intervals.get(name, empty).get(key) for key in ("low", "high"))]
            for name, value in self._metrics.items()
        ]

    def to_pandas(self) -> Any:
        """A data frame with a row per metric: value, low, high."""
        import pandas

        frame = pandas.DataFrame(self._rows(), columns=["metric", "value", "low", "high"])
        return frame.set_index("metric")

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={self[name]:.4g}"
            for name in ("nll", "ece_expected", "brier_reader", "accuracy")
            if self._metrics.get(name) is not None
        )
        return f"Evaluation({self.results['method']}, {shown})"

    def _repr_html_(self) -> str:
        title = f"<p><b>{_html.cell(self.results['method'])}</b></p>"
        return title + _html.table(["metric", "value", "low", "high"], self._rows())


def metric_options(bins: int, entropy_bins: int, draws: int, draw_seed: int) -> _core.MetricOptions:
    options = _core.MetricOptions()
    options.bins = bins
    options.entropy_bins = entropy_bins
    options.draws = draws
    options.seed = draw_seed
    return options


def bootstrap_options(
    resamples: int, seed: int | None, level: float, interval: str, resample_annotators: bool
) -> _core.BootstrapOptions:
    options = _core.BootstrapOptions()
    options.resamples = resamples
    if seed is not None:
        options.seed = seed
    options.level = level
    options.kind = interval
    options.annotators = resample_annotators
    return options


def _kind(probs: Any, input: str | None) -> str | None:
    return "probs" if input is None and not isinstance(probs, Dataset) else input


@takes_data
def evaluate(
    probs: Any,
    votes: Any = None,
    *,
    labels: Any = None,
    calibrator: Calibrator | None = None,
    input: str | None = None,
    bins: int = _METRICS.bins,
    entropy_bins: int = _METRICS.entropy_bins,
    draws: int = _METRICS.draws,
    draw_seed: int = _METRICS.seed,
    resamples: int = _BOOTSTRAP.resamples,
    level: float = _BOOTSTRAP.level,
    interval: str = _BOOTSTRAP.kind,
    resample_annotators: bool = _BOOTSTRAP.annotators,
    seed: int = _BOOTSTRAP.seed,
    by: Any = None,
    threads: int = 0,
    progress: Progress | None = None,
    **about: Unpack[About],
) -> Evaluation:
    """Score probabilities against annotations, with bootstrap intervals.

    ``probs`` are anybody's probabilities. With ``calibrator`` they are scores that it is applied
    to, and ``input`` says of which kind; without one, ``input="logits"`` scores their softmax.
    Nothing said means ``"probs"``, and for a :class:`Dataset` what it was made with.
    ``resamples=0`` leaves the intervals out. ``by`` names a part of the data for every example
    (hospital, language), which :attr:`Evaluation.subgroups` then scores apart. Data are given as
    to :func:`fit`.

    >>> import credence
    >>> demo = credence.demo_data(rows=400)
    >>> found = credence.evaluate(demo["logits"], demo["votes"], input="logits", resamples=200)
    >>> found.intervals["nll"]["low"] < found["nll"] < found.intervals["nll"]["high"]
    True
    >>> sorted(found.intervals["nll"])
    ['high', 'low', 'standard_error']
    """
    given = inputs(probs, votes, input=_kind(probs, input), labels=labels, **about)
    if by is not None:
        given = given.with_subgroups(data(by, "group"))
    core = _core.evaluate(
        given,
        None if calibrator is None else calibrator._core,
        metric_options(bins, entropy_bins, draws, draw_seed),
        bootstrap_options(resamples, seed, level, interval, resample_annotators),
        threads,
        progress,
    )
    return Evaluation(core)


def ece(
    probs: Any,
    votes: Any = None,
    *,
    labels: Any = None,
    calibrator: Calibrator | None = None,
    input: str | None = None,
    bins: int = _METRICS.bins,
    draws: int = _METRICS.draws,
    draw_seed: int = _METRICS.seed,
    threads: int = 0,
) -> dict[str, float]:
    """The calibration errors of the predicted class alone, for monitoring and for large data.

    Against the majority label (``ece_voted``), against everybody's answers in expectation
    (``ece_expected``), and against ``draws`` draws of one annotator per example (``ece_true``;
    left out for ``draws=0``). The numbers are those of :func:`evaluate`, which computes two dozen
    more. Data with ids, class names or in files: give a :class:`Dataset`.

    >>> import credence
    >>> demo = credence.demo_data(rows=400)
    >>> errors = credence.ece(demo["logits"], demo["votes"], input="logits")
    >>> sorted(errors)
    ['ece_expected', 'ece_true', 'ece_voted']
    >>> found = credence.evaluate(demo["logits"], demo["votes"], input="logits", resamples=0)
    >>> errors["ece_true"] == found["ece_true"]
    True
    """
    errors: dict[str, float] = _core.top_errors(
        inputs(probs, votes, input=_kind(probs, input), labels=labels),
        None if calibrator is None else calibrator._core,
        metric_options(bins, _METRICS.entropy_bins, draws, draw_seed),
        threads,
    )
    return errors
