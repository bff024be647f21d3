"""An array and its ids that grow batch by batch on disk, and survive an interruption.

While it grows, three files stand beside the final place: ``NAME.part`` (the array),
``NAME.ids.part`` and ``NAME.journal``. The journal has one line per finished batch with checksums
of what that batch wrote, so that whatever an interruption, a full disk or a power cut left
half-written is recognised and cut off. Nothing has the final name before it is complete.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

# A header of this size holds any shape, so that it can be rewritten in place when the rows are
# known.
_HEADER = 128
_FORMAT = {"format": "credence-collect", "version": 1}

Fail = Callable[[str, str], NoReturn]


@dataclass(frozen=True)
class Batch:
    """What the journal knows of one finished batch."""

    rows: int
    key: str
    checksum: int
    ids_bytes: int
    ids_checksum: int


def npy_header(rows: int, classes: int, dtype: np.dtype[Any]) -> bytes:
    """The header that ``numpy.save`` writes for such an array, always 128 bytes long."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({rows}, {classes}), }}"
    prefix = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
    return prefix + text.encode().ljust(_HEADER - 11) + b"\n"


class GrowingArray:
    """Rows of one width appended batch by batch; see the module for the files.

    ``run`` says what produces the rows. A journal of another run is refused, never continued.
    """

    def __init__(
        self,
        out: Path,
        ids_out: Path | None,
        run: Mapping[str, Any],
        dtype: np.dtype[Any],
        *,
        restart: bool,
        fail: Fail,
    ) -> None:
        self._fail = fail
        self._out, self._ids_out = out, ids_out
        self._part = out.with_name(out.name + ".part")
        self._ids_part = out.with_name(out.name + ".ids.part")
        self._journal_path = out.with_name(out.name + ".journal")
        self._run, self._dtype = {**run, "dtype": dtype.str, "ids": ids_out is not None}, dtype
        self.classes: int | None = None
        self.batches: list[Batch] = []
        self.complete = False
        self._ours = False  # until then, nothing on the disk may be changed or removed
        if not out.parent.is_dir():
            fail(f"{out}: the folder {out.parent} does not exist", "create it, or write elsewhere")
        # Append mode creates a missing file and leaves one that is there alone until it is locked.
        self._journal = self._journal_path.open("a+b")
        self._files: list[IO[bytes]] = [self._journal]
        try:
            self._lock()
            if restart:
                self._journal.truncate(0)
            lines = self._read_journal()
            self._ours = True
            if self.complete:
                return
            self._array = self._open(self._part)
            self._ids = self._open(self._ids_part) if ids_out is not None else None
            self._keep_what_is_whole(lines)
        except BaseException:
            self.close()
            raise

    @property
    def rows(self) -> int:
        return sum(batch.rows for batch in self.batches)

    def last_batch(self) -> np.ndarray[Any, Any]:
        """The rows of the last finished batch, as they were written."""
        assert self.classes is not None
        shape = (self.batches[-1].rows, self.classes)
        size = shape[0] * shape[1] * self._dtype.itemsize
        self._array.seek(-size, os.SEEK_END)
        return np.frombuffer(self._array.read(size), self._dtype).reshape(shape)

    def append(self, rows: np.ndarray[Any, Any], ids: Sequence[str] | None, key: str) -> None:
        data = np.ascontiguousarray(rows, self._dtype).tobytes()
        text = "".join(f"{name}\n" for name in ids or ()).encode()
        lines = b""
        if self.classes is None:
            self.classes = rows.shape[1]
            self._array.write(npy_header(0, self.classes, self._dtype))
            lines = _line({**_FORMAT, "run": self._run, "classes": self.classes})
        batch = Batch(len(rows), key, zlib.crc32(data), len(text), zlib.crc32(text))
        self._array.write(data)
        self._array.flush()
        if self._ids is not None:
            self._ids.write(text)
            self._ids.flush()
        # The journal comes last: a line in it claims that the rest is there.
        self._journal.write(lines + _line(asdict(batch)))
        self._journal.flush()
        self.batches.append(batch)

    def finish(self) -> None:
        """Gives the files their names. An interruption in here is made good by the next run."""
        if not self.complete:
            assert self.classes is not None
            self._array.seek(0)
            self._array.write(npy_header(self.rows, self.classes, self._dtype))
            for file in self._files[1:]:
                file.flush()
                os.fsync(file.fileno())
                file.close()
            self._journal.write(_line({"complete": True}))
            self._journal.flush()
            os.fsync(self._journal.fileno())
        if self._ids_out is not None and self._ids_part.exists():
            self._ids_part.replace(self._ids_out)
        if self._part.exists():
            self._part.replace(self._out)
        self._journal_path.unlink()
        self.close()

    def close(self) -> None:
        files, self._files = self._files, []
        for file in files:
            file.close()
        if files and self._ours and not self.batches:
            for path in (self._part, self._ids_part, self._journal_path):
                path.unlink(missing_ok=True)

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        import fcntl

        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._fail(f"{self._out}: another process is collecting into it", "wait for it to end")

    def _open(self, path: Path) -> IO[bytes]:
        file = path.open("r+b" if path.exists() else "w+b")
        self._files.append(file)
        return file

    def _read_journal(self) -> list[tuple[Batch, int]]:
        """The finished batches, each with the offset at which its line ends."""
        self._journal.seek(0)
        found: list[tuple[Batch, int]] = []
        end = 0
        for number, line in enumerate(self._journal.read().splitlines(keepends=True)):
            record = _record(line)
            if record is None:
                break  # Half-written; what it would have counted is cut off and done again.
            end += len(line)
            if number == 0:
                self._compare(record)
                self.classes = int(record["classes"])
            elif "complete" in record:
                self.complete = True
            else:
                found.append((Batch(**record), end))
        if self.complete:
            self.batches = [batch for batch, _ in found]
        return found

    def _compare(self, header: Mapping[str, Any]) -> None:
        if {key: header.get(key) for key in _FORMAT} != _FORMAT or "run" not in header:
            self._refuse("a journal that this version cannot read")
        theirs = header["run"]
        for key, ours in self._run.items():
            if theirs.get(key) != ours:
                self._refuse(
                    f"an interrupted run with another {key}: {theirs.get(key)}, not {ours}"
                )

    def _refuse(self, found: str) -> NoReturn:
        self._fail(
            f"{self._journal_path}: belongs to {found}",
            "repeat that run to finish it, or say restart=True to begin anew",
        )

    def _keep_what_is_whole(self, lines: Sequence[tuple[Batch, int]]) -> None:
        """Believes the batches whose bytes are all there, and cuts off everything after them."""
        self._array.seek(_HEADER)
        journal_end = array_end = ids_end = 0
        for batch, line_end in lines:
            size = batch.rows * (self.classes or 0) * self._dtype.itemsize
            if size > os.fstat(self._array.fileno()).st_size:
                break
            text = self._ids.read(batch.ids_bytes) if self._ids is not None else b""
            if zlib.crc32(self._array.read(size)) != batch.checksum:
                break
            if zlib.crc32(text) != batch.ids_checksum:
                break
            self.batches.append(batch)
            journal_end, array_end = line_end, self._array.tell()
            ids_end += batch.ids_bytes
        if not self.batches:
            self.classes = None
        for file, end in zip(self._files, (journal_end, array_end, ids_end)):
            file.truncate(end)
            file.seek(end)


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _record(line: bytes) -> dict[str, Any] | None:
    """What a line of the journal says; None when it was not written to its end."""
    try:
        record = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
