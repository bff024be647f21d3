"""Sorted rows as Spark keeps them between passes: packed.

Spark hands columns to Python number by number, which takes longer than most passes. So rows are
handed over once, sorted, and come back as bytes in Arrow's own format, some hundred rows in a
binary value, which Spark caches. A pass then moves bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._columns import Layout
from ._errors import CredenceError
from ._pieces import answer, merge_group

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

#: The column that rows are sorted by.
KEY = "credence key"
_REPLY = "piece int, reply binary"
# What a partition says of itself comes last, without rows.
_PACKED = "packed binary, rows bigint, missing bigint, repeated string"
# Spark hands over 10,000 values at a time, which together must stay below 2 GB.
_PACKED_BYTES = 192 << 10
_NO_PACKAGE = "No module named 'credence"


def quoted(columns: Sequence[str]) -> list[str]:
    """Names that may hold dots and spaces."""
    return [f"`{name}`" for name in columns]


def partition() -> int:
    """The partition that the task at work is about."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0


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


def collect(df: DataFrame) -> list[Any]:
    try:
        found: list[Any] = df.collect()
        return found
    except Exception as error:
        translated = _translated(error)
        if translated is error:
            raise
        raise translated from None


class _KeyCheck:
    """Counts rows, and looks for keys that do not order them."""

    def __init__(self) -> None:
        self.rows, self.missing, self.repeated = 0, 0, ""
        self._last: Any = None

    def add(self, key: pa.Array) -> None:
        import pyarrow.compute as pc

        if len(key) == 0:
            return
        self.rows += len(key)
        self.missing += key.null_count
        if self._last is not None and self._last == key[0]:
            self.repeated = str(self._last)
        same = pc.equal(key.slice(1), key.slice(0, len(key) - 1))
        if len(key) > 1 and pc.any(same).as_py():
            self.repeated = str(key[pc.index(same, True).as_py() + 1])
        self._last = key[len(key) - 1]


def _to_bytes(batch: pa.RecordBatch) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task: the last column is the key, the others are packed."""
    import pyarrow as pa

    def record(packed: bytes | None, *about: Any) -> pa.RecordBatch:
        kinds = (pa.binary(), pa.int64(), pa.int64(), pa.string())
        values = [pa.array([v], kind) for v, kind in zip((packed, *about), kinds)]
        return pa.RecordBatch.from_arrays(values, ["packed", "rows", "missing", "repeated"])

    check = _KeyCheck()
    for batch in batches:
        check.add(batch.column(batch.num_columns - 1))
        data = batch.select(batch.schema.names[:-1])
        step = max(1, _PACKED_BYTES * data.num_rows // max(data.nbytes, 1))
        for first in range(0, data.num_rows, step):
            yield record(_to_bytes(data.slice(first, step)), None, None, None)
    yield record(None, check.rows, check.missing, check.repeated)


def _unpacked(batches: Iterator[pa.RecordBatch]) -> pa.Table:
    """The rows that were packed, as they lie in the bytes that Spark hands over."""
    import pyarrow as pa

    values = [value for batch in batches for value in batch.column(0) if value.is_valid]
    tables = [pa.ipc.open_stream(value.as_buffer()).read_all() for value in values]
    return pa.concat_tables(tables) if tables else pa.table({})


def _batch(pieces: list[int], replies: list[bytes]) -> pa.RecordBatch:
    import pyarrow as pa

    columns = {"piece": pa.array(pieces, pa.int32()), "reply": pa.array(replies, pa.binary())}
    return pa.RecordBatch.from_pydict(columns)


class PackedRows:
    """The partitions of a data frame whose last column is :data:`KEY`, sorted by it."""

    def __init__(self, ordered: DataFrame, layout: Layout) -> None:
        from pyspark import StorageLevel

        self.layout = layout
        self.df: DataFrame = ordered.mapInArrow(_pack, _PACKED)
        self.df.persist(StorageLevel.MEMORY_AND_DISK)
        self.rows = 0
        self.pieces = 0

    def name(self, piece: int) -> str:
        return f"partition {piece}"

    def count(self, key: str) -> None:
        """Fills the cache, and makes sure that the order is one."""
        about = self.df.select("rows", "missing", "repeated").where("rows is not null")
        found = collect(about)
        for row in found:
            if row["missing"]:
                raise CredenceError(
                    "data",
                    f"column '{key}' is null in {row['missing']} rows",
                    "every row needs its place",
                )
            if row["repeated"]:
                raise CredenceError(
                    "data",
                    f"column '{key}' has '{row['repeated']}' more than once",
                    "rows are ordered by it, so its values must not repeat",
                )
        self.rows = sum(row["rows"] for row in found)
        self.pieces = len(found)

    def free(self) -> None:
        self.df.unpersist()

    def _replies(self, common: bytes, own: Sequence[bytes]) -> DataFrame:
        layout = self.layout

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            piece = partition()
            yield _batch([piece], [answer(common, own[piece], _unpacked(batches), layout)])

        return self.df.select("packed").mapInArrow(task, _REPLY)

    def run(self, common: bytes, own: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        for row in collect(self._replies(common, own)):
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
        for row in collect(replies.mapInArrow(task, _REPLY)):
            yield bytes(row["reply"])
