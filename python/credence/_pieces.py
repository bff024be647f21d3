"""What a piece of rows answers to a driver, and the messages between them.

Everything here is a function of its arguments: a task that is run twice gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._calibrator import Calibrator
from ._columns import Layout, inputs_of, scores_of
from ._errors import CredenceError
from ._evaluate import metric_options
from .solver import BLOCK_ROWS
from .sums import resampling

if TYPE_CHECKING:
    import pyarrow as pa


def pack(parts: Iterable[bytes]) -> bytes:
    """Several messages as one."""
    return b"".join(struct.pack("<Q", len(part)) + part for part in parts)


def unpack(message: bytes) -> list[bytes]:
    """What :func:`pack` was given."""
    parts, at = [], 0
    while at < len(message):
        end = at + 8 + struct.unpack_from("<Q", message, at)[0]
        parts.append(message[at + 8 : end])
        at = end
    return parts


@dataclass(frozen=True)
class Place:
    """Where a piece lies among all rows."""

    first: int
    end: int
    all: int

    def to_bytes(self) -> bytes:
        return struct.pack("<QQQ", self.first, self.end, self.all)

    @staticmethod
    def from_bytes(message: bytes) -> Place:
        return Place(*struct.unpack("<QQQ", message))

    def cuts(self) -> tuple[int, int]:
        """The whole blocks: rows from and to, which are equal where there is none."""
        first = -(-self.first // BLOCK_ROWS) * BLOCK_ROWS
        end = self.end if self.end == self.all else self.end // BLOCK_ROWS * BLOCK_ROWS
        return (first, end) if first < end else (self.end, self.end)


def rows_to_bytes(inputs: _core.Inputs, first_row: int) -> bytes:
    scores, offsets, classes, weights, ids = _core.arrays_of_rows(inputs)
    about = {"first": first_row, "shape": scores.shape, "type": scores.dtype.str, "ids": ids}
    arrays = (scores, offsets, classes, weights)
    return pack([json.dumps(about).encode(), *(array.tobytes() for array in arrays)])


@dataclass
class Fringe:
    """Rows at the end of a piece, as the driver holds them."""

    first: int
    scores: Any
    offsets: Any
    classes: Any
    weights: Any
    ids: list[str]

    @staticmethod
    def from_bytes(message: bytes) -> Fringe:
        head, scores, offsets, classes, weights = unpack(message)
        about = json.loads(head)
        return Fringe(
            about["first"],
            np.frombuffer(scores, about["type"]).reshape(about["shape"]),
            np.frombuffer(offsets, np.int64),
            np.frombuffer(classes, np.uint32),
            np.frombuffer(weights, np.float64),
            about["ids"],
        )

    @property
    def end(self) -> int:
        return self.first + len(self.scores)


def joined(parts: list[Fringe], layout: Layout) -> tuple[int, _core.Inputs]:
    """Neighbouring rows as one piece."""
    shifts = np.cumsum([0] + [len(part.classes) for part in parts])
    offsets = [part.offsets[1:] + shift for part, shift in zip(parts, shifts)]
    voted = bool(layout.votes) and not layout.labels_only
    first = parts[0].first
    return first, _core.inputs_of_rows(
        layout.input,
        np.concatenate([part.scores for part in parts]),
        None,
        np.concatenate([[0], *offsets]).astype(np.int64) if voted else None,
        np.concatenate([part.classes for part in parts]),
        np.concatenate([part.weights for part in parts]) if voted else None,
        layout.labels_only,
        list(layout.class_names),
        [one for part in parts for one in part.ids],
        first,
    )


def work_on(verb: str, arguments: Sequence[bytes], inputs: _core.Inputs, first_row: int) -> bytes:
    """The answer from whole blocks."""
    if verb == "facts":
        return _core.facts_of_rows(inputs, first_row)
    if verb == "fit":
        return pack(_core.accumulate(request, inputs, first_row, 1) for request in arguments)
    options = json.loads(arguments[1])
    metrics = metric_options(*options["metrics"])
    metrics.list_rows = options["list_rows"]
    if options["bootstrap"].get("resamples"):
        metrics.resample(resampling(**options["bootstrap"]), options["all_rows"])
    model = Calibrator.from_json(arguments[0].decode())._core if arguments[0] else None
    return _core.accumulate_scores(inputs, model, first_row, metrics, 1)


def _answered(common: bytes, own: bytes, table: pa.Table, layout: Layout) -> list[bytes]:
    head, *arguments = unpack(common)
    about = json.loads(head)
    if about["version"] != _core.version:
        raise CredenceError(
            "usage",
            f"credence {_core.version} on a worker, {about['version']} at the driver",
            "install the same version everywhere",
        )
    if about["verb"] == "count":
        return [struct.pack("<Q", table.num_rows)]
    where, *extra = unpack(own)
    place = Place.from_bytes(where)
    if about["verb"] == "facts" and extra:
        table = table.filter(np.frombuffer(extra[0], np.uint8) != 0)
    if table.num_rows != place.end - place.first:
        raise CredenceError(
            "data",
            f"{table.num_rows} rows, and {place.end - place.first} when they were counted",
            "the data changed meanwhile; write them down first, or cache them",
        )
    if about["verb"] == "piece":
        if table.num_rows == 0:
            return [b"", b"", b""]
        message, tags = extra
        inputs = inputs_of(table, layout, place.first)
        checksum = _core.fingerprint_of_rows(inputs).encode()
        return [b"", _core.answer_piece(arguments[0], message, inputs, tags, 1), checksum]
    first, end = place.cuts()
    parts = [(place.first, first), (first, end), (end, place.end)]
    pieces = [
        (a, inputs_of(table.slice(a - place.first, b - a), layout, a)) if a < b else None
        for a, b in parts
    ]
    prints = [_core.fingerprint_of_rows(piece[1]) if piece else "" for piece in pieces]
    checksum = hashlib.blake2b(" ".join(prints).encode(), digest_size=16).digest()
    if about["verb"] == "facts" and not extra and place.first == 0 and place.end:
        _core.require_class_order(next(piece[1] for piece in pieces if piece))
    inner = pieces[1]
    answers = [checksum, work_on(about["verb"], arguments, inner[1], inner[0]) if inner else b""]
    if about["verb"] == "facts":
        answers += [rows_to_bytes(piece[1], piece[0]) for piece in (pieces[0], pieces[2]) if piece]
    return answers


def answer(common: bytes, own: bytes, table: pa.Table, layout: Layout) -> bytes:
    """What a piece says to a message of the driver.

    Pure: the same rows give the same bytes, however often it is called. What is wrong with the rows
    is part of the answer, since calling again would not mend it.
    """
    try:
        return pack([b"", *_answered(common, own, table, layout)])
    except CredenceError as error:
        return pack([json.dumps([error.code, error.message, error.hint]).encode()])


def _merged(verb: str, answers: Sequence[bytes]) -> bytes:
    """One answer from those of neighbouring rows."""
    if verb == "scores":
        return _core.merge_scores(list(answers))
    return pack(_core.merge(list(states)) for states in zip(*map(unpack, answers)))


def merge_group(common: bytes, replies: Mapping[int, bytes], between: bytes) -> bytes:
    """The replies of neighbouring pieces as one; ``between`` is what the driver has of their ends.

    Where many partitions answer with many numbers, the driver would be flooded otherwise.
    """
    verb = json.loads(unpack(common)[0])["verb"]
    checks, answers = [], unpack(between)
    for piece in sorted(replies):
        parts = unpack(replies[piece])
        if parts[0]:
            return pack([parts[0], struct.pack("<Q", piece)])
        checks += [struct.pack("<Q", piece), parts[1]]
        answers += [parts[2]] if parts[2] else []
    return pack([b"", pack(checks), _merged(verb, answers) if answers else b""])


def calibrated(
    table: pa.Table, model: Calibrator, layout: Layout, single: bool, first_row: int = 0
) -> pa.Array:
    """Calibrated probabilities as a column of lists."""
    import pyarrow as pa

    kind = pa.float32() if single else pa.float64()
    if table.num_rows == 0:
        return pa.array([], pa.list_(kind))
    found = model.predict_proba(
        scores_of(table, layout, first_row),
        input=layout.input,
        dtype="float32" if single else "float64",
        threads=1,
    )
    offsets = pa.array(np.arange(table.num_rows + 1) * found.shape[1], pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(found.reshape(-1), kind))
