"""ECE against 100 draws from the annotators (ece_true), from probabilities."""

from __future__ import annotations

from math import erf

import numpy as np

from . import ours
from .contract import Answer, Job, Peer, Run
from .problem import Problem

BINS, DRAWS = 15, 100


def run_ours(problem: Problem) -> Run:
    return ours.drawn_error(problem, DRAWS)


def run_ours_prepared(problem: Problem) -> Run:
    return ours.drawn_error_prepared(problem, DRAWS)


def _bins(confidence: np.ndarray) -> np.ndarray:
    return np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)


def with_numpy(problem: Problem) -> Run:
    """As it is defined: draw a label for every example, compute the ECE, repeat."""
    probs, shares = problem.probs, problem.shares

    def run() -> Answer:
        rng = np.random.default_rng(1)
        n = len(probs)
        top = probs.argmax(axis=1)
        confidence = probs[np.arange(n), top]
        bins, edges, total = _bins(confidence), shares.cumsum(axis=1), 0.0
        for _ in range(DRAWS):
            label = (rng.random((n, 1)) > edges).sum(axis=1)
            gap = np.bincount(bins, weights=confidence - (label == top), minlength=BINS)
            total += np.abs(gap).sum() / n
        return {"value": total / DRAWS}

    return run


def with_numpy_events(problem: Problem) -> Run:
    """With a thought: only whether the drawn label is the predicted one matters."""
    probs, shares = problem.probs, problem.shares

    def run() -> Answer:
        rng = np.random.default_rng(1)
        n = len(probs)
        top = probs.argmax(axis=1)
        confidence, share = probs[np.arange(n), top], shares[np.arange(n), top]
        bins, total = _bins(confidence), 0.0
        for _ in range(DRAWS):
            hit = rng.random(n, np.float32) < share
            gap = np.bincount(bins, weights=confidence - hit, minlength=BINS)
            total += np.abs(gap).sum() / n
        return {"value": total / DRAWS}

    return run


def judge(problem: Problem, answer: Answer) -> dict[str, float]:
    """The expectation over all draws: in a bin the gap is nearly normal, its size folded."""
    confidence, share = problem.confidence.astype(np.float64), problem.top_share.astype(np.float64)
    bins = _bins(confidence)
    mean = np.bincount(bins, weights=confidence - share, minlength=BINS)
    sd = np.sqrt(np.bincount(bins, weights=share * (1 - share), minlength=BINS)) + 1e-300
    size = sd * np.sqrt(2 / np.pi) * np.exp(-0.5 * (mean / sd) ** 2)
    size += mean * np.array([erf(x) for x in mean / sd / np.sqrt(2)])
    n = problem.rows
    spread = np.sqrt((mean**2 + sd**2 - size**2).clip(0).sum() / DRAWS) / n
    return {
        "value": float(answer["value"]),
        "wanted": float(size.sum() / n),
        "standard_error": float(spread),
    }


def verdict(one: dict[str, float], everybody: list[dict[str, float]]) -> str:
    off = (one["value"] - one["wanted"]) / one["standard_error"]
    said = f"ece_true {one['value']:.6f}"
    return said if abs(off) < 4 else f"{said}, off by {off:+.1f} standard errors"


job = Job(
    "ece_true",
    f"ece_true, {DRAWS} draws",
    ("probs", "counts"),
    run_ours,
    run_ours_prepared,
    [
        Peer("NumPy", "numpy", with_numpy, "draws labels"),
        Peer(
            "NumPy, events", "numpy", with_numpy_events, "draws only whether the prediction is hit"
        ),
    ],
    judge,
    verdict,
    limit="reading probabilities and counts once; with few classes 100 draws of an event per row",
    summed=("probs", "counts"),
    note="computes ece_expected besides and checks every number",
)
