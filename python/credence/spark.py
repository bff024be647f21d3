"""Fits, scores and comparisons of rows that lie in Spark, with PySpark 3.5 or 4.

Every function takes a data frame and says which columns hold what. Rows are sorted and counted
once; then each pass ships a small request to the partitions and sums back. The calibrator has the
bytes that :func:`credence.fit` gives for the same rows in the same order, whatever the partitions,
and however often a task is run.

    import credence.spark

    model = credence.spark.fit(
        df, "slts", scores="logits", votes="counts", input="logits", order="row")
    better = credence.spark.transform(df, model, scores="logits")   # adds a column

Rows that are used several times are prepared once:

    with credence.spark.Rows(
        df, scores="logits", votes="counts", input="logits", id="image"
    ) as rows:
        models = credence.spark.fit(rows, ["ts", "slts", "dirichlet-soft"])   # in the same passes
        scores = credence.spark.evaluate(rows, calibrator=models["slts"])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from ._calibrator import Calibrator, Progress
from ._columns import Columns, Layout, check_columns, column_names, layout_of
from ._compare import Comparison
from ._distributed import (
    Distributed,
    DistributedRows,
    compare_prepared,
    evaluate_prepared,
    fit_prepared,
)
from ._errors import CredenceError
from ._pieces import calibrated
from ._spark_rows import KEY, PackedRows, partition, quoted
from .sums import Metrics

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["Rows", "compare", "evaluate", "fit", "transform"]

# Below, the rows at the ends of partitions, which the driver holds, would be most of all.
_LEAST_ROWS = 4096


class Rows(DistributedRows):
    """The rows of a data frame, sorted, cached and counted, to be used several times.

    ``scores`` is a column of lists of numbers, or one column per class; ``input`` says what they
    are: "logits", "log_probs" or "probs". ``votes`` is a column of counts per class (a list), of
    labels (a list of texts, numbers or structs with a field ``label``), of a map from class to
    count, or several columns: numbers are counts of a class each, texts are labels of an annotator
    each. ``votes_format="labels"`` says that numbers are labels. ``labels`` is a column with one
    majority label instead. ``classes`` names the classes in the order of the scores; labels as text
    need it.

    Rows have the order of the column ``order``, or else that of a hash of the column ``id`` (MD5 of
    its text); values must not repeat. With ``id``, annotators are drawn by id, as
    :func:`credence.fit` does where it knows ids. ``partitions`` is a number of partitions, each of
    which must fit in the memory of a worker; without it, that of the data frame.

    Close it, or use it in a ``with`` statement, to free the cache.
    """

    def __init__(
        self,
        df: DataFrame,
        *,
        scores: Columns,
        votes: Columns | None = None,
        labels: str | None = None,
        input: str | None = None,
        order: str | None = None,
        id: str | None = None,
        classes: Sequence[str] | None = None,
        votes_format: str = "",
        partitions: int | None = None,
    ) -> None:
        if order is None and id is None:
            raise CredenceError(
                "usage",
                "nothing orders the rows, and Spark gives them in any order",
                "name a column with order= or id=; its values must not repeat",
            )
        self._layout = layout_of(
            df.columns,
            scores=scores,
            votes=votes,
            labels=labels,
            input=input,
            id=id,
            classes=classes,
            votes_format=votes_format,
        )
        check_columns(df.columns, [order] if order else [])
        key = order or id or ""
        self._partitions = self._prepared(df, order, partitions or _partitions_of(df))
        try:
            self._partitions.count(key)
            few = self._partitions.rows < self._partitions.pieces * _LEAST_ROWS
            if partitions is None and self._partitions.pieces > 1 and few:
                wanted = max(1, self._partitions.rows // _LEAST_ROWS)
                self._partitions.free()
                self._partitions = self._prepared(df, order, wanted)
                self._partitions.count(key)
            self.distributed = Distributed(self._partitions, self._layout)
        except BaseException:
            self.close()
            raise

    def _prepared(self, df: DataFrame, order: str | None, partitions: int) -> PackedRows:
        from pyspark.sql import functions

        key: Column = (
            functions.col(*quoted([order]))
            if order
            else functions.unhex(
                functions.md5(functions.col(*quoted([self._layout.id])).cast("string"))
            )
        )
        keyed = df.select(*quoted(self._layout.columns), key.alias(KEY))
        ordered = keyed.repartitionByRange(partitions, KEY).sortWithinPartitions(KEY)
        return PackedRows(ordered, self._layout)

    def close(self) -> None:
        """Free the cache."""
        self._partitions.free()


def _partitions_of(df: DataFrame) -> int:
    try:
        return max(1, int(df.rdd.getNumPartitions()))
    except Exception:  # Spark Connect has no RDDs
        return int(df.sparkSession.conf.get("spark.sql.shuffle.partitions", "8") or 8)


@overload
def fit(rows: DataFrame | Rows, method: str, **keywords: Any) -> Calibrator: ...
@overload
def fit(
    rows: DataFrame | Rows, method: Sequence[str], **keywords: Any
) -> dict[str, Calibrator]: ...
def fit(
    rows: DataFrame | Rows, method: str | Sequence[str], **keywords: Any
) -> Calibrator | dict[str, Calibrator]:
    """Fit a method to the rows of a data frame; of a list of methods, all in the same passes.

    ``keywords`` are columns, as for :class:`Rows`, and options of :func:`credence.fit`: draws,
    epsilon, lambda_, mu, bins, tau, step_prior, gauge, seed, max_passes. One method gives a
    :class:`credence.Calibrator`, a list of them a dict by name. ``auto`` and its kin are many fits,
    which share passes of their own; the driver holds a label and a mark for every row, 5 bytes.
    """
    return fit_prepared(Rows, rows, method, keywords)


def evaluate(
    rows: DataFrame | Rows, *, calibrator: Calibrator | None = None, **keywords: Any
) -> Metrics:
    """Score the rows, as they are or under a calibrator: the metrics of :func:`credence.evaluate`.

    ``keywords`` are columns, as for :class:`Rows`, and options of :func:`credence.evaluate`: bins,
    entropy_bins, draws, draw_seed, level, seed, and resamples, which are 0 here unless they are
    asked for: 1,000 take ten to twenty times as long as the scores. The result is a dict by name;
    its ``bins`` are those of the reliability diagram, its ``intervals`` those of the metrics.
    Metrics that sort all rows (``aece_*``, ``smooth_ece``) are None where the driver would have to
    hold more than 2 GB for it, or with ``list_rows=False``; ``aece_*`` have no intervals here.
    """
    return evaluate_prepared(Rows, rows, calibrator, keywords)


def compare(
    rows: DataFrame | Rows, *, progress: Progress | None = None, **keywords: Any
) -> Comparison:
    """Fit every method on one part of the rows, score them on the other, recommend one.

    The splits, calibrators, metrics and advice of :func:`credence.compare`, whose options
    ``keywords`` may hold beside the columns of :class:`Rows`: methods, reference, share, seeds,
    folds, oracle, keep_predictions, final, gauge, bins, draws, level, and resamples (0 unless they
    are asked for). Examples and whatever else needs single rows are left out; the driver holds a
    label and a mark for every row, 5 bytes.
    """
    return compare_prepared(Rows, rows, keywords, progress)


def transform(
    df: DataFrame,
    calibrator: Calibrator,
    *,
    scores: Columns,
    input: str | None = None,
    output: str = "probabilities",
    dtype: str = "double",
) -> DataFrame:
    """The data frame with a column of calibrated probabilities, a list per row.

    Works row by row, lazily, in whatever order rows come; rows in messages count from the first of
    their partition. ``input`` is what the calibrator was
    fitted to unless it is said; ``dtype`` is "double" or "float".
    """
    from pyspark.sql.types import ArrayType, DoubleType, FloatType, StructField, StructType

    layout = Layout(input=input or calibrator.input, scores=column_names(scores), votes=())
    check_columns(df.columns, layout.scores)
    if dtype not in ("double", "float"):
        raise CredenceError("usage", f"dtype is '{dtype}'", "wanted 'double' or 'float'")
    if output in df.columns:
        raise CredenceError(
            "usage", f"the data frame has a column '{output}' already", "name another with output="
        )
    text = calibrator.to_json()
    single = dtype == "float"
    element = FloatType() if single else DoubleType()
    added = StructField(output, ArrayType(element, False), False)
    schema = StructType([*df.schema.fields, added])

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        model = Calibrator.from_json(text)
        row = 0
        for batch in batches:
            table = pa.Table.from_batches([batch])
            try:
                lists = calibrated(table, model, layout, single, row)
            except CredenceError as error:
                where = f"partition {partition()}: {error.message}"
                raise CredenceError(error.code, where, error.hint) from None
            row += table.num_rows
            yield pa.RecordBatch.from_arrays([*batch.columns, lists], [*batch.schema.names, output])

    return df.mapInArrow(task, schema)
