"""Scores of rows that lie elsewhere: sums over pieces of the rows, merged, give every metric.

Sums are ``bytes``. Any division of the rows into pieces of whole blocks of :data:`BLOCK_ROWS` rows
gives the bits of :func:`credence.evaluate`.

>>> import credence
>>> from credence.sums import BLOCK_ROWS, accumulate, merge, metrics
>>> demo = credence.demo_data(rows=3000)
>>> pieces = {
...     first: credence.Dataset(
...         demo["logits"][first : first + 2 * BLOCK_ROWS],
...         demo["votes"][first : first + 2 * BLOCK_ROWS],
...         input="logits",
...     )
...     for first in range(0, 3000, 2 * BLOCK_ROWS)
... }
>>> sums = [accumulate(piece, first) for first, piece in pieces.items()]   # one task per piece
>>> whole = credence.evaluate(demo["logits"], demo["votes"], input="logits", resamples=0)
>>> metrics(merge(sums))["ece_true"] == whole["ece_true"]
True

With ``resamples`` and the number of all rows, the sums give intervals as well, those of
:func:`credence.evaluate`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

from . import _core
from ._calibrator import Calibrator
from ._data import Dataset
from ._errors import CredenceError
from ._evaluate import bootstrap_options, metric_options
from .solver import BLOCK_ROWS

__all__ = ["BLOCK_ROWS", "Metrics", "accumulate", "intervals", "merge", "metrics", "reliability"]

_METRICS = _core.MetricOptions()
_BOOTSTRAP = _core.BootstrapOptions()


class Metrics(dict[str, Optional[float]]):
    """Metrics by name, None where the votes cannot give one."""

    def __init__(self, sums: bytes, how: _core.BootstrapOptions) -> None:
        super().__init__(metrics(sums))
        #: The reliability diagram: from, to, count, confidence, agreement, accuracy of every bin.
        self.bins: list[dict[str, Any]] = reliability(sums)
        #: standard_error, low and high by metric; empty without resamples.
        self.intervals: dict[str, dict[str, float]] = dict(_core.intervals_of_sums(sums, how))


def resampling(
    resamples: int = 0, seed: int = _BOOTSTRAP.seed, level: float = _BOOTSTRAP.level
) -> _core.BootstrapOptions:
    """How sums are resampled: percentile intervals over examples."""
    return bootstrap_options(resamples, seed, level, "percentile", False)


def accumulate(
    rows: Dataset,
    first_row: int,
    *,
    calibrator: Calibrator | None = None,
    bins: int = _METRICS.bins,
    entropy_bins: int = _METRICS.entropy_bins,
    draws: int = _METRICS.draws,
    draw_seed: int = _METRICS.seed,
    list_rows: bool = _METRICS.list_rows,
    resamples: int = 0,
    seed: int = _BOOTSTRAP.seed,
    all_rows: int = 0,
    threads: int = 1,
) -> bytes:
    """The sums of some of the rows, of which the first is number ``first_row`` of all.

    Depends on nothing else: a task that is run twice gives the same bytes. ``list_rows=False``
    leaves out what needs sorted rows (``aece_*`` and ``smooth_ece`` are then None) and keeps the
    sums small however many rows there are. ``resamples`` (of ``seed``) add what :func:`intervals`
    needs; ``all_rows`` is then the number of rows of all pieces.
    """
    options = metric_options(bins, entropy_bins, draws, draw_seed)
    options.list_rows = list_rows
    if resamples and all_rows < 1:
        raise CredenceError(
            "usage", "resamples are drawn from all rows", "say how many there are with all_rows="
        )
    if resamples:
        options.resample(resampling(resamples, seed, _BOOTSTRAP.level), all_rows)
    core = None if calibrator is None else calibrator._core
    return _core.accumulate_scores(rows._inputs, core, first_row, options, threads)


def merge(sums: Iterable[bytes]) -> bytes:
    """The sums of neighbouring pieces, in any order. A piece that came twice counts once."""
    return _core.merge_scores(list(sums))


def metrics(sums: bytes) -> dict[str, float | None]:
    """Every metric of the rows by name, None where the votes cannot give it."""
    found: dict[str, float | None] = _core.metrics_of_sums(sums)
    return found


def intervals(
    sums: bytes,
    *,
    resamples: int,
    seed: int = _BOOTSTRAP.seed,
    level: float = _BOOTSTRAP.level,
) -> dict[str, dict[str, float]]:
    """standard_error, low and high by metric, from sums of all rows that were resampled.

    Those of :func:`credence.evaluate` over the same rows, but for ``aece_*``, which have none.
    """
    return dict(_core.intervals_of_sums(sums, resampling(resamples, seed, level)))


def reliability(sums: bytes) -> list[dict[str, Any]]:
    """The bins of the reliability diagram: from, to, count, confidence, agreement, accuracy."""
    return list(_core.reliability_of_sums(sums))
