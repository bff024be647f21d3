"""Frames of pandas, polars and pyarrow go through the rules that files go through."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import credence

pandas = pytest.importorskip("pandas")


def as_pandas(frame: Any) -> Any:
    return frame


def as_pyarrow(frame: Any) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)


def as_polars(frame: Any) -> Any:
    polars = pytest.importorskip("polars")
    plain = frame.astype(object).where(frame.notna(), None)
    return polars.DataFrame({name: plain[name].tolist() for name in frame.columns})


def as_chunks(frame: Any) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    table = as_pyarrow(frame)
    half = table.num_rows // 2
    return pyarrow.concat_tables([table.slice(0, half), table.slice(half)])


class WithoutArrow:
    """A data frame where pyarrow is not installed."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns = frame.columns
        self.index = frame.index

    def __getitem__(self, name: str) -> Any:
        return self._frame[name]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        raise ImportError("no pyarrow here")


FORMS: list[Callable[[Any], Any]] = [as_pandas, as_pyarrow, as_polars, as_chunks, WithoutArrow]


@pytest.fixture(scope="module")
def answers() -> Any:
    """Long table: 60 tasks, 3 workers each, three classes; names that sort otherwise than met."""
    rng = np.random.default_rng(0)
    lines = [
        (f"t{task}", f"w{worker}", ["lynx", "cat", "dog"][rng.integers(3)])
        for task in range(60)
        for worker in range(3)
    ]
    return pandas.DataFrame(lines, columns=["task", "worker", "label"])


@pytest.fixture(scope="module")
def scores() -> Any:
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame(rng.normal(size=(60, 3)), columns=["cat", "dog", "lynx"])
    frame.insert(0, "id", [f"t{task}" for task in reversed(range(60))])
    return frame


def through_files(folder: Path, scores: Any, votes: Any, **options: Any) -> str:
    scores.to_csv(folder / "scores.csv", index=False)
    votes.to_csv(folder / "votes.csv", index=False)
    return credence.fit(
        "slts", folder / "scores.csv", folder / "votes.csv", input="logits", **options
    ).to_json()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "names",
    [("task", "worker", "label"), ("task", "annotator", "label"), ("item_id", "rater", "answer")],
)
def test_long_frames_are_joined_by_id_as_files_are(
    form: Any, names: tuple[str, ...], scores: Any, answers: Any, tmp_path: Path
) -> None:
    votes = answers.set_axis(list(names), axis=1)
    ours = credence.fit("slts", form(scores), form(votes), input="logits")
    assert ours.to_json() == through_files(tmp_path, scores, votes)
    assert list(ours.classes_) == ["cat", "dog", "lynx"]


@pytest.mark.parametrize("form", FORMS)
def test_cifar10h_columns_drop_attention_checks(
    form: Any, scores: Any, answers: Any, tmp_path: Path
) -> None:
    names = ["cat", "dog", "lynx"]
    votes = pandas.DataFrame(
        {
            "annotator_id": answers["worker"].str.slice(1).astype(int),
            "cifar10_test_test_idx": answers["task"].str.slice(1).astype(int),
            "chosen_label": answers["label"].map(names.index),
            "chosen_category": answers["label"],
        }
    )
    check = pandas.DataFrame(
        [[0, -99999, 1, "dog"]], columns=["annotator_id", "cifar10_test_test_idx", "chosen_label",
                                          "chosen_category"]
    )
    votes = pandas.concat([votes, check], ignore_index=True)
    plain = scores.iloc[::-1].reset_index(drop=True)[names]
    ours = credence.fit("slts", form(plain), form(votes), input="logits")
    assert any("attention check" in note for note in ours.report_["notes"])
    assert ours.to_json() == through_files(tmp_path, plain, votes)


@pytest.mark.parametrize("form", FORMS)
def test_wide_frames_have_a_column_per_annotator_and_gaps(
    form: Any, scores: Any, answers: Any, tmp_path: Path
) -> None:
    wide = answers.pivot(index="task", columns="worker", values="label").reset_index()
    wide = wide.rename(columns={"task": "id"}).rename_axis(None, axis=1)
    wide.loc[3, "w1"] = None
    ours = credence.fit("slts", form(scores), form(wide), input="logits")
    assert ours.to_json() == through_files(tmp_path, scores, wide)
    assert ours.report_["votes_per_example"] == pytest.approx(3 - 1 / 60)


