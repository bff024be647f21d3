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
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _core
from ._calibrator import Calibrator
from ._data import Dataset
from ._evaluate import metric_options
from .solver import BLOCK_ROWS

__all__ = ["BLOCK_ROWS", "accumulate", "merge", "metrics", "reliability"]

_METRICS = _core.MetricOptions()


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
    threads: int = 1,
) -> bytes:
    """The sums of some of the rows, of which the first is number ``first_row`` of all.

    Depends on nothing else: a task that is run twice gives the same bytes. ``list_rows=False``
    leaves out what needs sorted rows (``aece_*`` and ``smooth_ece`` are then None) and keeps the
    sums small however many rows there are.
    """
    options = metric_options(bins, entropy_bins, draws, draw_seed)
    options.list_rows = list_rows
    core = None if calibrator is None else calibrator._core
    return _core.accumulate_scores(rows._inputs, core, first_row, options, threads)


def merge(sums: Iterable[bytes]) -> bytes:
    """The sums of neighbouring pieces, in any order. A piece that came twice counts once."""
    return _core.merge_scores(list(sums))


def metrics(sums: bytes) -> dict[str, float | None]:
    """Every metric of the rows by name, None where the votes cannot give it."""
    found: dict[str, float | None] = _core.metrics_of_sums(sums)
    return found


def reliability(sums: bytes) -> list[dict[str, Any]]:
    """The bins of the reliability diagram: from, to, count, confidence, agreement, accuracy."""
    return list(_core.reliability_of_sums(sums))
