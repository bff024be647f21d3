"""The calibration error of the predicted class: credence.ece on files, DuckDB in SQL, NumPy.

    python bench/generate_rows.py /tmp/rows --rows 100000000
    python bench/evaluate_beside_duckdb.py /tmp/rows --program build/release/credence

With --program, all metrics too, by `evaluate` (and its --ece-only) with 500 MB of memory; without
the package credence, nothing else of Credence.

DuckDB computes the same number (15 equal bins, confidence against the annotators' share of the
predicted class) from a native table with one column per class, which is how it is fastest; loading
that table is not timed. NumPy holds as many rows as --numpy-rows allows. Times are processor time
of the whole process, best of --repeat, so that a shared machine distorts them little; ratios are
per row. Needs numpy, duckdb and pyarrow.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import subprocess
import time
from pathlib import Path

import numpy as np

BINS = 15


def timed(work, repeat: int):
    best, value = float("inf"), None
    wall = float("inf")
    for _ in range(repeat):
        began, clock = time.process_time(), time.monotonic()
        value = work()
        best = min(best, time.process_time() - began)
        wall = min(wall, time.monotonic() - clock)
    return value, best, wall


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def credence_ece(folder: Path, threads: int, draws: int) -> float:
    import credence

    found = credence.ece(
        folder / "logits.npy",
        folder / "votes.npy",
        input="logits",
        bins=BINS,
        draws=draws,
        threads=threads,
    )
    return found["ece_expected"]


def program_evaluate(program: Path, folder: Path, threads: int, *more: str):
    """The value, and processor time, clock and peak memory of the whole process."""
    words = ["evaluate", "--logits", folder / "logits.npy", "--votes", folder / "votes.npy"]
    words += ["--memory", "500M", "--threads", threads, "--format", "json", *more]
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([str(program), *map(str, words)], capture_output=True, check=True)
    wall, after = time.monotonic() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads(done.stdout)
    return found["metrics"]["ece_expected"], cpu, wall, after.ru_maxrss / 1024


def time_program(given: argparse.Namespace, rows: int, per_row: dict[str, float]) -> None:
    ways = (("--ece-only", "--draws", "0"), ("--draws", "0"), ("--draws", "100"))
    for threads in (1, 2):
        for more in ways:
            name = f"evaluate {' '.join(more)}, {threads} threads"
            best = [program_evaluate(given.program, given.folder, threads, *more)]
            best += [
                program_evaluate(given.program, given.folder, threads, *more)
                for _ in range(given.repeat - 1)
            ]
            value, cpu, wall, peak = (min(column) for column in zip(*best))
            per_row[name] = cpu / rows
            print(
                f"{name}: {value:.9f}, {rows:,} rows, {cpu:.1f} s of processor time, {wall:.1f} s, "
                f"{rows / cpu / 1e6:.1f} million rows/s per core, peak of any so far {peak:.0f} MB",
                flush=True,
            )


def duckdb_table(folder: Path, rows: int, threads: int):
    import duckdb
    import pyarrow as pa

    logits = np.load(folder / "logits.npy", mmap_mode="r")
    votes = np.load(folder / "votes.npy", mmap_mode="r")
    connection = duckdb.connect()
    connection.execute(f"set threads = {threads}")
    step = 1 << 20
    for first in range(0, rows, step):
        end = min(first + step, rows)
        columns = {f"z{k}": np.ascontiguousarray(logits[first:end, k]) for k in range(logits.shape[1])}
        columns |= {f"c{k}": np.ascontiguousarray(votes[first:end, k]) for k in range(votes.shape[1])}
        piece = pa.table(columns)  # noqa: F841  DuckDB finds it by its name
        how = "create table scored as" if first == 0 else "insert into scored"
        connection.execute(f"{how} select * from piece")
    return connection, logits.shape[1]


def duckdb_ece(connection, classes: int) -> float:
    every = range(classes)
    top = "greatest(" + ", ".join(f"z{k}" for k in every) + ")"
    total = " + ".join(f"exp(z{k} - top)" for k in every)
    chosen = "case " + " ".join(f"when z{k} = top then c{k}" for k in every) + " end"
    voters = " + ".join(f"c{k}::double" for k in every)
    query = f"""
        select sum(abs(gap)) / sum(count) from (
          select sum(confidence - agreement) gap, count(*) count from (
            select 1.0 / ({total}) confidence, ({chosen}) / ({voters}) agreement
            from (select *, {top} top from scored))
          group by least({BINS - 1}, greatest(0, ceil(confidence * {BINS}) - 1)))"""
    return connection.execute(query).fetchone()[0]


def numpy_ece(logits: np.ndarray, votes: np.ndarray) -> float:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    confidence = shifted.max(axis=1) / shifted.sum(axis=1)
    predicted = logits.argmax(axis=1)
    agreement = votes[np.arange(len(votes)), predicted] / votes.sum(axis=1)
    cell = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
    gaps = np.bincount(cell, weights=confidence - agreement, minlength=BINS)
    return float(np.abs(gaps).sum() / len(votes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--duckdb-rows", type=int, default=20_000_000)
    parser.add_argument("--numpy-rows", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()

    logits = np.load(given.folder / "logits.npy", mmap_mode="r")
    votes = np.load(given.folder / "votes.npy", mmap_mode="r")
    rows = len(logits)
    per_row = {}
    if given.program:
        time_program(given, rows, per_row)
    for draws in (0, 100) if importlib.util.find_spec("credence") else ():
        value, cpu, wall = timed(
            lambda: credence_ece(given.folder, given.threads, draws), given.repeat
        )
        name = f"credence, {draws} draws"
        per_row[name] = cpu / rows
        print(
            f"{name}: {value:.9f}, {rows:,} rows, {cpu:.1f} s of processor time, {wall:.1f} s, "
            f"{rows / cpu / 1e6:.1f} million rows/s per core, peak {peak_megabytes():.0f} MB"
        )
    some = min(rows, given.numpy_rows)
    held = np.array(logits[:some]), np.array(votes[:some])
    value, cpu, wall = timed(lambda: numpy_ece(*held), given.repeat)
    per_row["NumPy"] = cpu / some
    print(f"NumPy: {value:.9f}, {some:,} rows, {cpu:.1f} s, {some / cpu / 1e6:.2f} million rows/s")
    del held
    some = min(rows, given.duckdb_rows)
    connection, classes = duckdb_table(given.folder, some, given.threads)
    value, cpu, wall = timed(lambda: duckdb_ece(connection, classes), given.repeat)
    per_row["DuckDB"] = cpu / some
    print(f"DuckDB: {value:.9f}, {some:,} rows, {cpu:.1f} s, {some / cpu / 1e6:.2f} million rows/s")
    for ours in [name for name in per_row if name not in ("DuckDB", "NumPy")]:
        for other in ("DuckDB", "NumPy"):
            ratio = per_row[other] / per_row[ours]
            print(f"{ours}: 1/{ratio:.1f} of the processor time of {other} per row")


if __name__ == "__main__":
    main()
