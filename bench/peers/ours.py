"""Credence, for the jobs of this benchmark: the only file that knows how it is called."""

from __future__ import annotations

import credence

from .contract import Run
from .problem import Problem

THREADS = 1


def fit(method: str, problem: Problem) -> Run:
    """Returns {"calibrator": ...}."""
    logits, votes = problem.logits, problem.counts
    return lambda: {
        "calibrator": credence.fit(method, logits, votes, input="logits", threads=THREADS)
    }


def metric(name: str, problem: Problem) -> Run:
    """Returns {"value": ...}."""
    probs, votes = problem.probs, problem.counts
    return lambda: {
        "value": credence.evaluate(probs, votes, metrics=[name], threads=THREADS)[name]
    }


def version() -> str:
    return str(credence.__version__)