@pytest.mark.parametrize("form", FORMS)
def test_wide_frames_of_numbers_with_nan_are_labels(form: Any, scores: Any) -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(3, size=(60, 4)).astype(float)
    labels[5, 2] = np.nan
    frame = pandas.DataFrame(labels, columns=["a", "b", "c", "d"])
    ours = credence.fit("slts", scores[["cat", "dog", "lynx"]].to_numpy(), form(frame),
                        input="logits")
    assert ours.report_["votes_per_example"] == pytest.approx(4 - 1 / 60)


@pytest.mark.parametrize("form", FORMS)
def test_count_frames_are_matched_by_the_names_of_their_columns(
    form: Any, scores: Any, answers: Any
) -> None:
    counts = pandas.crosstab(answers["task"], answers["label"])
    counts = counts.loc[scores["id"], ["lynx", "dog", "cat"]].reset_index(drop=True)
    counts = counts.rename_axis(None, axis=1)
    plain = scores[["cat", "dog", "lynx"]]
    ours = credence.fit("slts", form(plain), form(counts), input="logits")
    straight = counts[["cat", "dog", "lynx"]].to_numpy()
    wanted = credence.fit("slts", plain.to_numpy(), straight, input="logits")
    assert ours.temperature_ == wanted.temperature_


def test_columns_without_names_are_positions(demo: dict[str, Any]) -> None:
    frames = pandas.DataFrame(demo["logits"]), pandas.DataFrame(demo["votes"])
    ours = credence.fit("slts", *frames, input="logits")
    assert ours == credence.fit("slts", demo["logits"], demo["votes"], input="logits")


def test_a_shuffled_frame_is_not_unshuffled_behind_the_users_back(demo: dict[str, Any]) -> None:
    order = np.random.default_rng(3).permutation(len(demo["votes"]))
    frame = pandas.DataFrame(demo["votes"], columns=demo["classes"]).iloc[order]
    ours = credence.fit("slts", demo["logits"][order], frame, input="logits")
    wanted = credence.fit("slts", demo["logits"][order], demo["votes"][order], input="logits")
    assert ours.temperature_ == wanted.temperature_


def test_categories_and_missing_labels(scores: Any, answers: Any) -> None:
    votes = answers.assign(label=answers["label"].astype("category"))
    assert credence.fit("slts", scores, votes, input="logits") == credence.fit(
        "slts", scores, answers, input="logits"
    )
    votes = answers.copy()
    votes.loc[4, "label"] = None
    with pytest.raises(credence.CredenceError, match="votes: row 4: blank label"):
        credence.fit("slts", scores, votes, input="logits")


def test_columns_that_are_neither_numbers_nor_text_are_refused(scores: Any) -> None:
    votes = pandas.DataFrame({"when": pandas.to_datetime(["2020-01-01"] * 60)})
    pytest.importorskip("pyarrow")
    with pytest.raises(credence.CredenceError, match="column .?when"):
        credence.fit("ts", scores, votes, input="logits")


def test_labels_are_names_or_indices(scores: Any) -> None:
    plain = scores[["cat", "dog", "lynx"]]
    indices = np.arange(60) % 3
    named = [["cat", "dog", "lynx"][k] for k in indices]
    by_index = credence.fit("ts", plain, labels=indices, input="logits")
    assert by_index == credence.fit("ts", plain, labels=named, input="logits")
    assert by_index == credence.fit("ts", plain, labels=pandas.Series(named), input="logits")
    assert by_index.report_["evidence"] == "voted"


def test_ids_of_arrays_join_them(scores: Any) -> None:
    plain = scores[["cat", "dog", "lynx"]].to_numpy()
    votes = np.random.default_rng(4).integers(1, 5, size=(60, 3))
    names = [f"x{i}" for i in range(60)]
    wanted = credence.fit("slts", plain, votes, input="logits")
    turned = credence.fit(
        "slts", plain, votes[::-1], input="logits", ids=names, vote_ids=names[::-1]
    )
    assert turned == wanted
    with pytest.raises(credence.CredenceError, match="59 ids for the 60 rows of votes"):
        credence.fit("slts", plain, votes, input="logits", ids=names, vote_ids=names[1:])


def test_groups_are_kept_whole(demo: dict[str, Any]) -> None:
    groups = np.arange(800) // 8
    found = credence.compare(
        demo["logits"], demo["votes"], input="logits", groups=groups, methods=["slts"],
        resamples=20,
    )
    named = credence.compare(
        demo["logits"], demo["votes"], input="logits", groups=[f"p{g}" for g in groups],
        methods=["slts"], resamples=20,
    )
    assert found.to_json() == named.to_json()
    rows = found._core.text("calibration_rows.txt").split()
    assert len(rows) % 8 == 0
