"""Rows that lie elsewhere, in pieces: the driver, whatever engine holds them.

A piece is a run of neighbouring rows of any length. It answers for the whole blocks of
:data:`~credence.solver.BLOCK_ROWS` rows that lie within it; the rows at its two ends, which share a
block with its neighbours, are sent to the driver once, which answers for those blocks itself. So
an engine needs to do one thing: call :func:`credence._pieces.answer` for each of its pieces.
"""

from __future__ import annotations

import contextlib
import json
import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable, NoReturn, Protocol, TypeVar

import numpy as np

from . import _core
from ._calibrator import Calibrator, Progress
from ._columns import Layout
from ._compare import Comparison
from ._errors import CredenceError
from ._pieces import Fringe, Place, joined, pack, unpack, work_on
from .rows import RowsInPieces
from .solver import Solver
from .solver import merge as merge_states
from .sums import Metrics, resampling
from .sums import merge as merge_sums

#: Rows are listed one by one for some methods and metrics: at most so many bytes at the driver.
MOST_LISTED_BYTES = 2 << 30
#: From so many pieces on, neighbours are merged before the driver sees them.
LEAST_TO_MERGE = 64
#: What :func:`credence.fit` takes that holds for rows elsewhere as well.
FIT_OPTIONS = (
    *("draws", "epsilon", "lambda_", "mu", "bins", "tau", "step_prior"),
    *("gauge", "seed", "max_passes"),
)
#: And :func:`credence.compare`.
COMPARE_OPTIONS = (
    *("methods", "reference", "share", "seeds", "folds", "oracle"),
    *("keep_predictions", "final", "gauge", "bins", "entropy_bins", "draws", "draw_seed"),
    *("resamples", "level"),
)
_LISTED_BYTES = {"fit": 16, "evaluate": 72}


class Engine(Protocol):
    """Where the rows are. ``pieces`` are in the order of their rows."""

    pieces: int

    def run(self, common: bytes, own: Sequence[bytes]) -> Iterable[tuple[int, bytes]]:
        """What ``answer`` of ``_pieces`` gives for each piece, with its number, in any order.

        ``common`` goes to all of them, ``own[i]`` to piece ``i``.
        """
        ...

    def run_merged(
        self, common: bytes, own: Sequence[bytes], groups: Sequence[bytes], width: int
    ) -> Iterable[bytes]:
        """The same, put together by ``merge_group`` for every ``width`` neighbours.

        ``groups[g]`` goes to group ``g``, which is pieces ``g * width`` and the following.
        """
        ...

    def name(self, piece: int) -> str:
        """What the user calls a piece: "partition 3"."""
        ...


