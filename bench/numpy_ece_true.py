#!/usr/bin/env python3
"""Monte Carlo ece_true in NumPy, written the straightforward way and a faster one, against
metrics_bench.

    bench/numpy_ece_true.py build/bench/bench/metrics_bench [ROWS] [DRAWS]

Prints the seconds and the ratios. All start from confidences and votes and draw 100 annotators per
example; NumPy draws whole answers, as one does, by comparing cumulative shares with a uniform
number. The straightforward way calls the usual function for the calibration error, a mask per bin,
on every draw; the faster one keeps the bins and adds up by bincount. NumPy is timed over a tenth of
the draws, which are all alike, and scaled up.
"""

import json
import subprocess
import sys
import time

import numpy as np

CLASSES, BINS = 10, 15


def make_data(rows, rng):
    """Over-confident scores, and five votes per row that follow them loosely."""
    z = rng.normal(size=(rows, CLASSES)) * 2.3
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    flat = np.exp(0.6 * z)
    flat /= flat.sum(axis=1, keepdims=True)
    edges = flat.cumsum(axis=1)
    counts = np.zeros((rows, CLASSES))
    for _ in range(5):
        y = (rng.random((rows, 1)) > edges).sum(axis=1).clip(0, CLASSES - 1)
        counts[np.arange(rows), y] += 1
    return p, counts / 5


def ece(confidence, correct):
    """The calibration error as it is usually written: one mask per bin."""
    edges = np.linspace(0, 1, BINS + 1)
    total = 0.0
    for lower, upper in zip(edges[:-1], edges[1:]):
        inside = (confidence > lower) & (confidence <= upper)
        if inside.any():
            gap = confidence[inside].mean() - correct[inside].mean()
            total += np.abs(gap) * inside.mean()
    return total


def ece_true_straightforward(p, pi, draws, rng):
    top = p.argmax(axis=1)
    confidence = p.max(axis=1)
    edges = pi.cumsum(axis=1)
    values = []
    for _ in range(draws):
        y = (rng.random((len(p), 1)) > edges).sum(axis=1)
        values.append(ece(confidence, y == top))
    return np.mean(values)


def ece_true_by_bincount(p, pi, draws, rng):
    top = p.argmax(axis=1)
    confidence = p[np.arange(len(p)), top]
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    edges = pi.cumsum(axis=1)
    total = 0.0
    for _ in range(draws):
        y = (rng.random((len(p), 1)) > edges).sum(axis=1)
        gap = np.bincount(bins, weights=confidence - (y == top), minlength=BINS)
        total += np.abs(gap).sum() / len(p)
    return total / draws


WAYS = {"straightforward": ece_true_straightforward, "by bincount": ece_true_by_bincount}


def main():
    program = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    draws = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    rng = np.random.default_rng(1)
    p, pi = make_data(rows, rng)
    some = max(1, draws // 10)
    numpy_seconds = {}
    for way, ece_true in WAYS.items():
        ece_true(p[:1000], pi[:1000], 1, rng)
        start = time.perf_counter()
        ece_true(p, pi, some, rng)
        numpy_seconds[way] = (time.perf_counter() - start) * draws / some
        print(f"NumPy, {way}, {rows:,} x {CLASSES}, {draws} draws: {numpy_seconds[way]:.3f} s")

    report = subprocess.run(
        [program, f"--benchmark_filter=^ece_true/rows:{rows}/", "--benchmark_format=json"],
        check=True, capture_output=True, text=True)
    for run in json.loads(report.stdout)["benchmarks"]:
        seconds = run["real_time"] / 1e3 * draws / 100
        threads = "one thread" if "threads:1/" in run["name"] + "/" else "all threads"
        ratios = ", ".join(f"{numpy_seconds[way] / seconds:.0f} times faster than NumPy {way}"
                           for way in WAYS)
        print(f"credence, {threads}: {seconds:.4f} s, {ratios}")


if __name__ == "__main__":
    main()
