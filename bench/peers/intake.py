"""Between the arrays of a user and data that can be fitted to and judged, any number of times."""

from __future__ import annotations

import numpy as np

from . import ours
from .contract import Answer, Job, Peer, Run
from .problem import Problem


def with_numpy(kind: str):
    """What a careful user checks, and the shares and majority labels that follow."""

    def prepare(problem: Problem) -> Run:
        scores, counts = getattr(problem, kind), problem.counts

        def run() -> Answer:
            if not np.isfinite(scores).all():
                raise ValueError("scores that are not finite")
            if kind == "probs":
                if scores.min() < 0 or np.abs(scores.sum(axis=1) - 1).max() > 1e-3:
                    raise ValueError("rows that are no probabilities")
                np.log(scores)
            if not np.isfinite(counts).all() or counts.min() < 0:
                raise ValueError("counts that are none")
            total = counts.sum(axis=1, keepdims=True)
            if total.min() <= 0:
                raise ValueError("rows without votes")
            shares = counts / total
            shares.argmax(axis=1)
            return {"rows": len(shares)}

        return run

    return prepare


def judge(problem: Problem, answer: Answer) -> dict[str, float]:
    return {"rows": answer["rows"], "wanted": problem.rows}


def verdict(one: dict[str, float], everybody: list[dict[str, float]]) -> str:
    return "all rows" if one["rows"] == one["wanted"] else f"{one['rows']:,.0f} rows only"


def _job(name: str, kind: str, words: str, limit: str) -> Job:
    return Job(
        name,
        f"Taking in {words} and counts",
        (kind, "counts"),
        lambda problem: ours.taken_in(kind, problem),
        None,
        [Peer("NumPy", "numpy", with_numpy(kind), "checks, shares and majority labels")],
        judge,
        verdict,
        note="checks every number, compresses the votes and looks for permuted classes",
        limit=limit,
        summed=(kind, "counts"),
    )


logits = _job(
    "intake_logits",
    "logits",
    "logits",
    "reading both arrays once, and writing the few votes of each row one after the other",
)
probs = _job(
    "intake_probs",
    "probs",
    "probabilities",
    "the same; the logarithms are taken when something asks for them",
)
