"""Rows for benchmarks, written a piece at a time: logits as float32, votes as counts of uint8.

    python bench/generate_rows.py FOLDER --rows 100000000 --classes 10 --annotators 5

Logits are normal numbers, larger at the true class; every annotator chooses the true class with a
chance of 0.8 and any class otherwise. Row i depends on (seed, i // PIECE) alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

PIECE = 1 << 18


def piece(seed: int, number: int, rows: int, classes: int, annotators: int):
    random = np.random.Generator(np.random.SFC64([seed, number]))
    logits = random.standard_normal((rows, classes), dtype=np.float32)
    logits *= np.float32(1.5)
    truth = random.integers(0, classes, rows)
    everyone = np.arange(rows)
    logits[everyone, truth] += np.float32(3.0)
    votes = np.zeros((rows, classes), dtype=np.uint8)
    for _ in range(annotators):
        other = random.integers(0, classes, rows)
        np.add.at(votes, (everyone, np.where(random.random(rows) < 0.8, truth, other)), 1)
    return logits, votes


def header(shape: tuple[int, int], dtype: type) -> bytes:
    import io

    out = io.BytesIO()
    about = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, about)
    return out.getvalue()


def write(folder: Path, rows: int, classes: int, annotators: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "logits.npy").open("wb") as scores, (folder / "votes.npy").open("wb") as votes:
        scores.write(header((rows, classes), np.float32))
        votes.write(header((rows, classes), np.uint8))
        for first in range(0, rows, PIECE):
            count = min(PIECE, rows - first)
            made = piece(seed, first // PIECE, count, classes, annotators)
            made[0].tofile(scores)
            made[1].tofile(votes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--annotators", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write(given.folder, given.rows, given.classes, given.annotators, given.seed)
