"""Expected calibration error against the voted label, from probabilities (ece_voted)."""

from __future__ import annotations

import numpy as np

from . import ours
from .contract import Answer, Job, Peer, Run
from .problem import Problem

BINS = 15


def with_numpy(problem: Problem) -> Run:
    probs, voted = problem.probs, problem.voted

    def run() -> Answer:
        top = probs.argmax(axis=1)
        confidence = probs[np.arange(len(probs)), top]
        bins = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
        gap = np.bincount(bins, weights=confidence - (top == voted), minlength=BINS)
        return {"value": np.abs(gap).sum() / len(probs)}

    return run


def with_torchmetrics(problem: Problem) -> Run:
    import torch
    from torchmetrics.functional.classification import multiclass_calibration_error

    probs, voted = torch.from_numpy(problem.probs), torch.from_numpy(problem.voted)
    k = problem.classes
    return lambda: {
        "value": multiclass_calibration_error(probs, voted, num_classes=k, n_bins=BINS).item()
    }


def with_netcal(problem: Problem) -> Run:
    from netcal.metrics import ECE

    probs, voted = problem.probs, problem.voted
    return lambda: {"value": float(ECE(BINS).measure(probs, voted))}


def judge(problem: Problem, answer: Answer) -> dict[str, float]:
    confidence = problem.confidence.astype(np.float64)
    bins = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
    gap = np.bincount(bins, weights=confidence - (problem.top == problem.voted), minlength=BINS)
    return {"value": float(answer["value"]), "wanted": float(np.abs(gap).sum() / problem.rows)}


def verdict(one: dict[str, float], everybody: list[dict[str, float]]) -> str:
    said = f"ECE {one['value']:.7f}"
    off = one["value"] - one["wanted"]
    return said if abs(off) < 1e-6 else f"{said}, off by {off:+.1e}"


job = Job(
    "ece",
    "ECE, 15 bins",
    ("probs", "voted"),
    ours.voted_error,
    ours.voted_error_prepared,
    [
        Peer("NumPy", "numpy", with_numpy),
        Peer("torchmetrics", "torchmetrics torch", with_torchmetrics),
        Peer("netcal", "netcal torch", with_netcal),
    ],
    judge,
    verdict,
    limit="reading the probabilities once: their largest, range and sum in one look",
    summed=("probs",),
    note="computes ece_expected besides and checks every number",
)