class Distributed:
    """All rows of an engine: counted and checked once, asked as often as wanted."""

    def __init__(self, engine: Engine, layout: Layout) -> None:
        self.engine = engine
        self.layout = layout
        #: Bytes that came back, by pass.
        self.received: list[int] = []
        self._checksums: list[bytes] = []
        self._prints: dict[int, bytes] = {}
        self._tags: dict[int, bytes] = {}
        counts = [struct.unpack("<Q", reply[0])[0] for reply in self._ask("count", [], None)]
        ends = np.cumsum([0, *counts]).tolist()
        if ends[-1] == 0:
            raise CredenceError("data", "there are no rows")
        self.rows: int = ends[-1]
        self._places = [Place(a, b, ends[-1]) for a, b in zip(ends, ends[1:])]
        self._filled = [piece for piece, count in enumerate(counts) if count]
        replies = self._ask("facts", [], self._places)
        self._checksums = [reply[0] for reply in replies]
        self._check_classes(replies)
        self._edges = self._edge_blocks(replies)
        self.facts = self._facts(replies, self._edges)
        self.about: dict[str, Any] = _core.about_facts(self.facts, list(layout.class_names))

    @property
    def classes(self) -> int:
        return int(self.about["classes"])

    def _check_classes(self, replies: Sequence[Sequence[bytes]]) -> None:
        """Each piece was found to be rows of one length; so must all be together."""

        def classes(piece: int) -> int:
            _, facts, *fringes = replies[piece]
            if facts:
                return int(_core.about_facts(facts, [])["classes"])
            return int(Fringe.from_bytes(fringes[0]).scores.shape[1])

        first = self._filled[0]
        for piece in self._filled:
            if classes(piece) != classes(first):
                raise CredenceError(
                    "data",
                    f"{self.engine.name(piece)}: {classes(piece)} scores in row "
                    f"{self._places[piece].first} and the next, and {classes(first)} in "
                    f"{self.engine.name(first)}",
                    "every row needs one for each class",
                )

    def _edge_blocks(self, replies: Sequence[Sequence[bytes]]) -> list[tuple[int, _core.Inputs]]:
        """What the pieces sent, joined to runs of whole blocks."""
        fringes = [Fringe.from_bytes(part) for reply in replies for part in reply[2:]]
        runs: list[list[Fringe]] = []
        for fringe in sorted(fringes, key=lambda fringe: fringe.first):
            if runs and runs[-1][-1].end == fringe.first:
                runs[-1].append(fringe)
            else:
                runs.append([fringe])
        return [joined(run, self.layout) for run in runs]

    @staticmethod
    def _facts(
        replies: Sequence[Sequence[bytes]], edges: Sequence[tuple[int, _core.Inputs]]
    ) -> bytes:
        pieces = [reply[1] for reply in replies if reply[1]]
        pieces += [_core.facts_of_rows(inputs, first) for first, inputs in edges]
        return _core.merge_facts(pieces)

    def facts_of(self, tags: bytes) -> bytes:
        """The facts of the rows whose tag is not 0, numbered among themselves."""
        marks = np.frombuffer(tags, np.uint8) != 0
        parts = [(place.first, place.end) for place in self._places]
        ends = np.cumsum([0] + [int(marks[a:b].sum()) for a, b in parts]).tolist()
        places = [Place(a, b, ends[-1]) for a, b in zip(ends, ends[1:])]
        extra = [(tags[a:b],) for a, b in parts]
        checked, self._checksums = self._checksums, []  # these rows are others
        try:
            replies = self._ask("facts", [], places, extra)
        finally:
            self._checksums = checked
        return self._facts(replies, self._edge_blocks(replies))

    @staticmethod
    def _message(verb: str, arguments: Sequence[bytes]) -> bytes:
        head = json.dumps({"verb": verb, "version": _core.version}).encode()
        return pack([head, *arguments])

    def _raise(self, piece: int, error: bytes) -> NoReturn:
        code, message, hint = json.loads(error)
        raise CredenceError(code, f"{self.engine.name(piece)}: {message}", hint)

    def _changed(self, piece: int) -> CredenceError:
        place = self._places[piece]
        return CredenceError(
            "data",
            f"{self.engine.name(piece)}: rows {place.first} to {place.end} are not those that "
            "were counted",
            "the data changed meanwhile, or their order; write them down first",
        )

    def _ask(
        self,
        verb: str,
        arguments: Sequence[bytes],
        places: Sequence[Place] | None,
        extra: Sequence[Sequence[bytes]] = (),
    ) -> list[list[bytes]]:
        """One pass: the answer of every piece, in their order, with errors raised.

        ``extra[i]`` is for piece i alone.
        """
        engine = self.engine
        own = [
            pack([places[i].to_bytes(), *(extra[i] if extra else ())]) if places else b""
            for i in range(engine.pieces)
        ]
        found: dict[int, bytes] = {}
        for piece, reply in engine.run(self._message(verb, arguments), own):
            # A task may be run twice, where an engine guesses that it is lost.
            if found.setdefault(piece, reply) != reply:
                raise CredenceError(
                    "data",
                    f"{engine.name(piece)} answered twice, and not the same",
                    "its rows are not the same every time they are read: write them down first",
                )
        self.received.append(sum(map(len, found.values())))
        replies = []
        for piece in range(engine.pieces):
            if piece not in found:
                raise CredenceError("data", f"{engine.name(piece)} did not answer")
            error, *parts = unpack(found[piece])
            if error:
                self._raise(piece, error)
            if self._checksums and parts[0] and parts[0] != self._checksums[piece]:
                raise self._changed(piece)
            replies.append(parts)
        return replies

    def work(self, verb: str, arguments: Sequence[bytes]) -> list[bytes]:
        """What all whole blocks answer: those of the pieces, and those that the driver holds."""
        edges = [(first, work_on(verb, arguments, rows, first)) for first, rows in self._edges]
        if self.engine.pieces < LEAST_TO_MERGE:
            replies = self._ask(verb, arguments, self._places)
            return [reply[1] for reply in replies if reply[1]] + [answer for _, answer in edges]
        return self._work_in_groups(verb, arguments, edges)

    def _work_in_groups(
        self, verb: str, arguments: Sequence[bytes], edges: Sequence[tuple[int, bytes]]
    ) -> list[bytes]:
        """The same, where neighbours are merged before the driver sees them."""
        engine = self.engine
        width = math.isqrt(engine.pieces - 1) + 1
        count = -(-engine.pieces // width)
        cuts = [place.cuts() for place in self._places]
        after = {end: i // width for i, (first, end) in enumerate(cuts) if first < end}
        before = {first: i // width for i, (first, end) in enumerate(cuts) if first < end}
        between: list[list[bytes]] = [[] for _ in range(count)]
        answers = []
        for (first, given), (_, rows) in zip(edges, self._edges):
            group = after.get(first)
            if group is not None and group == before.get(first + rows.rows):
                between[group].append(given)
            else:
                answers.append(given)
        common = self._message(verb, arguments)
        own = [pack([place.to_bytes()]) for place in self._places]
        seen: dict[int, bytes] = {}
        groups = list(map(pack, between))
        self.received.append(0)
        for reply in engine.run_merged(common, own, groups, width):
            self.received[-1] += len(reply)
            error, *parts = unpack(reply)
            if error:
                self._raise(struct.unpack("<Q", parts[0])[0], error)
            checks = unpack(parts[0])
            pieces = [struct.unpack("<Q", piece)[0] for piece in checks[::2]]
            if seen.keys() & set(pieces):  # the group came twice
                continue
            seen.update(zip(pieces, checks[1::2]))
            answers += [parts[1]] if parts[1] else []
        for piece in range(engine.pieces):
            if piece not in seen:
                raise CredenceError("data", f"{engine.name(piece)} did not answer")
            if seen[piece] != self._checksums[piece]:
                raise self._changed(piece)
        return answers

    def _relay(self, common: bytes, own: Sequence[bytes]) -> list[bytes]:
        """Carries the messages of :class:`credence.rows.RowsInPieces`; it has no empty pieces."""
        messages = dict(zip(self._filled, own))
        extra = [(messages.get(i, b""), self._tags.get(i, b"")) for i in range(self.engine.pieces)]
        replies = self._ask("piece", [common], self._places, extra)
        for piece in self._filled:
            checksum = replies[piece][2]
            if self._prints.setdefault(piece, checksum) != checksum:
                raise self._changed(piece)
        return [replies[piece][1] for piece in self._filled]

    def _tag(self, tags: Sequence[bytes]) -> None:
        self._tags = dict(zip(self._filled, tags))

    @property
    def pieces(self) -> RowsInPieces:
        """The rows as the engine drives them, for work on parts of them."""
        return RowsInPieces(
            len(self._filled),
            self._relay,
            self._tag,
            class_names=self.layout.class_names,
            facts=self.facts,
            facts_of=self.facts_of,
            joined_by="id" if self.layout.id else "row",
        )

    def refuse_long_lists(self, what: str, verb: str) -> None:
        if self.rows * _LISTED_BYTES[verb] > MOST_LISTED_BYTES:
            raise CredenceError(
                "usage",
                f"{what} lists every row, {_LISTED_BYTES[verb]} bytes each, which the driver would "
                f"hold for {self.rows} rows",
                "fit it to a sample of the rows, or use a method that needs sums alone",
            )

    def fit(self, methods: Sequence[str], options: Mapping[str, Any]) -> dict[str, Calibrator]:
        """Every method, all in the same passes, but for those that are many fits themselves."""
        automatic = [method for method in methods if _core.is_automatic(method)]
        found = self._solved([method for method in methods if method not in automatic], options)
        if automatic:
            fitted = self.pieces.fit(automatic, input=self.layout.input, **options)
            found.update(zip(automatic, fitted))
        return {name: found[name] for name in methods}

    def _solved(self, methods: Sequence[str], options: Mapping[str, Any]) -> dict[str, Calibrator]:
        solvers = {
            method: Solver(
                method,
                rows=self.rows,
                classes=self.classes,
                input=self.layout.input,
                evidence=str(self.about["evidence"]),
                class_names=self.layout.class_names,
                **options,
            )
            for method in methods
        }
        while True:
            asked = {name: request for name, one in solvers.items() if (request := one.next())}
            if not asked:
                break
            for name, request in asked.items():
                if _core.lists_rows(request):
                    self.refuse_long_lists(f"method '{name}'", "fit")
            replies = [unpack(reply) for reply in self.work("fit", list(asked.values()))]
            for i, name in enumerate(asked):
                solvers[name].tell(merge_states(reply[i] for reply in replies))
        return {
            name: Calibrator(_core.described(solver.result()._core, self.facts, self.layout.input))
            for name, solver in solvers.items()
        }

    def evaluate(
        self,
        calibrator: Calibrator | None,
        metrics: Sequence[int],
        list_rows: bool | None,
        bootstrap: Mapping[str, Any] | None = None,
    ) -> Metrics:
        """The metrics that :func:`credence.evaluate` gives, with intervals where resamples are
        asked for.
        """
        if list_rows is None:
            list_rows = self.rows * _LISTED_BYTES["evaluate"] <= MOST_LISTED_BYTES
        elif list_rows:
            self.refuse_long_lists("list_rows=True", "evaluate")
        told = {
            "metrics": list(metrics),
            "list_rows": list_rows,
            "bootstrap": dict(bootstrap or {}),
            "all_rows": self.rows,
        }
        options = json.dumps(told).encode()
        model = b"" if calibrator is None else calibrator.to_json().encode()
        sums = merge_sums(self.work("scores", [model, options]))
        return Metrics(sums, resampling(**(bootstrap or {})))

    def compare(self, options: Mapping[str, Any], progress: Progress | None) -> Comparison:
        """As :func:`credence.compare`, without what needs single rows at the driver."""
        most = 2 * MOST_LISTED_BYTES
        kind = self.layout.input
        return self.pieces.compare(input=kind, memory=most, progress=progress, **options)


class DistributedRows:
    """What users hold of rows that lie elsewhere, to be used several times."""

    distributed: Distributed

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.distributed.rows

    @property
    def fingerprint(self) -> str:
        """Hash of the data, which a calibrator fitted to them records."""
        return str(self.distributed.about["fingerprint"])

    def close(self) -> None:
        """Free what the workers hold."""

    def __enter__(self: _Held) -> _Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        all_rows = self.distributed
        shown = f"rows={self.rows}, classes={all_rows.classes}, input={all_rows.layout.input!r}"
        return f"Rows({shown}, partitions={all_rows.engine.pieces})"


_Held = TypeVar("_Held", bound=DistributedRows)


@contextlib.contextmanager
def prepared(kind: Callable[..., _Held], rows: Any, columns: Mapping[str, Any]) -> Iterator[_Held]:
    """Rows as they were given, or made of a data frame for this use."""
    if not isinstance(rows, DistributedRows):
        with kind(rows, **columns) as made:
            yield made
        return
    if columns:
        raise CredenceError(
            "usage",
            f"Rows say all about their data, and more is given: {', '.join(columns)}",
            "give it when making the Rows",
        )
    yield rows  # type: ignore[misc]


def _taken(keywords: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: keywords.pop(name) for name in names if name in keywords}


def fit_prepared(
    kind: Callable[..., _Held], rows: Any, method: str | Sequence[str], keywords: dict[str, Any]
) -> Calibrator | dict[str, Calibrator]:
    """One method, or several by name; ``keywords`` are options and columns."""
    options = _taken(keywords, FIT_OPTIONS)
    names = [method] if isinstance(method, str) else list(method)
    with prepared(kind, rows, keywords) as given:
        found = given.distributed.fit(names, options)
    return found[method] if isinstance(method, str) else found


def evaluate_prepared(
    kind: Callable[..., _Held], rows: Any, calibrator: Calibrator | None, keywords: dict[str, Any]
) -> Metrics:
    usual = _core.MetricOptions()
    metrics = {
        "bins": usual.bins,
        "entropy_bins": usual.entropy_bins,
        "draws": usual.draws,
        "draw_seed": usual.seed,
    }
    metrics.update(_taken(keywords, tuple(metrics)))
    list_rows = keywords.pop("list_rows", None)
    resampled = _core.BootstrapOptions()
    bootstrap = {"resamples": 0, "seed": resampled.seed, "level": resampled.level}
    bootstrap.update(_taken(keywords, tuple(bootstrap)))
    with prepared(kind, rows, keywords) as given:
        return given.distributed.evaluate(
            calibrator, list(metrics.values()), list_rows, bootstrap
        )


def compare_prepared(
    kind: Callable[..., _Held], rows: Any, keywords: dict[str, Any], progress: Progress | None
) -> Comparison:
    options = _taken(keywords, COMPARE_OPTIONS)
    with prepared(kind, rows, keywords) as given:
        return given.distributed.compare(options, progress)
