"""Parquet, Feather and Arrow files, folders of them and addresses, read and written by pyarrow.

The engine asks for a stream of some columns whenever it reads such a file, so a table is never
whole in memory here.
"""

from __future__ import annotations

import glob
import importlib.util
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._errors import CredenceError

_PARQUET = (".parquet", ".pq")
_ARROW = (".feather", ".arrow", ".ipc")
# Decoded at a time: small beside the memory of any machine, large beside the cost of a call.
_BATCH_BYTES = 2 << 20


def _locate(path: str) -> tuple[Any, list[str], str]:
    """File system, files in order, and the folder that partitions are named below."""
    from pyarrow import fs

    if "://" in path:
        system, place = fs.FileSystem.from_uri(path)
    else:
        system, place = fs.LocalFileSystem(), path
        if "*" in path:
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise CredenceError("io", f"{path}: no file has such a name")
            return system, found, ""
    info = system.get_file_info(place)
    if info.type == fs.FileType.NotFound:
        raise CredenceError("io", f"{path}: no such file")
    if info.type != fs.FileType.Directory:
        return system, [place], ""
    files = []
    for entry in system.get_file_info(fs.FileSelector(place, recursive=True)):
        inside = os.path.relpath(entry.path, place).split(os.sep)
        hidden = any(part.startswith((".", "_")) for part in inside)
        if entry.is_file and not hidden and entry.path.lower().endswith(_PARQUET + _ARROW):
            files.append(entry.path)
    if not files:
        raise CredenceError("io", f"{path}: no Parquet or Arrow files in this folder")
    return system, sorted(files), place


class _Table:
    """Files that are one table, and how their rows are come by."""

    def __init__(self, path: str) -> None:
        self.system, self.files, base = _locate(path)
        self.is_parquet = self.files[0].lower().endswith(_PARQUET) or "://" in path
        self.sizes: list[int] | None = None
        self.failure: str | None = None
        self.keys: list[dict[str, Any]] = [{} for _ in self.files]
        if base and self.is_parquet:
            from pyarrow import dataset

            table = dataset.dataset(
                self.files,
                format="parquet",
                filesystem=self.system,
                partitioning=dataset.partitioning(flavor="hive"),
                partition_base_dir=base,
            )
            self.schema = table.schema
            fragments = {one.path: one for one in table.get_fragments()}
            self.keys = [
                dataset.get_partition_keys(fragments[file].partition_expression)
                for file in self.files
            ]
        elif self.is_parquet:
            from pyarrow import parquet

            with self.system.open_input_file(self.files[0]) as source:
                self.schema = parquet.read_schema(source)
        else:
            with self.system.open_input_file(self.files[0]) as source:
                self.schema = _open_arrow(source).schema

    def rows(self) -> int:
        if self.sizes is None:
            self.sizes = [self._rows_of(file) for file in self.files]
        return sum(self.sizes)

    def _rows_of(self, file: str) -> int:
        with self.system.open_input_file(file) as source:
            if self.is_parquet:
                from pyarrow import parquet

                return int(parquet.read_metadata(source).num_rows)
            reader = _open_arrow(source)
            if hasattr(reader, "num_record_batches"):
                count = reader.num_record_batches
                return sum(reader.get_batch(i).num_rows for i in range(count))
            return sum(batch.num_rows for batch in reader)

    def place(self, row: int) -> str:
        if len(self.files) == 1:
            return f"{self.files[0]}: row {row}"
        self.rows()
        assert self.sizes is not None
        for file, size in zip(self.files, self.sizes):
            if row < size:
                return f"{file}: row {row}"
            row -= size
        return f"row {row}"

    def batches(self, schema: Any) -> Iterator[Any]:
        try:
            yield from self._batches(schema)
        except CredenceError as error:
            self.failure = error.message
            raise
        finally:
            import pyarrow as pa

            # Kept for later by Arrow's allocator, where the engine cannot use it.
            pa.default_memory_pool().release_unused()

    def _batches(self, schema: Any) -> Iterator[Any]:
        for file, keys in zip(self.files, self.keys):
            where = [file]
            try:
                with self.system.open_input_file(file) as source:
                    read = _parquet_batches if self.is_parquet else _arrow_batches
                    names = [name for name in schema.names if name not in keys]
                    for batch in read(source, names, where):
                        yield _as_told(batch, schema, keys, file)
            except CredenceError:
                raise
            except Exception as error:  # of many kinds, from pyarrow and from file systems
                text = str(error).splitlines()
                why = text[0] if text else repr(error)
                raise CredenceError("data", f"{': '.join(where)}: {why}") from error


def _open_arrow(source: Any) -> Any:
    """The file format, or the stream format, which the ``datasets`` library stores."""
    import pyarrow as pa

    try:
        return pa.ipc.open_file(source)
    except pa.ArrowInvalid:
        source.seek(0)
        return pa.ipc.open_stream(source)


