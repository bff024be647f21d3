"""A million rows on two workers: the bytes of the local program, even with an executor killed."""

from __future__ import annotations

import threading
import time

import pytest
from conftest import METHODS, SLOW_EVERYWHERE, quick

import credence.spark

COLUMNS = {"scores": "logits", "votes": "counts", "input": "logits", "order": "row"}


class KillOnce:
    """Kills an executor in the middle of a pass."""

    def __init__(self, rows, cluster, passes):
        self.rows, self.cluster, self.passes, self.killed = rows, cluster, passes, None
        self.run = rows._partitions.run
        rows._partitions.run = self

    def __call__(self, common, own):
        self.passes -= 1
        if self.passes == 0:
            threading.Thread(target=self.kill).start()
        return self.run(common, own)

    def kill(self):
        time.sleep(0.7)
        self.killed = self.cluster.kill_executor()


@pytest.mark.parametrize("partitions", [8, 1, 3, 64])
def test_every_method_has_the_bytes_of_the_local_fit(spark, cluster, data, local, partitions):
    df = spark.read.parquet(str(data.folder))
    with credence.spark.Rows(df, **COLUMNS, partitions=partitions) as rows:
        assert rows._partitions.pieces == partitions
        fault = KillOnce(rows, cluster, 3) if partitions == 8 else None
        methods = METHODS if fault or SLOW_EVERYWHERE else quick(local)
        found = credence.spark.fit(rows, methods)
        if fault:
            assert fault.killed is not None
    different = [method for method in methods if found[method].to_json() != local[method]]
    assert different == []
