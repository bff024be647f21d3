#!/usr/bin/env python3
"""The whole of `credence compare`, in units of one Monte Carlo ece_true in NumPy.

    bench/compare_beside_numpy.py build/bench/credence [ROWS]

All methods, five splits, 1,000 resamples, on ROWS x 10 generated scores; NumPy computes ece_true with
100 draws once on the same rows, in the two ways of numpy_ece_true.py. Prints the seconds of each, the
fastest of three, and the ratios.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy_ece_true import WAYS, make_data


def fastest(times, work):
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main():
    program = Path(sys.argv[1]).resolve()
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    rng = np.random.default_rng(1)
    p, pi = make_data(rows, rng)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/logits.npy", np.log(p).astype(np.float32))
        np.save(f"{folder}/votes.npy", np.rint(5 * pi))
        command = [program, "compare", "--logits", f"{folder}/logits.npy", "--votes",
                   f"{folder}/votes.npy", "--seeds", "42..46", "-o", f"{folder}/results"]
        run = lambda: subprocess.run(command, check=True, capture_output=True)
        ours = fastest(3, run)
        theirs = {way: fastest(3, lambda: ece_true(p, pi, 100, rng)) for way, ece_true in WAYS.items()}
    print(f"compare, {rows:,} x 10, 16 methods, 5 splits, 1,000 resamples: {ours:.3f} s")
    for way, seconds in theirs.items():
        print(f"NumPy, {way}, one ece_true with 100 draws: {seconds:.3f} s")
        print(f"ratio: {ours / seconds:.1f}")


if __name__ == "__main__":
    main()
