"""Columns of an Arrow table as the arrays that the engine takes, without a loop over rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._data import score_kind
from ._errors import CredenceError

if TYPE_CHECKING:
    import pyarrow as pa

Array = npt.NDArray[Any]
#: One column, or several.
Columns = Union[str, Sequence[str]]

#: How votes may lie in columns.
FORMS = ("counts", "labels", "map")


@dataclass(frozen=True)
class Layout:
    """Which columns hold what. ``form`` is one of :data:`FORMS`, or "" to go by their type."""

    input: str
    scores: tuple[str, ...]
    votes: tuple[str, ...]
    form: str = ""
    labels_only: bool = False
    class_names: tuple[str, ...] = ()
    id: str = ""

    @property
    def columns(self) -> list[str]:
        """All that is read, each once."""
        wanted = [*self.scores, *self.votes, *([self.id] if self.id else [])]
        return list(dict.fromkeys(wanted))


def column_names(columns: Columns | None) -> tuple[str, ...]:
    if columns is None:
        return ()
    return (columns,) if isinstance(columns, str) else tuple(columns)


def check_columns(there: Sequence[str], wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in there:
            raise CredenceError(
                "data",
                f"the data frame has no column '{name}'",
                f"its columns are {', '.join(map(str, there))}",
            )


def layout_of(
    there: Sequence[str],
    *,
    scores: Columns,
    votes: Columns | None = None,
    labels: str | None = None,
    input: str | None = None,
    id: str | None = None,
    classes: Sequence[str] | None = None,
    votes_format: str = "",
) -> Layout:
    """What the user says about the columns that are there."""
    if votes is not None and labels is not None:
        raise CredenceError(
            "usage", "votes and majority labels are both given", "give votes or labels="
        )
    if votes_format not in ("", *FORMS):
        raise CredenceError(
            "usage", f"votes_format is '{votes_format}'", f"wanted one of {', '.join(FORMS)}"
        )
    layout = Layout(
        input=score_kind(input),
        scores=column_names(scores),
        votes=column_names(votes if labels is None else labels),
        form=votes_format,
        labels_only=labels is not None,
        class_names=tuple(str(name) for name in classes or ()),
        id=id or "",
    )
    check_columns(there, layout.columns)
    return layout


def _refuse(message: str, hint: str = "") -> CredenceError:
    return CredenceError("data", message, hint)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _first_null(array: pa.Array) -> int:
    return int(np.flatnonzero(np.asarray(array.is_null()))[0])


class _Reader:
    """Some rows of a table; errors name the column and the row among all."""

    def __init__(self, table: pa.Table, layout: Layout, first_row: int) -> None:
        self.table = table
        self.layout = layout
        self.first_row = first_row

    def where(self, name: str, row: int) -> str:
        return f"column '{name}', row {self.first_row + int(row)}"

    def column(self, name: str) -> pa.Array:
        if name not in self.table.column_names:
            known = ", ".join(self.table.column_names)
            raise _refuse(f"there is no column '{name}'", f"the columns are {known}")
        return _whole(self.table.column(name))

    def full(self, name: str) -> pa.Array:
        """A column in which nothing is missing."""
        array = self.column(name)
        if array.null_count:
            found = self.where(name, _first_null(array))
            raise _refuse(f"{found} is null", "leave such rows out, or fill them in")
        return array

    def numbers(self, array: pa.Array, name: str) -> Array:
        """The numbers of a column, or in the lists of a column."""
        import pyarrow as pa

        kind = array.type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            raise _refuse(f"column '{name}' holds {kind}", "numbers are wanted there")
        return np.ascontiguousarray(array.to_numpy(zero_copy_only=False))

    def lengths(self, array: pa.Array) -> Array:
        import pyarrow as pa

        if pa.types.is_fixed_size_list(array.type):
            return np.full(len(array), array.type.list_size)
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        return np.diff(offsets)

    def inside(self, array: pa.Array, name: str, lengths: Array) -> pa.Array:
        """What the lists hold, in which nothing is missing."""
        values = array.flatten()
        if values.null_count:
            row = int(np.searchsorted(np.cumsum(lengths), _first_null(values), side="right"))
            raise _refuse(f"{self.where(name, row)}: a value in the list is null")
        return values

    def square(self, name: str, what: str) -> Array:
        """A column of lists of one length as a matrix."""
        array = self.full(name)
        lengths = self.lengths(array)
        width = int(lengths[0]) if len(lengths) else 0
        odd = np.flatnonzero(lengths != width)
        if len(odd):
            row = int(odd[0])
            raise _refuse(
                f"{self.where(name, row)}: {lengths[row]} {what}, and {width} in the row before",
                "every row needs one for each class",
            )
        values = self.numbers(self.inside(array, name, lengths), name)
        return values.reshape(len(array), width)

    def beside(self, names: Sequence[str]) -> Array:
        """Columns of numbers as a matrix."""
        return np.column_stack([self.numbers(self.full(name), name) for name in names])

    def scores(self) -> Array:
        import pyarrow as pa

        names = self.layout.scores
        if len(names) > 1:
            return self.beside(names)
        kind = self.column(names[0]).type
        if not _is_list(kind):
            wanted = "a list of numbers, or one column per class"
            raise _refuse(f"column '{names[0]}' holds {kind}", f"scores are {wanted}")
        if pa.types.is_map(kind):
            raise _refuse(f"column '{names[0]}' holds {kind}", "scores are lists of numbers")
        return self.square(names[0], "scores")

    def codes(self, labels: pa.Array, name: str, classes: int, rows: Array) -> Array:
        """Labels as numbers of classes; a missing one is -1. ``rows`` says whose they are."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(labels.type):
            labels = labels.dictionary_decode()
        if pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type):
            names = self.layout.class_names
            if not names:
                raise _refuse(
                    f"column '{name}' holds labels as text, and the classes are not named",
                    "name the classes in the order of the scores with classes=[...]",
                )
            codes = pc.index_in(labels, value_set=pa.array(names, labels.type))
            unknown = np.asarray(codes.is_null()) & ~np.asarray(labels.is_null())
            if unknown.any():
                place = int(np.flatnonzero(unknown)[0])
                label = labels[place].as_py()
                raise _refuse(
                    f"{self.where(name, rows[place])}: '{label}' is none of the {len(names)} "
                    "classes",
                    "classes= must name every label",
                )
            return np.asarray(codes.fill_null(-1), dtype=np.int64)
        if not pa.types.is_integer(labels.type):
            raise _refuse(f"column '{name}' holds {labels.type}", "labels are text or integers")
        found = np.asarray(labels.fill_null(-1), dtype=np.int64)
        odd = np.flatnonzero((found >= classes) | (found < -1))
        if len(odd):
            where = self.where(name, rows[odd[0]])
            raise _refuse(
                f"{where}: label {found[odd[0]]}, and there are {classes} classes",
                "labels are numbered from 0; -1 or null is no answer",
            )
        return found

    def gathered(self, rows: Array, codes: Array, weights: Array | None, classes: int) -> Rows:
        """Answers, added up for each row and class."""
        given = codes >= 0
        place = rows[given] * classes + codes[given]
        distinct, entry = np.unique(place, return_inverse=True)
        added = np.bincount(entry, None if weights is None else weights[given], len(distinct))
        if weights is not None:
            distinct, added = distinct[added != 0], added[added != 0]
        counts = np.bincount(distinct // classes, minlength=self.table.num_rows)
        empty = np.flatnonzero(counts == 0)
        if len(empty):
            where = self.where(self.layout.votes[0], int(empty[0]))
            raise _refuse(f"{where} has no votes", "leave out rows without votes")
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Rows(
            offsets=offsets,
            classes=(distinct % classes).astype(np.uint32),
            weights=added.astype(np.float64),
        )

    def answers(self, classes: int) -> Rows:
        """Labels: lists of them, or a column for each annotator."""
        rows, codes = [], []
        for name in self.layout.votes:
            array = self.column(name)
            if _is_list(array.type):
                array = self.full(name)
                lengths = self.lengths(array)
                labels = _labels(array.flatten())
                rows.append(np.repeat(np.arange(len(array)), lengths))
            else:
                labels = array
                rows.append(np.arange(len(array)))
            codes.append(self.codes(labels, name, classes, rows[-1]))
        return self.gathered(np.concatenate(rows), np.concatenate(codes), None, classes)

    def mapped(self, name: str, classes: int) -> Rows:
        """Maps from a class to the number of its votes."""
        array = self.full(name)
        lengths = self.lengths(array)
        first = array.offsets[0].as_py() if len(array) else 0
        keys, counts = (part.slice(first, lengths.sum()) for part in (array.keys, array.items))
        rows = np.repeat(np.arange(len(array)), lengths)
        codes = self.codes(keys, name, classes, rows)
        weights = self.numbers(counts, name).astype(np.float64)
        bad = np.flatnonzero(~(weights >= 0) | ~np.isfinite(weights))
        if len(bad):
            where = self.where(name, rows[bad[0]])
            raise _refuse(f"{where}: {weights[bad[0]]} votes", "counts are numbers of 0 or more")
        return self.gathered(rows, codes, weights, classes)

    def votes(self, classes: int) -> Rows:
        names = self.layout.votes
        form = self.layout.form or self.form()
        if self.layout.labels_only:
            labels = self.full(names[0])
            codes = self.codes(labels, names[0], classes, np.arange(len(labels)))
            odd = np.flatnonzero(codes < 0)
            if len(odd):
                raise _refuse(f"{self.where(names[0], int(odd[0]))} has no label")
            return Rows(classes=codes.astype(np.uint32))
        if form == "map":
            return self.mapped(names[0], classes)
        if form == "labels":
            return self.answers(classes)
        counts = self.beside(names) if len(names) > 1 else self.square(names[0], "counts")
        if counts.shape[1] != classes:
            raise _refuse(
                f"{self.where(names[0], 0)}: counts for {counts.shape[1]} classes, scores for "
                f"{classes}",
                "say votes_format='labels' where the lists hold labels",
            )
        return Rows(counts=counts)

    def form(self) -> str:
        """What the type of the first column says; lists of numbers are counts."""
        import pyarrow as pa

        kind = self.column(self.layout.votes[0]).type
        if pa.types.is_map(kind):
            return "map"
        if _is_list(kind):
            inside = kind.value_type
            is_number = pa.types.is_integer(inside) or pa.types.is_floating(inside)
            return "counts" if is_number else "labels"
        many = len(self.layout.votes) > 1
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        return "counts" if many and is_number else "labels"


@dataclass(frozen=True)
class Rows:
    """Votes in one of the ways that the engine takes them."""

    counts: Array | None = None
    offsets: Array | None = None
    classes: Array | None = None
    weights: Array | None = None


def _is_list(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
        or types.is_map(kind)
    )


def _labels(values: pa.Array) -> pa.Array:
    """The labels in lists of labels, or of structs that name the annotator as well."""
    import pyarrow as pa

    if not pa.types.is_struct(values.type):
        return values
    names = [field.name for field in values.type]
    found = [name for name in ("label", "answer", "class", "value") if name in names]
    if not found:
        raise _refuse(
            f"lists of structs with the fields {', '.join(names)}",
            "the label is looked for in a field 'label'",
        )
    return values.flatten()[names.index(found[0])]


def inputs_of(table: pa.Table, layout: Layout, first_row: int) -> _core.Inputs:
    """The rows of a table as the engine takes them; the first is number ``first_row`` of all."""
    read = _Reader(table, layout, first_row)
    scores = read.scores()
    votes = read.votes(scores.shape[1]) if layout.votes else Rows()
    ids: list[str] = []
    if layout.id:
        ids = [str(value) for value in read.full(layout.id).to_pylist()]
    return _core.inputs_of_rows(
        layout.input,
        scores,
        votes.counts,
        votes.offsets,
        votes.classes,
        votes.weights,
        layout.labels_only,
        list(layout.class_names),
        ids,
        first_row,
    )


def scores_of(table: pa.Table, layout: Layout, first_row: int = 0) -> Array:
    """The scores alone."""
    return _Reader(table, layout, first_row).scores()
