"""What users have (paths, arrays, tensors, data frames) handed to the engine as it is."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Callable, TypedDict, TypeVar, Union, cast

import numpy as np
import numpy.typing as npt

from . import _core, _datasets
from ._errors import CredenceError
from ._tables import Tables

if TYPE_CHECKING:
    from typing_extensions import Unpack

PathLike = Union[str, "os.PathLike[str]"]
Names = Union[str, Sequence[str], None]
_Function = TypeVar("_Function", bound=Callable[..., Any])

_core.set_tables(Tables())


class About(TypedDict, total=False):
    """The keywords about scores and votes that every function takes which reads them."""

    classes: Names
    score_classes: Names
    vote_classes: Names
    ids: Iterable[Any] | None
    vote_ids: Iterable[Any] | None
    groups: Any
    id_field: str
    votes_field: str
    votes_format: str
    drop_labels: Names
    scores_field: str
    rows: Any
    skip_rows: Any
    allow_unmatched: bool
    assume_order: bool


_NO_INPUT = (
    "nothing says what the scores are",
    'add input="logits", input="log_probs" or input="probs": guessing from the numbers would be '
    "wrong now and then, and nobody would notice",
)


def seed_list(seeds: Any) -> list[int]:
    return [seeds] if np.ndim(seeds) == 0 else list(seeds)


def score_kind(value: str | None) -> str:
    if value is None:
        raise CredenceError("usage", *_NO_INPUT)
    return str(value)


def names(value: Names) -> list[str]:
    """Class names: a list, or as on the command line "a,b,c" or a file."""
    if value is None:
        return []
    if isinstance(value, str):
        return _core.read_class_list(value)
    return [str(name) for name in value]


def labels_of(value: Names) -> list[str]:
    """Labels: a list, or as on the command line "a,b"."""
    if value is None:
        return []
    if isinstance(value, str):
        return [label.strip() for label in value.split(",")]
    return [str(label) for label in value]


def row_list(value: Any) -> list[int] | None:
    """Row numbers: a list or array, or a file that lists them."""
    if value is None:
        return None
    if isinstance(value, (str, os.PathLike)):
        return _core.read_row_list(os.fspath(value))
    array = np.asarray(value)
    if array.dtype == bool:
        raise CredenceError(
            "usage", "a boolean mask; row numbers are wanted", "give numpy.flatnonzero(mask)"
        )
    return [int(row) for row in array]


def _texts(values: Iterable[Any] | None) -> list[str]:
    return [] if values is None else [str(value) for value in values]


def _is_missing(value: Any) -> bool:
    return value is None or value != value


def _text_column(values: Iterable[Any]) -> list[str | None]:
    return [None if _is_missing(value) else str(value) for value in values]


def _column(values: Any) -> Any:
    """A column as the engine takes it: an array of numbers or a list of texts."""
    array = np.asarray(values)
    return np.ascontiguousarray(array) if array.dtype.kind in "biuf" else _text_column(array)


def _from_frame(frame: Any, ids: list[str]) -> _core.Data:
    """A pandas data frame where pyarrow is missing."""
    columns = [(str(name), _column(frame[name])) for name in frame.columns]
    if frame.index.name is not None:
        columns.insert(0, (str(frame.index.name), _column(frame.index)))
    return _core.Data.columns(columns, ids)


def _from_array(array: Any, name: str, ids: list[str]) -> _core.Data:
    if array.dtype.kind not in "biuf":
        if array.ndim == 1:
            return _core.Data.columns([(name, _text_column(array))], ids)
        if array.ndim == 2 and array.dtype.kind in "OUS":
            columns = [(f"annotator_{c}", _text_column(array[:, c])) for c in range(array.shape[1])]
            return _core.Data.columns(columns, ids)
        raise CredenceError("data", f"{name}: an array of type {array.dtype} cannot be read")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return _core.Data.array(array, ids)


def data(value: Any, name: str, ids: Iterable[Any] | None = None) -> _core.Data:
    """``value`` as the engine reads it: nothing is copied that need not be.

    ``name`` is the name of a lone column of text ("label").
    """
    given_ids = _texts(ids)
    if type(value) is np.ndarray:  # the short way for small arrays
        return _from_array(value, name, given_ids)
    if _datasets.is_column(value):
        value = value[:]
    if isinstance(value, (str, os.PathLike)):
        if given_ids:
            raise CredenceError("usage", "ids are given for a file", "files bring their own ids")
        return _core.Data.path(os.fspath(value))
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # a tensor
        return _core.Data.array(value.detach().cpu(), given_ids)
    if hasattr(value, "columns") and hasattr(value, "__arrow_c_stream__"):
        try:
            return _core.Data.arrow(value.__arrow_c_stream__(), name, given_ids)
        except ImportError:  # pandas wants pyarrow for it
            return _from_frame(value, given_ids)
    if hasattr(value, "__arrow_c_stream__") and hasattr(value, "schema"):
        return _core.Data.arrow(value.__arrow_c_stream__(), name, given_ids)
    if hasattr(value, "columns") and hasattr(value, "index"):
        return _from_frame(value, given_ids)
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        return _core.Data.array(value, given_ids)
    return _from_array(np.asarray(value), name, given_ids)


def _found_data(found: _datasets.Found, ids: Iterable[Any] | None) -> _core.Data:
    if isinstance(found.values, list):
        return _core.Data.columns(found.values, _texts(ids))
    return data(found.values, "label", ids or found.ids)


def inputs(
    scores: Any,
    votes: Any,
    *,
    input: str | None,
    labels: Any = None,
    classes: Names = None,
    score_classes: Names = None,
    vote_classes: Names = None,
    ids: Iterable[Any] | None = None,
    vote_ids: Iterable[Any] | None = None,
    groups: Any = None,
    id_field: str = "",
    votes_field: str = "",
    votes_format: str = "",
    drop_labels: Names = None,
    scores_field: str = "",
    rows: Any = None,
    skip_rows: Any = None,
    allow_unmatched: bool = False,
    assume_order: bool = False,
    scores_only: bool = False,
) -> _core.Inputs:
    if isinstance(scores, Dataset):
        about = (votes, labels, ids, vote_ids, groups, rows, skip_rows)
        if any(value is not None for value in about) or input not in (None, scores.input):
            raise CredenceError(
                "usage",
                "a Dataset says all about its data, and more is given beside it",
                "give it when making the Dataset",
            )
        return scores._inputs
    kind = score_kind(input)
    if votes is not None and labels is not None:
        raise CredenceError(
            "usage",
            "votes and majority labels are both given",
            "give votes or labels=; majority labels follow from votes",
        )
    if _datasets.is_dataset(scores):
        if votes is None and labels is None and not scores_only:
            votes = scores if _datasets.has_votes(scores, votes_field) else None
        found = _datasets.scores_of(scores, kind, scores_field, id_field)
        scores, ids, scores_field = found.values, ids or found.ids, ""
    given = labels if votes is None else votes
    given_data: _core.Data | None = None
    if given is not None and _datasets.is_dataset(given):
        read = _datasets.labels_of if votes is None else _datasets.votes_of
        found = read(given, votes_field, id_field)
        given_data = _found_data(found, vote_ids)
        if classes is None and vote_classes is None and found.classes:
            vote_classes = found.classes
        votes_field = ""
    elif given is not None:
        given_data = data(given, "label", vote_ids)
    return _core.Inputs.make(
        kind=kind,
        scores=data(scores, "scores", ids),
        votes=given_data,
        labels_only=votes is None and labels is not None,
        groups=None if groups is None else data(groups, "group"),
        classes=names(classes),
        score_classes=names(score_classes),
        vote_classes=names(vote_classes),
        id_field=id_field,
        votes_field=votes_field,
        votes_format=votes_format,
        drop_labels=labels_of(drop_labels),
        scores_field=scores_field,
        rows=row_list(rows),
        skip_rows=row_list(skip_rows),
        allow_unmatched=allow_unmatched,
        assume_order=assume_order,
    )


def takes_data(function: _Function) -> _Function:
    """Shows in the signature, instead of ``**about``, the keywords that :func:`inputs` takes."""
    shown = inspect.signature(function)
    known = inspect.signature(inputs).parameters
    own = [p for p in shown.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    about = [known[name] for name in About.__annotations__ if name not in shown.parameters]
    # After what says what the data are, before the options.
    place = max((i for i, p in enumerate(own) if p.name in ("input", "labels")), default=-1) + 1
    full = shown.replace(parameters=own[:place] + about + own[place:])

    @functools.wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        for name in keywords:
            if name not in full.parameters:
                unknown = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                raise TypeError(unknown)
        return function(*args, **keywords)

    checked.__signature__ = full  # type: ignore[attr-defined]
    return cast(_Function, checked)


class Dataset:
    """Scores and annotations, read, checked and joined once, to be used several times.

    Takes what :func:`fit` takes before its options, and stands wherever ``scores`` do. Arrays are
    borrowed, not copied: do not change them while it is in use. Probabilities are scored as they
    were given.

    >>> import credence
    >>> demo = credence.demo_data(rows=500)
    >>> data = credence.Dataset(demo["logits"], demo["votes"], input="logits")
    >>> data
    Dataset(rows=500, classes=5, input='logits')
    >>> [credence.fit(method, data).temperature_ for method in ("ts", "slts")]
    [2.74..., 5.25...]
    """

    @takes_data
    def __init__(
        self,
        scores: Any,
        votes: Any = None,
        *,
        input: str | None = None,
        labels: Any = None,
        **about: Unpack[About],
    ) -> None:
        self.input = score_kind(input)
        self._inputs = inputs(scores, votes, input=input, labels=labels, **about)
        self._inputs.prepare()

    @property
    def rows(self) -> int:
        """Examples with scores and annotations."""
        return self._inputs.rows

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Names of the classes, or 0 to K-1 when none are known."""
        named = self._inputs.classes
        return np.array(named) if named else np.arange(self._inputs.class_count)

    @property
    def fingerprint(self) -> str:
        """Hash of the data, which a calibrator fitted to them records."""
        return self._inputs.fingerprint

    @property
    def notes(self) -> list[str]:
        """What was taken for granted when reading."""
        return self._inputs.notes

    def __repr__(self) -> str:
        return f"Dataset(rows={self.rows}, classes={len(self.classes_)}, input={self.input!r})"
