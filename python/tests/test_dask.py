"""Rows in Dask: the bytes of a fit to all of them, in any partitions, with a worker killed."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import credence

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("distributed")
frames = pytest.importorskip("dask.dataframe")

import credence.dask  # noqa: E402

ROWS = 40_000
DEMO = credence.demo_data(rows=ROWS)
LOGITS = np.ascontiguousarray(DEMO["logits"], dtype=np.float32)
VOTES = np.asarray(DEMO["votes"], dtype=np.int64)
# auto is many fits, which have passes of their own: below.
METHODS = [one["id"] for one in credence.methods() if not one["id"].startswith("auto")]
METHODS.append("dirichlet-soft then ts")
COLUMNS = {"scores": "logits", "votes": "counts", "input": "logits"}


def lists(matrix):
    offsets = pa.array(np.arange(len(matrix) + 1) * matrix.shape[1], pa.int32())
    array = pa.ListArray.from_arrays(offsets, pa.array(matrix.reshape(-1)))
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


FRAME = pd.DataFrame({"logits": lists(LOGITS), "counts": lists(VOTES)})


@pytest.fixture(scope="module")
def local():
    return {m: credence.fit(m, LOGITS, VOTES, input="logits").to_json() for m in METHODS}


@pytest.mark.parametrize("partitions", [1, 3, 8, 64])
def test_any_partitions_give_the_bytes_of_a_fit_to_all_rows(partitions, local):
    found = credence.dask.fit(frames.from_pandas(FRAME, npartitions=partitions), METHODS, **COLUMNS)
    assert [m for m in METHODS if found[m].to_json() != local[m]] == []


@pytest.mark.parametrize("method", ["auto", "auto-single", "auto-simple"])
def test_a_choice_among_candidates_has_the_bytes_of_the_same_in_one_place(method):
    rows = 6000
    whole = credence.fit(method, LOGITS[:rows], VOTES[:rows], input="logits")
    for partitions in (1, 3, 7) if method == "auto" else (3,):
        df = frames.from_pandas(FRAME.iloc[:rows], npartitions=partitions)
        found = credence.dask.fit(df, [method, "ts"], **COLUMNS)
        assert list(found) == [method, "ts"]
        assert found[method].to_json() == whole.to_json()


def test_a_comparison_gives_the_calibrators_of_the_same_in_one_place():
    rows = 4000
    whole = credence.compare(LOGITS[:rows], VOTES[:rows], input="logits", resamples=0)
    df = frames.from_pandas(FRAME.iloc[:rows], npartitions=3)
    found = credence.dask.compare(df, **COLUMNS)
    assert found.recommended == whole.recommended
    assert found.answer == whole.answer
    assert "auto" in whole.calibrators
    assert {name: one.to_json() for name, one in found.calibrators.items()} == {
        name: one.to_json() for name, one in whole.calibrators.items()
    }


def test_a_worker_that_is_killed_changes_no_bit(local):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        df = frames.from_pandas(FRAME, npartitions=8)
        rows = credence.dask.Rows(df, **COLUMNS)
        victim = cluster.workers[0].pid
        run, passes = rows._partitions.run, []

        def watched(common, own):
            passes.append(common)
            if len(passes) == 2:
                threading.Thread(
                    target=lambda: (time.sleep(0.05), os.kill(victim, signal.SIGKILL))
                ).start()
            return run(common, own)

        rows._partitions.run = watched
        methods = ["slts", "dirichlet-soft", "iso-soft", "dirichlet-soft then ts"]
        methods = [method for method in methods if method in local]
        found = credence.dask.fit(rows, methods)
        assert {method: found[method].to_json() for method in methods} == {
            method: local[method] for method in methods
        }
        assert not os.path.exists(f"/proc/{victim}") or cluster.workers[0].pid != victim


def test_metrics_and_probabilities_are_those_of_all_rows(local):
    model = credence.Calibrator.from_json(local["slts"])
    df = frames.from_pandas(FRAME.iloc[:5000], npartitions=3)
    whole = credence.evaluate(
        LOGITS[:5000], VOTES[:5000], input="logits", calibrator=model, resamples=100, level=0.9
    )
    found = credence.dask.evaluate(df, calibrator=model, resamples=100, level=0.9, **COLUMNS)
    assert found == dict(whole)
    assert found.intervals == {
        name: one for name, one in whole.intervals.items() if not name.startswith("aece")
    }
    added = credence.dask.transform(df, model, scores="logits").compute()
    assert list(added.columns) == ["logits", "counts", "probabilities"]
    assert np.array_equal(
        np.stack(added["probabilities"]), model.predict_proba(LOGITS[:5000], dtype="float64")
    )
