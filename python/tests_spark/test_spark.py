"""What credence.spark does with columns, orders, mistakes and pipelines; a few thousand rows."""

from __future__ import annotations

import hashlib
import json
import sys

import numpy as np
import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.sql import functions as F  # noqa: N812

import credence
import credence.spark
from credence.spark_ml import CalibratorEstimator, CalibratorModel

COLUMNS = {"scores": "logits", "votes": "counts", "input": "logits", "order": "row"}
NAMES = [f"class {k}" for k in range(10)]


@pytest.fixture(scope="module")
def df(spark, small):
    return spark.read.parquet(str(small.folder)).cache()


@pytest.fixture(scope="module")
def model(small):
    return credence.fit("slts", small.logits, small.votes, input="logits")


def refused(*arguments, **columns):
    with pytest.raises(credence.CredenceError) as caught:
        credence.spark.fit(*arguments, **columns)
    return str(caught.value)


def test_metrics_are_those_of_all_rows_in_one_place(df, small, model):
    with credence.spark.Rows(df, **COLUMNS, partitions=3) as rows:
        for calibrator in (None, model):
            whole = credence.evaluate(
                small.logits, small.votes, input="logits", calibrator=calibrator, resamples=100
            )
            found = credence.spark.evaluate(rows, calibrator=calibrator, resamples=100)
            assert found == dict(whole)
            assert found.intervals == {
                name: one for name, one in whole.intervals.items() if not name.startswith("aece")
            }


def test_a_choice_among_candidates_has_the_bytes_of_the_local_one(df, small):
    whole = credence.fit("auto", small.logits, small.votes, input="logits")
    found = credence.spark.fit(df, "auto", **COLUMNS, partitions=3)
    assert found.to_json() == whole.to_json()


def test_probabilities_added_to_a_frame_are_those_of_the_calibrator(df, small, model):
    added = credence.spark.transform(df, model, scores="logits")
    assert added.columns == [*df.columns, "probabilities"]
    found = added.orderBy("row").select("probabilities").collect()
    assert np.array_equal(
        np.array([row[0] for row in found]), model.predict_proba(small.logits, dtype="float64")
    )
    single = credence.spark.transform(df, model, scores="logits", dtype="float", output="p")
    assert dict(single.dtypes)["p"] == "array<float>"


def test_without_an_order_rows_stand_in_that_of_a_hash_of_their_id(df, small):
    named = df.withColumn("id", F.concat(F.lit("image "), F.col("row").cast("string")))
    columns = {**COLUMNS, "order": None, "id": "id"}
    found = credence.spark.fit(named, ["slts", "mcts"], **columns)
    ids = [f"image {row}" for row in range(len(small.logits))]
    place = np.array(sorted(range(len(ids)), key=lambda i: hashlib.md5(ids[i].encode()).digest()))
    there = [ids[i] for i in place]
    for method, calibrator in found.items():
        whole = credence.fit(
            method,
            small.logits[place],
            small.votes[place],
            input="logits",
            ids=there,
            vote_ids=there,
        )
        assert calibrator.to_json() == whole.to_json()


def test_a_comparison_has_the_splits_calibrators_and_advice_of_one_machine(df, small):
    methods = ["ts", "slts", "vs", "dirichlet-soft", "hist-bin", "ir-soft"]
    whole = credence.compare(
        small.logits, small.votes, input="logits", methods=methods, seeds=[1, 2], resamples=50
    )
    found = credence.spark.compare(
        df, **COLUMNS, partitions=3, methods=methods, seeds=[1, 2], resamples=50
    )
    assert found.recommended == whole.recommended
    theirs, ours = (json.loads(one.to_json())["splits"][1] for one in (whole, found))
    for a, b in zip(theirs["methods"], ours["methods"]):
        assert a["differences"]["ts"]["nll"] == b["differences"]["ts"]["nll"]
    assert found.calibrator.to_json() == whole.calibrator.to_json()
    assert {name: one.to_json() for name, one in found.calibrators.items()} == {
        name: one.to_json() for name, one in whole.calibrators.items()
    }


@pytest.mark.parametrize("form", ["columns", "labels", "map", "annotators", "doubles"])
def test_votes_mean_the_same_however_spark_holds_them(df, small, model, form):
    given = dict(COLUMNS)
    classes = {"classes": NAMES}
    whole = credence.fit("slts", small.logits, small.votes, input="logits", classes=NAMES)
    if form == "columns":
        other = df.select(
            "row",
            *[F.col("logits")[k].alias(f"z{k}") for k in range(10)],
            *[F.col("counts")[k].alias(NAMES[k]) for k in range(10)],
        )
        given.update(scores=[f"z{k}" for k in range(10)], votes=NAMES)
    elif form in ("labels", "annotators"):
        names = F.array(*[F.lit(name) for name in NAMES])
        labels = F.flatten(F.transform(F.col("counts"), lambda n, k: F.array_repeat(names[k], n)))
        other = df.withColumn("counts", labels)
        if form == "annotators":
            other = other.select(
                "row", "logits", *[F.col("counts")[j].alias(f"by{j}") for j in range(8)]
            )
            given.update(votes=[f"by{j}" for j in range(8)])
    elif form == "map":
        names = F.array(*[F.lit(name) for name in NAMES])
        other = df.withColumn("counts", F.map_from_arrays(names, F.col("counts")))
    else:
        other = df.withColumn("logits", F.col("logits").cast("array<double>"))
    found = credence.spark.fit(other, "slts", **given, **classes)
    assert found.to_json() == whole.to_json()


