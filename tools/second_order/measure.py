#!/usr/bin/env python3
"""Measures the second order on real data and writes the table of docs/second-order.md.

    measure.py PROGRAM DATA PAGE [--splits 5]

PROGRAM is the built `credence`, DATA a folder with a folder per set (logits.npy, counts.npy, and
groups.npy where groups stay whole). Needs NumPy. Every split fits on one half and measures on the
other.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SETS = {
    "chaosnli-roberta-base-s0": "ChaosNLI",
    "cifar10h-vgg16": "CIFAR-10H, strong",
    "cifar10h-wrn16-4": "CIFAR-10H, medium",
    "cifar10h-lenet5": "CIFAR-10H, weak",
    "dod-h-ens": "DOD-H",
}
METHODS = ["slts", "dirichlet-soft", "auto"]
LEVEL = 0.9
BEGIN = "<!-- measurements: begin, written by 'make second-order-table' -->"
END = "<!-- measurements: end -->"


def run(*words: object) -> str:
    return subprocess.run(
        [str(word) for word in words], check=True, capture_output=True, text=True
    ).stdout


def halves(folder: Path, seed: int) -> np.ndarray:
    """Which rows calibrate: half of the groups, or of the rows where there are none."""
    rows = len(np.load(folder / "logits.npy"))
    file = folder / "groups.npy"
    groups = np.load(file) if file.exists() else np.arange(rows)
    names = np.unique(groups)
    np.random.default_rng(seed).shuffle(names)
    return np.isin(groups, names[: len(names) // 2])


def covered(table: np.ndarray, counts: np.ndarray, votes: int) -> float:
    """How often the share of the predicted class lies in its interval."""
    classes = counts.shape[1]
    p, low, high = table[:, :classes], table[:, classes + 2 : 2 * classes + 2], table[:, -classes:]
    rows, top = np.arange(len(p)), p.argmax(1)
    share = counts[rows, top] / votes
    slack = 1e-6  # the table is float32
    inside = (share >= low[rows, top] - slack) & (share <= high[rows, top] + slack)
    return float(inside.mean())


def same_votes(counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """As many votes for every row, drawn without replacement."""
    votes = int(counts.sum(1).min())
    return np.array([rng.multivariate_hypergeometric(row, votes) for row in counts]), votes


def measure(program: Path, folder: Path, method: str, seed: int) -> dict[str, float]:
    logits, counts = np.load(folder / "logits.npy"), np.load(folder / "counts.npy")
    known = halves(folder, seed)
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        for part, rows in (("a", known), ("b", ~known)):
            np.save(here / f"{part}-logits.npy", logits[rows].astype(np.float32))
            np.save(here / f"{part}-votes.npy", counts[rows].astype(np.int64))
        data = ["--logits", here / "a-logits.npy", "--votes", here / "a-votes.npy"]
        model = here / "model.json"
        run(program, "fit", "-m", method, "--second-order", *data, "-o", model)
        data = ["--logits", here / "b-logits.npy", "--votes", here / "b-votes.npy"]
        scores = json.loads(
            run(
                program,
                "evaluate",
                model,
                *data,
                "--format",
                "json",
                "--resamples",
                0,
                "--draws",
                0,
            )
        )
        some, votes = same_votes(counts[~known].astype(int), np.random.default_rng(seed))
        out = here / "out.npy"
        run(
            program,
            "apply",
            model,
            *data[:2],
            "--second-order",
            "--next-votes",
            votes,
            "--level",
            LEVEL,
            "-o",
            out,
        )
        table = np.load(out)
    metrics, bins = scores["metrics"], scores["disagreement"]
    # What an infinite concentration would cost: the multinomial distribution.
    classes = logits.shape[1]
    p = np.clip(table[:, :classes].astype(float), 1e-38, None)
    lgamma = np.vectorize(math.lgamma)
    held = counts[~known].astype(float)
    constant = lgamma(held.sum(1) + 1) - lgamma(held + 1).sum(1)
    multinomial = -(constant + (held * np.log(p)).sum(1)).mean()
    # What the concentration alone would say: D s / (1 + s).
    s = table[:, classes].astype(float)
    implied = float(((1 - (p**2).sum(1)) * s / (1 + s)).mean())
    return {
        "multinomial": float(multinomial),
        "dm_nll": metrics["dm_nll"],
        "predicted": metrics["predicted_disagreement"],
        "observed": metrics["annotator_disagreement"],
        "implied": implied,
        "worst": max(abs(one["observed"] - one["predicted"]) for one in bins),
        "covered": covered(table, some, votes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("page", type=Path)
    parser.add_argument("--splits", type=int, default=5)
    given = parser.parse_args()
    lines = [
        "| data | q by | multinomial | dm_nll | two annotators disagree: observed | predicted "
        "| D s / (1 + s) | largest gap of 10 bins | 90 % interval holds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for folder, title in SETS.items():
        for method in METHODS:
            found = [
                measure(given.program, given.data / folder, method, seed)
                for seed in range(given.splits)
            ]
            mean = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
            lines.append(
                f"| {title} | {method} | {mean['multinomial']:.2f} | {mean['dm_nll']:.3f} "
                f"| {100 * mean['observed']:.2f} % | {100 * mean['predicted']:.2f} % "
                f"| {100 * mean['implied']:.2f} % | {100 * mean['worst']:.1f} points "
                f"| {100 * mean['covered']:.1f} % |"
            )
            print(lines[-1], flush=True)
    page = given.page.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    given.page.write_text("\n".join([before + BEGIN, *lines, END + after]))


if __name__ == "__main__":
    main()
