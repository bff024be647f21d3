"""Hugging Face datasets as input, by the rules for JSON lines: their list columns are the same.

Nothing here imports ``datasets``; what is given is recognised by its type, and its rows are read
through Arrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._errors import CredenceError

_SCORES = {
    "logits": ("logits", "scores"),
    "log_probs": ("log_probs", "logprobs"),
    "probs": ("probs", "probabilities", "label_dist"),
}
# Numbers in a list are counts in the first, and labels in the second.
_COUNTS = ("label_counter", "label_count", "label_counts", "vote_counts", "votes", "counts",
           "label_dist", "distribution", "soft_label")
_LABEL_LISTS = ("annotations", "labels", "annotator_labels", "answers")
_LABELS = ("label", "voted_label", "majority_label", "labels", "answer", "class", "category",
           "target")
_IDS = ("uid", "id", "example_id", "guid", "item_id", "task_id", "image_id", "question_id",
        "sample_id", "instance_id", "example", "item", "task", "image", "sample", "instance",
        "filename", "file_name", "file", "path", "name", "key", "example_index")


class Found(NamedTuple):
    """What stands in a dataset: an array or named columns, ids and class names where known."""

    values: Any
    ids: list[str]
    classes: list[str]


def _type(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__.partition(".")[0] == "datasets" else ""


def is_dataset(value: Any) -> bool:
    """Whether it is a table of Hugging Face; a streaming one, or several in one, is refused."""
    name = _type(value)
    if name in ("IterableDataset", "IterableDatasetDict"):
        raise CredenceError(
            "usage",
            "a streaming dataset can be read once, row by row; fitting needs all rows at hand",
            "load it without streaming=True, or keep a part: "
            "datasets.Dataset.from_list(list(stream.take(5000)))",
        )
    if name == "DatasetDict":
        raise CredenceError(
            "usage",
            f"several datasets in one: {', '.join(map(str, value))}",
            f'choose one: data["{next(iter(value), "test")}"]',
        )
    return name == "Dataset"


def is_column(value: Any) -> bool:
    """What ``dataset["name"]`` gives: a sequence that is read when it is asked for."""
    return _type(value) == "Column"


def has_votes(dataset: Any, field: str) -> bool:
    known = (*_COUNTS, *_LABEL_LISTS)
    return bool(field) or any(_is_list(dataset, name) for name in known)


def _table(dataset: Any, name: str) -> Any:
    """One column as Arrow has it, in the order of the rows."""
    column = dataset.select_columns([name]).with_format("arrow")[:][name]
    return column.combine_chunks()


def _arrow_type(dataset: Any, name: str) -> Any:
    return dataset.features.arrow_schema.field(name).type


def _is_list(dataset: Any, name: str) -> bool:
    if name not in dataset.column_names:
        return False
    kind = str(_arrow_type(dataset, name))
    return kind.startswith(("list", "large_list", "fixed_size_list", "struct"))


def _choose(dataset: Any, field: str, known: Iterable[str], what: str) -> str | None:
    if field:
        if field not in dataset.column_names:
            raise CredenceError(
                "data",
                f"the dataset has no column '{field}'",
                f"it has {', '.join(dataset.column_names)}; {what}= names one of them",
            )
        return field
    return next((name for name in known if _is_list(dataset, name)), None)


def _ids(dataset: Any, field: str) -> list[str]:
    names = (field,) if field else _IDS
    found = next((name for name in names if name in dataset.column_names), None)
    if found is None:
        if field:
            _choose(dataset, field, (), "id_field")
        return []
    kind = str(_arrow_type(dataset, found))
    if kind not in ("string", "large_string") and not kind.startswith(("int", "uint")):
        return []
    return [str(value) for value in _table(dataset, found).to_pylist()]


def _rectangle(dataset: Any, name: str) -> npt.NDArray[Any]:
    """A column of lists of equal length as an array; a row that differs is named."""
    lists = _table(dataset, name)
    lengths = np.array([-1 if row is None else len(row) for row in lists.to_pylist()]
                       if lists.null_count else lists.value_lengths().to_numpy())
    if not len(lengths):
        raise CredenceError("data", f"column '{name}' of the dataset has no rows")
    other = np.flatnonzero(lengths != lengths[0])
    if lengths[0] < 0 or len(other):
        row = 0 if lengths[0] < 0 else int(other[0])
        has = "nothing" if lengths[row] < 0 else f"{lengths[row]} numbers"
        raise CredenceError(
            "data",
            f"row {row} of column '{name}' has {has}, row {0 if row else 1} has "
            f"{lengths[0 if row else min(1, len(lengths) - 1)]}",
            "each row needs one number per class",
        )
    numbers = lists.flatten()
    if numbers.null_count:
        row = numbers.is_null().to_numpy(zero_copy_only=False).argmax() // max(1, lengths[0])
        raise CredenceError("data", f"row {row} of column '{name}' has a missing number")
    array: npt.NDArray[Any] = np.asarray(numbers.to_numpy(zero_copy_only=False))
    if array.dtype.kind not in "biuf":
        raise CredenceError("data", f"column '{name}' holds {array.dtype}, not numbers")
    return array.reshape(len(lengths), int(lengths[0]))


def _class_names(feature: Any) -> list[str]:
    """The names of a ClassLabel, alone or inside a list."""
    while feature is not None and not hasattr(feature, "names"):
        feature = getattr(feature, "feature", feature[0] if isinstance(feature, list) else None)
    return [] if feature is None else [str(name) for name in feature.names]


def scores_of(dataset: Any, kind: str, field: str, id_field: str) -> Found:
    name = _choose(dataset, field, _SCORES.get(kind, ()), "scores_field")
    if name is None:
        raise CredenceError(
            "data",
            f"the dataset has no column of lists named {' or '.join(_SCORES.get(kind, ()))}; "
            f"it has {', '.join(dataset.column_names)}",
            "name the column of scores with scores_field=",
        )
    return Found(_rectangle(dataset, name), _ids(dataset, id_field), [])


def votes_of(dataset: Any, field: str, id_field: str) -> Found:
    name = _choose(dataset, field, (*_COUNTS, *_LABEL_LISTS), "votes_field")
    ids = _ids(dataset, id_field)
    if name is None:  # a long or wide table
        return Found(dataset.with_format("arrow")[:], [], [])
    kind = str(_arrow_type(dataset, name))
    if kind.startswith("struct"):
        return _counts_by_name(dataset, name, ids)
    classes = _class_names(dataset.features[name])
    inner = str(_arrow_type(dataset, name).value_type) if "list" in kind else ""
    if not inner:
        return Found(dataset.with_format("arrow")[:], [], [])
    if classes or inner in ("string", "large_string") or name in _LABEL_LISTS:
        return _label_lists(dataset, name, ids, classes, id_field or "example_id")
    return Found(_rectangle(dataset, name), ids, [])


def _counts_by_name(dataset: Any, name: str, ids: list[str]) -> Found:
    """{"cat": 6, "dog": 4}: a class that a row does not mention has no votes there."""
    rows = _table(dataset, name).to_pylist()
    classes = [field.name for field in _arrow_type(dataset, name)]
    counts = [[(row or {}).get(key) or 0 for key in classes] for row in rows]
    return Found(np.array(counts, dtype=np.float64), ids, classes)


def _label_lists(
    dataset: Any, name: str, ids: list[str], classes: list[str], id_name: str
) -> Found:
    """Lists of what the annotators said become one line per annotation."""
    example, annotator, label = [], [], []
    for row, said in enumerate(_table(dataset, name).to_pylist()):
        for number, value in enumerate(said or ()):
            if value is None or (classes and value == -1):  # a blank, as ClassLabel writes it
                continue
            example.append(ids[row] if ids else str(row))
            annotator.append(str(number))
            label.append(classes[value] if classes else str(value))
    columns = [(id_name, example), ("annotator", annotator), ("label", label)]
    return Found(columns, [], classes)


def labels_of(dataset: Any, field: str, id_field: str) -> Found:
    """One majority label per example."""
    names = (field,) if field else _LABELS
    name = next((name for name in names if name in dataset.column_names), None)
    if name is None or _is_list(dataset, name):
        raise CredenceError(
            "data",
            "the dataset has no column of single labels",
            f"it has {', '.join(dataset.column_names)}; give labels=dataset[NAME]",
        )
    classes = _class_names(dataset.features[name])
    values = _table(dataset, name).to_pylist()
    label = [None if value is None else classes[value] if classes else str(value)
             for value in values]
    ids = _ids(dataset, id_field)
    columns = [(id_field or "id", ids)] if ids else []
    return Found([*columns, ("label", label)], [], classes)