def test_a_stage_of_a_pipeline_is_saved_as_json_and_loaded(df, model, tmp_path):
    estimator = CalibratorEstimator(
        method="slts", input="logits", scoresCol="logits", votesCol="counts", orderCol="row"
    )
    estimator.save(str(tmp_path / "estimator"))
    estimator = CalibratorEstimator.load(str(tmp_path / "estimator"))
    fitted = Pipeline(stages=[estimator]).fit(df)
    assert fitted.stages[0].calibrator == model
    fitted.save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert isinstance(loaded.stages[0], CalibratorModel)
    assert loaded.stages[0].calibrator == model
    assert "probabilities" in loaded.transform(df).columns
    for path in (tmp_path / "pipeline").rglob("part-*"):
        assert path.read_bytes().startswith(b"{")


def test_a_missing_column_is_named_before_anything_runs(df):
    assert "no column 'logit'" in refused(df, "slts", **{**COLUMNS, "scores": "logit"})
    assert "no column 'place'" in refused(df, "slts", **{**COLUMNS, "order": "place"})
    assert "nothing orders the rows" in refused(df, "slts", **{**COLUMNS, "order": None})
    other = credence.fit("ts", [[1.0, 0.0]] * 3, [[1, 0]] * 3, input="logits")
    with pytest.raises(credence.CredenceError, match="no column 'z'"):
        credence.spark.transform(df, other, scores="z")


def broken(df, column, row, value):
    return df.withColumn(column, F.when(F.col("row") == row, value).otherwise(F.col(column)))


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("logits", F.lit, "column 'logits', row 3000 is null"),
        ("logits", lambda _: F.array(F.lit(1.0), F.lit(2.0)), "row 3000: 2 scores, and 10"),
        ("counts", F.lit, "column 'counts', row 3000 is null"),
        ("counts", lambda _: F.array_repeat(F.lit(0), 10), "votes: row 3000 has no votes"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_with_column_and_partition(df, column, value, words):
    bad = broken(df, column, 3000, value(None).cast(dict(df.dtypes)[column]))
    message = refused(bad, "slts", **COLUMNS, partitions=3)
    assert words in message
    assert message.startswith("partition 1: ")


def test_scores_for_fewer_classes_in_one_of_many_partitions_are_refused(df):
    late = F.col("row") >= 4000
    bad = df
    for column in ("logits", "counts"):
        first = F.slice(F.col(column), 1, 9)
        filled = F.transform(first, lambda n: F.greatest(n, F.lit(1).cast("int")))
        narrow = filled if column == "counts" else first
        bad = bad.withColumn(column, F.when(late, narrow).otherwise(F.col(column)))
    message = refused(bad, "slts", **COLUMNS, partitions=5)
    assert message.startswith("partition ")
    assert "9 scores" in message


def test_an_order_that_is_none_is_refused(df):
    twice = df.withColumn("row", F.when(F.col("row") == 7, 8).otherwise(F.col("row")))
    assert "column 'row' has '8' more than once" in refused(twice, "slts", **COLUMNS)
    missing = df.withColumn("row", F.when(F.col("row") != 7, F.col("row")))
    assert "column 'row' is null in 1 rows" in refused(missing, "slts", **COLUMNS)


def test_a_bad_row_leaves_no_file_of_calibrated_rows(df, model, tmp_path):
    bad = broken(df, "logits", 3000, F.lit(None).cast("array<float>"))
    with pytest.raises(Exception, match=r"partition \d+: column 'logits', row \d+ is null"):
        credence.spark.transform(bad, model, scores="logits").write.parquet(str(tmp_path / "out"))
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    assert list((tmp_path / "out").glob("part-*")) == []


def test_a_worker_without_the_package_is_said_plainly(spark, df, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name.split('.')[0] == 'credence':\n"
        "            raise ModuleNotFoundError(f\"No module named '{name}'\")\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH={tmp_path}:"$PYTHONPATH" exec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    assert "Spark workers has no package credence" in refused(df, "slts", **COLUMNS)


def test_rows_that_are_prepared_say_all_about_their_columns(df):
    with credence.spark.Rows(df, **COLUMNS) as rows:
        assert repr(rows) == "Rows(rows=5000, classes=10, input='logits', partitions=1)"
        assert "more is given: order" in refused(rows, "slts", order="row")
