"""Scores are used where they are."""

from __future__ import annotations

import subprocess
import sys

import pytest

MEASURE = """
import sys
import numpy as np
import credence

rows, columns = int(sys.argv[1]), 1000
scores = np.empty((rows, columns), dtype=np.float32)
rng = np.random.default_rng(0)
for first in range(0, rows, 10000):
    scores[first : first + 10000] = rng.standard_normal((10000, columns), dtype=np.float32)
labels = rng.integers(columns, size=rows)


def resident(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) / 1024


credence.fit("ts", scores[:1000], labels=labels[:1000], input="logits")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = resident("VmHWM")
credence.fit("ts", scores, labels=labels, input="logits")
print(resident("VmHWM") - before)
"""


def rise_in_mebibytes(rows: int) -> float:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(rows)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def test_half_a_gigabyte_of_scores_takes_no_50_mb_more() -> None:
    assert rise_in_mebibytes(130_000) < 50.0


@pytest.mark.slow
def test_two_gigabytes_of_scores_take_no_50_mb_more() -> None:
    assert rise_in_mebibytes(540_000) < 50.0
