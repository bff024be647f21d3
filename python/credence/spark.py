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

from . import _core
from ._calibrator import Calibrator, Progress
from ._columns import Columns, Layout, check_columns, column_names, layout_of
from ._compare import Comparison
from ._distributed import COMPARE_OPTIONS, Distributed, DistributedRows, Metrics, prepared
from ._errors import CredenceError
from ._pieces import answer, calibrated, merge_group

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["Rows", "compare", "evaluate", "fit", "transform"]

_KEY = "credence key"
_REPLY = "piece int, reply binary"
# Below, the rows at the ends of partitions, which the driver holds, would be most of all.
_LEAST_ROWS = 4096
_METRICS = _core.MetricOptions()
_FIT = _core.FitOptions()
_NO_PACKAGE = "No module named 'credence"


def _translated(error: Exception) -> Exception:
    """What a worker without the package makes of its task, said plainly."""
    if _NO_PACKAGE in str(error):
        return CredenceError(
            "usage",
            "the Python of the Spark workers has no package credence",
            "install it there, the same version, or point spark.pyspark.python to a Python that "
            "has it",
        )
    return error


def _quoted(columns: Sequence[str]) -> list[str]:
    """Names that may hold dots and spaces."""
    return [f"`{name}`" for name in columns]


def _partition() -> int:
    """The partition that the task at work is about."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0


class _Partitions:
    """The partitions of a sorted and cached data frame."""

    def __init__(self, df: DataFrame, layout: Layout, pieces: int) -> None:
        self.df = df
        self.layout = layout
        self.pieces = pieces

    def name(self, piece: int) -> str:
        return f"partition {piece}"

    def _replies(self, common: bytes, own: Sequence[bytes]) -> DataFrame:
        layout = self.layout

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            piece = _partition()
            given = list(batches)
            table = pa.Table.from_batches(given) if given else pa.table({})
            yield _batch([piece], [answer(common, own[piece], table, layout)])

        return self.df.select(_quoted(layout.columns)).mapInArrow(task, _REPLY)

    def run(self, common: bytes, own: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        for row in _collect(self._replies(common, own)):
            yield row["piece"], bytes(row["reply"])

    def run_merged(
        self, common: bytes, own: Sequence[bytes], groups: Sequence[bytes], width: int
    ) -> Iterator[bytes]:
        from pyspark.sql import functions

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            found: dict[int, dict[int, bytes]] = {}
            for batch in batches:
                for row in batch.to_pylist():
                    found.setdefault(row["piece"] // width, {})[row["piece"]] = row["reply"]
            merged = [merge_group(common, found[group], groups[group]) for group in found]
            yield _batch(list(found), merged)

        group = functions.floor(functions.col("piece") / width)
        replies = self._replies(common, own).repartition(len(groups), group)
        for row in _collect(replies.mapInArrow(task, _REPLY)):
            yield bytes(row["reply"])


def _batch(pieces: list[int], replies: list[bytes]) -> pa.RecordBatch:
    import pyarrow as pa

    columns = {"piece": pa.array(pieces, pa.int32()), "reply": pa.array(replies, pa.binary())}
    return pa.RecordBatch.from_pydict(columns)


def _key_check(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Counts the rows of a partition and looks for keys that do not order them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows, missing, repeated = 0, 0, ""
    last = None
    for batch in batches:
        key = batch.column(0)
        if pa.types.is_struct(key.type):
            key = key.field(0)
        if len(key) == 0:
            continue
        rows += len(key)
        missing += key.null_count
        if last is not None and last == key[0]:
            repeated = str(last)
        same = pc.equal(key.slice(1), key.slice(0, len(key) - 1))
        if len(key) > 1 and pc.any(same).as_py():
            repeated = str(key[pc.index(same, True).as_py() + 1])
        last = key[len(key) - 1]
    yield pa.RecordBatch.from_pydict(
        {
            "rows": pa.array([rows], pa.int64()),
            "missing": pa.array([missing], pa.int64()),
            "repeated": pa.array([repeated], pa.string()),
        }
    )


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
        self._key = order or id
        self._total = 0
        self._sorted = self._sort(df, order, partitions or _partitions_of(df))
        try:
            pieces = self._count()
            if partitions is None and pieces > 1 and self._total < pieces * _LEAST_ROWS:
                self._sorted.unpersist()
                self._sorted = self._sort(df, order, max(1, self._total // _LEAST_ROWS))
                pieces = self._count()
            self._partitions = _Partitions(self._sorted, self._layout, pieces)
            self.distributed = Distributed(self._partitions, self._layout)
        except BaseException:
            self.close()
            raise

    def _sort(self, df: DataFrame, order: str | None, partitions: int) -> DataFrame:
        from pyspark import StorageLevel
        from pyspark.sql import functions

        key: Column = (
            functions.col(*_quoted([order]))
            if order
            else functions.unhex(
                functions.md5(functions.col(*_quoted([self._layout.id])).cast("string"))
            )
        )
        keyed = df.select(*_quoted(self._layout.columns), key.alias(_KEY))
        ordered = keyed.repartitionByRange(partitions, _KEY).sortWithinPartitions(_KEY)
        cached: DataFrame = ordered.persist(StorageLevel.MEMORY_AND_DISK)
        return cached

    def _count(self) -> int:
        """Fills the cache, and makes sure that the order is one; gives the number of partitions."""
        checked = "rows bigint, missing bigint, repeated string"
        found = _collect(self._sorted.select(*_quoted([_KEY])).mapInArrow(_key_check, checked))
        for row in found:
            if row["missing"]:
                raise CredenceError(
                    "data",
                    f"column '{self._key}' is null in {row['missing']} rows",
                    "every row needs its place",
                )
            if row["repeated"]:
                raise CredenceError(
                    "data",
                    f"column '{self._key}' has '{row['repeated']}' more than once",
                    "rows are ordered by it, so its values must not repeat",
                )
        self._total = sum(row["rows"] for row in found)
        return len(found)

    def close(self) -> None:
        """Free the cache."""
        self._sorted.unpersist()


def _collect(df: DataFrame) -> list[Any]:
    try:
        found: list[Any] = df.collect()
        return found
    except Exception as error:
        translated = _translated(error)
        if translated is error:
            raise
        raise translated from None


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
    rows: DataFrame | Rows,
    method: str | Sequence[str],
    *,
    draws: int | None = None,
    epsilon: float | None = None,
    lambda_: float | None = None,
    mu: float | None = None,
    bins: int | None = None,
    gauge: str = _FIT.gauge,
    seed: int = _FIT.seed,
    max_passes: int = _FIT.max_passes,
    **columns: Any,
) -> Calibrator | dict[str, Calibrator]:
    """Fit a method to the rows of a data frame; of a list of methods, all in the same passes.

    ``columns`` are those of :class:`Rows`, options those of :func:`credence.fit`. One method gives
    a :class:`credence.Calibrator`, a list of them a dict by name.
    """
    options = {
        "draws": draws,
        "epsilon": epsilon,
        "lambda_": lambda_,
        "mu": mu,
        "bins": bins,
        "gauge": gauge,
        "seed": seed,
        "max_passes": max_passes,
    }
    names = [method] if isinstance(method, str) else list(method)
    with prepared(Rows, rows, columns) as given:
        found = given.distributed.fit(names, options)
    return found[method] if isinstance(method, str) else found


def evaluate(
    rows: DataFrame | Rows,
    *,
    calibrator: Calibrator | None = None,
    bins: int = _METRICS.bins,
    entropy_bins: int = _METRICS.entropy_bins,
    draws: int = _METRICS.draws,
    draw_seed: int = _METRICS.seed,
    list_rows: bool | None = None,
    **columns: Any,
) -> Metrics:
    """Score the rows, as they are or under a calibrator: the metrics of :func:`credence.evaluate`.

    The result is a dict by name; its ``bins`` are those of the reliability diagram.
    Metrics that sort all rows (``aece_*``, ``smooth_ece``) are None where the driver would have to
    hold more than 2 GB for it, or with ``list_rows=False``. ``columns`` are those of :class:`Rows`.
    """
    with prepared(Rows, rows, columns) as given:
        return given.distributed.evaluate(
            calibrator, [bins, entropy_bins, draws, draw_seed], list_rows
        )


def compare(
    rows: DataFrame | Rows, *, progress: Progress | None = None, **keywords: Any
) -> Comparison:
    """Fit every method on one part of the rows, score them on the other, recommend one.

    The splits, calibrators, metrics and advice of :func:`credence.compare`, whose options
    ``keywords`` may hold beside the columns of :class:`Rows`: methods, reference, share, seeds,
    folds, oracle, keep_predictions, final, gauge, bins, draws. Intervals, examples and whatever
    else needs single rows are left out; the driver holds a label and a mark for every row, 5 bytes.
    """
    options = {name: keywords.pop(name) for name in COMPARE_OPTIONS if name in keywords}
    with prepared(Rows, rows, keywords) as given:
        return given.distributed.compare(options, progress)


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
                where = f"partition {_partition()}: {error.message}"
                raise CredenceError(error.code, where, error.hint) from None
            row += table.num_rows
            yield pa.RecordBatch.from_arrays([*batch.columns, lists], [*batch.schema.names, output])

    return df.mapInArrow(task, schema)
