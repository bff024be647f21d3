"""The probabilities of new rows under a temperature that is known."""

from __future__ import annotations

import numpy as np

from . import ours
from .contract import Answer, Job, Peer, Run
from .problem import Problem

T = 2.2


def run_ours(problem: Problem) -> Run:
    return ours.applied(problem, T)


def with_scipy(problem: Problem) -> Run:
    from scipy.special import softmax

    logits = problem.logits
    return lambda: {"p": softmax(logits / np.float32(T), axis=1)}


def with_torch(problem: Problem) -> Run:
    import torch

    logits = torch.from_numpy(problem.logits)
    return lambda: {"p": torch.softmax(logits / T, dim=1).numpy()}


def judge(problem: Problem, answer: Answer) -> dict[str, float]:
    """The largest relative error of a probability."""
    off = 0.0
    for rows in problem.blocks():
        z = problem.logits[rows].astype(np.float64) / T
        e = np.exp(z - z.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
        off = max(off, float((np.abs(answer["p"][rows] - p) / p).max()))
    return {"off": off}


def verdict(one: dict[str, float], everybody: list[dict[str, float]]) -> str:
    return f"right to {one['off']:.0e}"


job = Job(
    "applying",
    "Applying a temperature",
    ("logits", "counts"),
    run_ours,
    None,
    [
        Peer("SciPy softmax", "scipy", with_scipy, "float32 throughout"),
        Peer("PyTorch softmax", "torch", with_torch, "float32 throughout"),
    ],
    judge,
    verdict,
    note="computes in float64 and rounds once, as the command line does",
    limit="exponentials in float64 of every score, without fused multiply-add; a sum reads what "
    "this also has to write",
)
