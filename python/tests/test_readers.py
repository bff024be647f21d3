"""Files and arrays that are read in a way of their own: one column for two classes, layouts of
annotation tools, labels that are no votes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import credence


def test_one_column_is_the_score_of_the_second_class() -> None:
    rng = np.random.default_rng(3)
    z = rng.normal(0, 2, 80).astype(np.float32)
    votes = rng.multinomial(5, [0.5, 0.5], 80)
    two = np.column_stack([np.zeros_like(z), z])
    expected = credence.fit("slts", two, votes, input="logits")
    for scores in (z, z[:, None], z.astype(float), list(map(float, z))):
        model = credence.fit("slts", scores, votes, input="logits")
        assert model.temperature_ == expected.temperature_
        found = np.float32(model.predict_proba(scores))  # float64 where the scores are
        np.testing.assert_array_equal(found, expected.predict_proba(two))
    p = 1 / (1 + np.exp(-z.astype(float)))
    by_probability = credence.fit("slts", p, votes, input="probs").predict_proba(p)
    # Scores are stored as float32, so that the two differ in its last digits.
    np.testing.assert_allclose(by_probability, expected.predict_proba(two), atol=1e-5)


def test_one_column_for_three_classes_is_refused() -> None:
    with pytest.raises(credence.CredenceError, match="scores for 2 classes") as caught:
        credence.fit("slts", np.zeros(4), np.ones((4, 3)), input="logits")
    assert "one column per class" in str(caught.value)


def test_layouts_are_read_by_path(tmp_path: Path) -> None:
    items = {}
    for i in range(30):
        row = {f"Ann{k}": str((i + k) % 2) for k in range(3)}
        items[f"x{i}"] = {"annotation task": "irony", "annotations": row}
        items[f"x{i}"]["soft_label"] = {"0.0": 0.5, "1.0": 0.5}
    path = tmp_path / "MP_train.json"
    path.write_text(json.dumps(items, indent=1))
    logits = np.linspace(-1, 1, 30)
    data = credence.Dataset(logits, path, input="logits", ids=list(items))
    assert (data.rows, len(data.classes_)) == (30, 2)


def test_labels_that_are_no_votes_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    lines = ["item,rater,label"]
    for i in range(20):
        lines += [f"{i},{who},{'yes' if i % 2 else 'no'}" for who in "ab"] + [f"{i},c,unsure"]
    path.write_text("\n".join(lines) + "\n")
    for dropped in ("unsure,skip", ["unsure"]):
        data = credence.Dataset(np.linspace(-1, 1, 20), path, input="logits", drop_labels=dropped)
        assert list(data.classes_) == ["no", "yes"]


def test_an_array_may_have_a_column_per_annotator() -> None:
    labels = np.array([[0, 1, -1, 1], [1, -1, -1, 0], [0, 0, 0, 1]])
    data = credence.Dataset(np.zeros((3, 2)), labels, input="logits")
    assert data.rows == 3
    with pytest.raises(credence.CredenceError, match="votes_format="):
        credence.Dataset(np.zeros((3, 4)), labels, input="logits")
    assert credence.Dataset(np.zeros((3, 4)), labels, input="logits", votes_format="annotators")
    with pytest.raises(credence.CredenceError, match="it is one of auto"):
        credence.Dataset(np.zeros((3, 4)), labels, input="logits", votes_format="matrix")
