"""Fits and scores of rows that lie in Dask, in the order of the data frame.

The same as :mod:`credence.spark`, for a ``dask.dataframe.DataFrame``: its partitions are read in
their order, each pass ships a small request to them and sums back, and calibrators have the bytes
that :func:`credence.fit` gives for the same rows.

    import credence.dask

    model = credence.dask.fit(ddf, "slts", scores="logits", votes="counts", input="logits")
    better = credence.dask.transform(ddf, model, scores="logits")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from ._calibrator import Calibrator, Progress
from ._columns import Columns, Layout, layout_of
from ._compare import Comparison
from ._distributed import (
    Distributed,
    DistributedRows,
    compare_prepared,
    evaluate_prepared,
    fit_prepared,
)
from ._pieces import answer, calibrated, merge_group
from .sums import Metrics

__all__ = ["Rows", "compare", "evaluate", "fit", "transform"]



def _arrow(part: Any, columns: Sequence[str]) -> Any:
    """A partition as an Arrow table, which is what workers hold."""
    import pyarrow as pa

    return pa.Table.from_pandas(part[list(columns)], preserve_index=False)


class _Partitions:
    def __init__(self, tables: Sequence[Any], layout: Layout) -> None:
        self.tables = tables
        self.layout = layout
        self.pieces = len(tables)

    def name(self, piece: int) -> str:
        return f"partition {piece}"

    def _replies(self, common: bytes, own: Sequence[bytes]) -> list[Any]:
        import dask

        ask = dask.delayed(answer, pure=True)
        return [ask(common, own[i], table, self.layout) for i, table in enumerate(self.tables)]

    def run(self, common: bytes, own: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        import dask

        yield from enumerate(dask.compute(*self._replies(common, own)))

    def run_merged(
        self, common: bytes, own: Sequence[bytes], groups: Sequence[bytes], width: int
    ) -> Iterator[bytes]:
        import dask

        merge = dask.delayed(merge_group, pure=True)
        numbered = list(enumerate(self._replies(common, own)))
        tasks = [
            merge(common, dict(numbered[g * width : (g + 1) * width]), between)
            for g, between in enumerate(groups)
        ]
        yield from dask.compute(*tasks)


class Rows(DistributedRows):
    """The rows of a Dask data frame, held by its workers, to be used several times.

    Columns are named as for :class:`credence.spark.Rows`. The order of the rows is that of the data
    frame; sort it first where that is not the order you mean.
    """

    def __init__(self, df: Any, **columns: Any) -> None:
        import dask

        layout = layout_of(list(df.columns), **columns)
        take = dask.delayed(_arrow, pure=True)
        tables = dask.persist(*[take(part, layout.columns) for part in df.to_delayed()])
        self._partitions = _Partitions(tables, layout)
        self.distributed = Distributed(self._partitions, layout)

    def close(self) -> None:
        """Free what the workers hold."""
        self._partitions.tables = ()


@overload
def fit(rows: Any, method: str, **keywords: Any) -> Calibrator: ...
@overload
def fit(rows: Any, method: Sequence[str], **keywords: Any) -> dict[str, Calibrator]: ...
def fit(
    rows: Any, method: str | Sequence[str], **keywords: Any
) -> Calibrator | dict[str, Calibrator]:
    """Fit a method to the rows of a data frame; of a list of methods, all in the same passes.

    ``keywords`` are columns, as for :class:`Rows`, and options of :func:`credence.fit`: see
    :func:`credence.spark.fit`.
    """
    return fit_prepared(Rows, rows, method, keywords)


def evaluate(rows: Any, *, calibrator: Calibrator | None = None, **keywords: Any) -> Metrics:
    """Score the rows, as they are or under a calibrator: see :func:`credence.spark.evaluate`."""
    return evaluate_prepared(Rows, rows, calibrator, keywords)


def compare(rows: Any, *, progress: Progress | None = None, **keywords: Any) -> Comparison:
    """Fit every method, score them on other rows, recommend one: see
    :func:`credence.spark.compare`.
    """
    return compare_prepared(Rows, rows, keywords, progress)


def _add(part: Any, text: str, layout: Layout, output: str) -> Any:
    import pandas as pd

    table = _arrow(part, layout.columns)
    lists = calibrated(table, Calibrator.from_json(text), layout, False)
    column = pd.Series(pd.arrays.ArrowExtensionArray(lists), index=part.index)
    return part.assign(**{output: column})


def transform(
    df: Any,
    calibrator: Calibrator,
    *,
    scores: Columns,
    input: str | None = None,
    output: str = "probabilities",
) -> Any:
    """The data frame with a column of calibrated probabilities, a list per row."""
    layout = layout_of(list(df.columns), scores=scores, input=input or calibrator.input)
    text = calibrator.to_json()
    meta = _add(df._meta, text, layout, output)
    return df.map_partitions(_add, text, layout, output, meta=meta)
