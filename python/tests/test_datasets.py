"""Hugging Face datasets as input give what the arrays inside them give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import credence

datasets = pytest.importorskip("datasets", reason="datasets is not installed")


@pytest.fixture(scope="module")
def lists() -> list[dict[str, Any]]:
    """Logits, and what between three and five annotators said, as lists."""
    demo = credence.demo_data(rows=300, annotators=5)
    rng = np.random.default_rng(1)
    rows = []
    for i, (logits, votes) in enumerate(zip(demo["logits"], demo["votes"])):
        said = np.repeat(np.arange(5), votes.astype(int))
        said = rng.permutation(said)[: 3 + i % 3]
        rows.append({
            "uid": f"picture-{i}",
            "logits": [float(z) for z in logits],
            "counts": [int((said == k).sum()) for k in range(5)],
            "labels": [int(label) for label in said],
        })
    return rows


@pytest.fixture(scope="module")
def wanted(lists: list[dict[str, Any]]) -> Any:
    logits = np.array([row["logits"] for row in lists])
    counts = np.array([row["counts"] for row in lists])
    return credence.fit("dirichlet-soft", logits, counts, input="logits")


def parameters(model: Any) -> Any:
    return [stage["loss"] for stage in model.report_["stages"]], model.predict_proba(
        [[1.0, 0.5, 0, 0, 0]]).tolist()


def test_counts_and_lists_of_labels_are_the_same(lists: Any, wanted: Any) -> None:
    data = datasets.Dataset.from_list(lists)
    counts = credence.fit("dirichlet-soft", data, data, input="logits", votes_field="counts")
    assert parameters(counts) == parameters(wanted)
    labels = credence.fit("dirichlet-soft", data, input="logits", votes_field="labels")
    assert parameters(labels) == parameters(wanted)
    found = credence.fit("dirichlet-soft", data.remove_columns(["labels"]), input="logits")
    assert parameters(found) == parameters(wanted)


def test_lists_of_fixed_length_and_counts_by_name(lists: Any, wanted: Any) -> None:
    five = {"feature": datasets.Value("float32"), "length": 5}
    kinds = datasets.Features({"logits": datasets.Sequence(**five),
                               "counts": datasets.Sequence(**five)})
    data = datasets.Dataset.from_dict(
        {name: [row[name] for row in lists] for name in kinds}, features=kinds
    )
    assert parameters(credence.fit("dirichlet-soft", data, input="logits")) == parameters(wanted)
    names = ["cat", "lynx", "fox", "dog", "wolf"]
    named = datasets.Dataset.from_list([
        {"logits": row["logits"],
         "votes": {name: n for name, n in zip(names, row["counts"]) if n}} for row in lists
    ])
    found = credence.fit("dirichlet-soft", named, input="logits", score_classes=names)
    assert parameters(found) == parameters(wanted)


def test_names_of_class_labels_are_kept(lists: Any, wanted: Any) -> None:
    names = ["cat", "lynx", "fox", "dog", "wolf"]
    data = datasets.Dataset.from_list(lists).remove_columns(["counts"])
    sequence = getattr(datasets, "List", datasets.Sequence)
    data = data.cast_column("labels", sequence(datasets.ClassLabel(names=names)))
    found = credence.fit("dirichlet-soft", data, input="logits")
    assert list(found.classes_) == names
    assert parameters(found) == parameters(wanted)
    text = datasets.Dataset.from_list(
        [{**row, "labels": [names[k] for k in row["labels"]]} for row in lists]
    ).remove_columns(["counts"])
    found = credence.fit("dirichlet-soft", text, input="logits", score_classes=names)
    assert list(found.classes_) == names
    assert parameters(found) == parameters(wanted)


def test_selected_and_shuffled_rows_are_read_as_they_stand(lists: Any) -> None:
    data = datasets.Dataset.from_list(lists).shuffle(seed=3).select(range(100))
    found = credence.Dataset(data, input="logits", votes_field="counts")
    assert found.rows == 100
    logits = np.array(data["logits"][:])
    model = credence.fit("slts", found)
    assert np.array_equal(model.predict_proba(data), model.predict_proba(logits))


def test_votes_elsewhere_are_joined_by_id(lists: Any, wanted: Any) -> None:
    scores = datasets.Dataset.from_list(lists).select_columns(["uid", "logits"])
    votes = datasets.Dataset.from_list(lists[::-1]).select_columns(["uid", "counts"])
    assert parameters(credence.fit("dirichlet-soft", scores, votes, input="logits")) == parameters(
        wanted)
    long = datasets.Dataset.from_list([
        {"task": row["uid"], "worker": f"w{j}", "label": label}
        for row in lists for j, label in enumerate(row["labels"])
    ])
    assert parameters(credence.fit("dirichlet-soft", scores, long, input="logits")) == parameters(
        wanted)


def test_single_labels_and_columns(lists: Any) -> None:
    data = datasets.Dataset.from_list(
        [{**row, "label": int(np.argmax(row["counts"]))} for row in lists]
    ).remove_columns(["labels", "counts"])
    voted = np.array([np.argmax(row["counts"]) for row in lists])
    logits = np.array([row["logits"] for row in lists])
    plain = credence.fit("ts", logits, labels=voted, input="logits")
    assert credence.fit("ts", data, labels=data, input="logits").temperature_ == plain.temperature_
    column = credence.fit("ts", data, labels=data["label"], input="logits")
    assert column.temperature_ == plain.temperature_


def test_what_cannot_be_read_is_refused_in_a_sentence(lists: Any) -> None:
    data = datasets.Dataset.from_list(lists)
    with pytest.raises(credence.CredenceError, match="streaming dataset") as error:
        credence.fit("slts", data.to_iterable_dataset(), input="logits")
    assert "streaming=True" in error.value.hint
    with pytest.raises(credence.CredenceError, match="several datasets in one: test"):
        credence.fit("slts", datasets.DatasetDict({"test": data}), input="logits")
    with pytest.raises(credence.CredenceError, match="no column of lists named probs"):
        credence.fit("slts", data, input="probs")
    with pytest.raises(credence.CredenceError, match="has no column 'vote'") as error:
        credence.fit("slts", data, input="logits", votes_field="vote")
    assert "counts" in error.value.hint
    ragged = datasets.Dataset.from_list([*lists, {**lists[0], "uid": "x", "logits": [1.0, 2.0]}])
    with pytest.raises(credence.CredenceError, match="row 300 of column 'logits' has 2 numbers"):
        credence.fit("slts", ragged, input="logits", votes_field="counts")
    missing = datasets.Dataset.from_list([*lists, {**lists[0], "uid": "x", "logits": None}])
    with pytest.raises(credence.CredenceError, match="row 300 of column 'logits' has nothing"):
        credence.fit("slts", missing, input="logits", votes_field="counts")
