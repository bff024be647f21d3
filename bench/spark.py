"""What a pass costs in Spark, beside a count of the same columns: make bench-spark.

The counts read the columns, from Spark's cache or from the file, and hand them to Python as Arrow,
where rows are counted and nothing else is done. One more count stays in Java: it asks how long the
lists are. The ratio to the first is what matters: it says what a pass adds to what Spark needs
anyway.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.sql import SparkSession

import credence.spark
from credence.solver import Solver

COLUMNS = {"scores": "logits", "votes": "counts", "input": "logits", "order": "row"}


def lists(matrix: Any) -> pa.Array:
    offsets = pa.array(np.arange(len(matrix) + 1) * matrix.shape[1], pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(matrix.reshape(-1)))


def write_rows(path: str, rows: int, classes: int) -> None:
    source = np.random.default_rng(1)
    logits = (3 * source.normal(size=(rows, classes))).astype(np.float32)
    votes = np.zeros((rows, classes), np.int32)
    for _ in range(8):
        noise = source.gumbel(size=(rows, classes)) * 3
        votes[np.arange(rows), (logits + noise).argmax(1)] += 1
    columns = {"row": pa.array(np.arange(rows)), "logits": lists(logits), "counts": lists(votes)}
    pq.write_table(pa.table(columns), path, row_group_size=1 << 16)


def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pydict({"rows": pa.array([sum(b.num_rows for b in batches)])})


def processor_seconds() -> float:
    """Of this process, the Java machine and the Python workers, whatever else the machine does."""
    parents, times = {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended
            continue
        parents[int(entry.name)] = int(fields[1])
        times[int(entry.name)] = sum(map(int, fields[11:15]))  # and of children that have ended
    ours = {os.getpid()}
    while True:
        found = {pid for pid, parent in parents.items() if parent in ours} | ours
        if found == ours:
            break
        ours = found
    return sum(times[pid] for pid in ours) / os.sysconf("SC_CLK_TCK")


def seconds(work: Callable[[], Any]) -> tuple[float, float]:
    """On the clock, and of processors."""
    begin, used = time.perf_counter(), processor_seconds()
    work()
    return time.perf_counter() - begin, processor_seconds() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    spark = (
        SparkSession.builder.master(f"local[{given.cores}]")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.parquet", given.rows, given.classes)
        df = spark.read.parquet(f"{folder}/rows.parquet")
        prepared: list[credence.spark.Rows] = []
        took = seconds(
            lambda: prepared.append(credence.spark.Rows(df, **COLUMNS, partitions=given.partitions))
        )
        with prepared[0] as rows:
            print(f"Spark {spark.version}, {rows}, {given.cores} cores")
            print(
                f"sorted, cached, counted and checked: {took[0]:.1f} s, {took[1]:.1f} of processors"
            )
            files = df.select("logits", "counts")
            cached = files.repartition(given.partitions).persist()
            sizes = cached.selectExpr("sum(size(logits) + size(counts))")
            request = Solver("slts", rows=rows.rows, classes=given.classes, input="logits").next()
            assert request is not None
            work: dict[str, Callable[[], Any]] = {
                "count": lambda: cached.mapInArrow(count, "rows bigint").collect(),
                "count from file": lambda: files.mapInArrow(count, "rows bigint").collect(),
                "count in Java": sizes.collect,
                "pass of slts": lambda: rows.distributed.work("fit", [request]),
                "evaluate": lambda: credence.spark.evaluate(rows, list_rows=False),
            }
            times: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
            for one in work.values():  # Java compiles what it runs often
                one()
            for _ in range(given.repeats):
                for name, one in work.items():
                    times[name].append(seconds(one))
            medians = {
                name: [statistics.median(column) for column in zip(*pairs)]
                for name, pairs in times.items()
            }
            base = medians["count"]
            for name, (clock, used) in medians.items():
                print(
                    f"{name:15} {clock:6.2f} s ({clock / base[0]:.2f} x count), of processors "
                    f"{used:6.2f} s ({used / base[1]:.2f} x), {given.rows / used:10,.0f} rows/s "
                    "per core"
                )
    spark.stop()


if __name__ == "__main__":
    main()
