"""What a calibrator needs, and what was understood of the data."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _html
from ._calibrator import Progress
from ._data import About, PathLike, data, inputs, names, seed_list, takes_data
from ._evaluate import metric_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

_ABLATE = _core.AblateOptions()
_METRICS = _ABLATE.metrics
_PLAN = _core.PlanOptions()


class Ablation:
    """Scores at every setting and seed."""

    def __init__(self, core: _core.Ablation) -> None:
        self._core = core
        #: The parsed results.json.
        self.results: dict[str, Any] = json.loads(core.text("results.json"))
        self.notes: list[str] = core.notes

    def to_json(self) -> str:
        """The text of results.json."""
        return self._core.text("results.json")

    def to_csv(self) -> str:
        """One line per study, setting, seed and method."""
        return self._core.text("results.csv")

    def to_markdown(self) -> str:
        """Means and standard deviations over the seeds, a table per study."""
        return self._core.text("table.md")

    def to_pandas(self) -> Any:
        """The lines of :meth:`to_csv` as a data frame."""
        import io

        import pandas

        return pandas.read_csv(io.StringIO(self.to_csv()))

    def save(self, folder: PathLike) -> None:
        """Write what ``credence ablate -o folder`` writes."""
        self._core.save(os.fspath(folder))

    def __repr__(self) -> str:
        return f"Ablation({self.to_csv().count(chr(10)) - 1} rows)"

    def _repr_html_(self) -> str:
        lines = [line.split(",") for line in self.to_csv().splitlines()]
        return _html.table(lines[0], lines[1:])


class Plan:
    """Predicted widths of intervals, and where one more annotation helps most."""

    def __init__(self, core: _core.Plan) -> None:
        self._json = core.json
        #: The parsed plan.
        self.results: dict[str, Any] = json.loads(core.json)
        self.advice: list[str] = core.advice
        self.notes: list[str] = core.notes

    def to_json(self) -> str:
        """The text that ``credence plan --format json`` prints."""
        return self._json

    @property
    def grid(self) -> list[dict[str, Any]]:
        """One entry per number of examples and votes."""
        return list(self.results["grid"])

    def to_pandas(self) -> Any:
        """The grid as a data frame."""
        import pandas

        return pandas.DataFrame(self.grid)

    def __repr__(self) -> str:
        return "\n".join(self.advice)

    def _repr_html_(self) -> str:
        words = "".join(f"<p>{_html.cell(line)}</p>" for line in self.advice)
        heading = list(self.grid[0])
        return words + _html.table(heading, [list(row.values()) for row in self.grid])


@takes_data
def ablate(
    scores: Any,
    votes: Any = None,
    *,
    input: str | None = None,
    labels: Any = None,
    studies: Sequence[str] = tuple(_ABLATE.studies),
    seeds: int | Sequence[int] = tuple(_ABLATE.seeds),
    shares: Sequence[float] = tuple(_ABLATE.shares),
    votes_per_example: Sequence[int] = tuple(_ABLATE.votes),
    draws_per_example: Sequence[int] = tuple(_ABLATE.draws),
    share: float = _ABLATE.share,
    gauge: str = _ABLATE.gauge,
    bins: int = _METRICS.bins,
    entropy_bins: int = _METRICS.entropy_bins,
    draws: int = _METRICS.draws,
    draw_seed: int = _METRICS.seed,
    threads: int = _ABLATE.threads,
    progress: Progress | None = None,
    **about: Unpack[About],
) -> Ablation:
    """How results change with fewer rows, votes or draws, and with smoothing.

    ``studies`` are of "size", "votes", "draws", "smoothing"; without them all that the votes allow.
    Data are given as to :func:`fit`.
    """
    options = _core.AblateOptions()
    options.studies = list(studies)
    options.seeds = seed_list(seeds)
    options.shares = list(shares)
    options.votes = list(votes_per_example)
    options.draws = list(draws_per_example)
    options.share = share
    options.gauge = gauge
    options.metrics = metric_options(bins, entropy_bins, draws, draw_seed)
    options.threads = threads
    given = inputs(scores, votes, input=input, labels=labels, **about)
    return Ablation(_core.ablate(given, options, progress))


@takes_data
def plan(
    scores: Any,
    votes: Any = None,
    *,
    input: str | None = None,
    examples: Sequence[int] = tuple(_PLAN.examples),
    votes_per_example: Sequence[int] = tuple(_PLAN.votes),
    level: float = _PLAN.level,
    bins: int = _PLAN.bins,
    threads: int = _PLAN.threads,
    **about: Unpack[About],
) -> Plan:
    """Predict from a pilot the uncertainty with other numbers of examples and votes.

    >>> import credence
    >>> demo = credence.demo_data(rows=300)
    >>> plan = credence.plan(demo["logits"], demo["votes"], input="logits", examples=[300, 1200])
    >>> plan.grid[0]["examples"]
    300
    """
    options = _core.PlanOptions()
    options.examples = list(examples)
    options.votes = list(votes_per_example)
    options.level = level
    options.bins = bins
    options.threads = threads
    return Plan(_core.plan(inputs(scores, votes, input=input, **about), options))


@takes_data
def inspect(
    scores: Any = None,
    votes: Any = None,
    *,
    input: str | None = None,
    labels: Any = None,
    **about: Unpack[About],
) -> dict[str, Any]:
    """What was understood: sizes, classes, evidence, agreement, ties, notes.

    With ``scores=None`` the votes alone are looked at.

    >>> import credence
    >>> found = credence.inspect(None, [[2, 1], [0, 3]])
    >>> found["evidence"], found["rows"], found["votes"]["unanimous"]
    ('distributions', 2, 1)
    """
    if scores is None:
        given = data(labels if votes is None else votes, "label")
        text = _core.inspect_votes(given, votes is None, names(about.get("classes")))
    else:
        text = _core.inspect(inputs(scores, votes, input=input, labels=labels, **about))
    found: dict[str, Any] = json.loads(text)
    return found