def _require(names: list[str], present: list[str], file: str) -> None:
    for name in names:
        if name not in present:
            raise CredenceError(
                "data",
                f"{file}: no column named '{name}'",
                f"its columns are: {', '.join(present[:20])}",
            )


def _parquet_batches(source: Any, names: list[str], where: list[str]) -> Iterator[Any]:
    from pyarrow import parquet

    # Column chunks come through a buffer, or a row group would be in memory beside its batches.
    file = parquet.ParquetFile(source, pre_buffer=False, buffer_size=1 << 20)
    _require(names, file.schema_arrow.names, where[0])
    for group in range(file.num_row_groups):
        where[1:] = [f"row group {group}"]
        about = file.metadata.row_group(group)
        chunks = [about.column(c) for c in range(about.num_columns)]
        wanted = [c for c in chunks if c.path_in_schema.split(".")[0] in names]
        # Packed, a long list of zeros takes a few bytes.
        size = sum(max(c.total_uncompressed_size, 8 * c.num_values) for c in wanted or chunks)
        rows = max(1, _BATCH_BYTES * max(1, about.num_rows) // max(1, size))
        # The engine reads ahead by itself; threads here would decode into memory of their own.
        yield from file.iter_batches(
            batch_size=min(rows, 1 << 16), row_groups=[group], columns=names, use_threads=False
        )


def _arrow_batches(source: Any, names: list[str], where: list[str]) -> Iterator[Any]:
    reader = _open_arrow(source)
    _require(names, reader.schema.names, where[0])
    if not hasattr(reader, "num_record_batches"):
        yield from (batch.select(names) for batch in reader)
        return
    for index in range(reader.num_record_batches):
        where[1:] = [f"batch {index}"]
        yield reader.get_batch(index).select(names)


def _as_told(batch: Any, schema: Any, keys: dict[str, Any], file: str) -> Any:
    """The columns in the order and of the types that were promised."""
    import pyarrow as pa

    columns = []
    for field in schema:
        if field.name in keys:
            columns.append(pa.repeat(pa.scalar(keys[field.name], field.type), batch.num_rows))
            continue
        column = batch.column(field.name)
        if column.type != field.type:
            try:
                column = column.cast(field.type)
            except pa.ArrowException as error:
                raise CredenceError(
                    "data",
                    f"{file}: column '{field.name}' is {column.type}, {field.type} in the first "
                    "file",
                ) from error
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=schema)


class _Writer:
    """One table of probabilities: ids where there are some, and a column per class."""

    def __init__(self, temporary: str, path: str, float64: bool, classes: list[str]) -> None:
        self._temporary, self._path = temporary, path
        self._type = np.float64 if float64 else np.float32
        self._classes = classes
        self._file: Any = None

    def write(self, ids: list[str], rows: Any) -> None:
        import pyarrow as pa

        columns = [
            pa.array(np.ascontiguousarray(rows[:, k], self._type)) for k in range(rows.shape[1])
        ]
        names = self._classes or [f"p{k}" for k in range(rows.shape[1])]
        if ids:
            columns.insert(0, pa.array(ids, pa.string()))
            names = ["id", *names]
        batch = pa.RecordBatch.from_arrays(columns, names)
        if self._file is None:
            self._file = self._open(batch.schema)
        self._file.write_batch(batch)

    def _open(self, schema: Any) -> Any:
        import pyarrow as pa

        if self._path.lower().endswith(_ARROW):
            return pa.ipc.new_file(self._temporary, schema)
        from pyarrow import parquet

        return parquet.ParquetWriter(self._temporary, schema)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class Tables:
    """What the engine asks about files of tables."""

    def __init__(self) -> None:
        self._known: dict[str, _Table] = {}

    def can_read(self, path: str) -> bool:
        return importlib.util.find_spec("pyarrow") is not None

    can_write = can_read

    def open(self, path: str, columns: list[str]) -> Any:
        import pyarrow as pa

        # Whoever begins to read asks for the schema, without columns: files may have changed.
        if not columns or path not in self._known:
            try:
                self._known[path] = _Table(path)
            except CredenceError:
                raise
            except Exception as error:  # of many kinds, from pyarrow and from file systems
                raise CredenceError("data", f"{path}: {error}") from error
        table = self._known[path]
        if not columns:
            return pa.RecordBatchReader.from_batches(table.schema, iter(()))
        schema = pa.schema([table.schema.field(name) for name in columns])
        return pa.RecordBatchReader.from_batches(schema, table.batches(schema))

    def _table(self, path: str) -> _Table:
        if path not in self._known:
            self._known[path] = _Table(path)
        return self._known[path]

    def rows(self, path: str) -> int:
        return self._table(path).rows()

    def place(self, path: str, row: int) -> str:
        return self._table(path).place(row)

    def failure(self, path: str) -> str | None:
        """Why the rows of a table ended early."""
        return self._table(path).failure

    def create(self, temporary: str, path: str, float64: bool, classes: list[str]) -> _Writer:
        return _Writer(temporary, path, float64, classes)
