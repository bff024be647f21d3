"""A monotone function of the top confidence, fitted to what all annotators said (ir-soft)."""

from __future__ import annotations

import numpy as np

from . import ours
from .contract import SCORES_AND_COUNTS, Answer, Job, Peer, Run
from .problem import Problem


def run_ours(problem: Problem) -> Run:
    return ours.fit("ir-soft", problem)


def run_ours_prepared(problem: Problem) -> Run:
    return ours.fit_prepared("ir-soft", problem)


def with_scikit_learn(problem: Problem) -> Run:
    """Only the regression itself: confidences and shares at the predicted class are given.

    In float64: of float32 values it pools those that nearly agree, and misses the optimum.
    """
    from sklearn.isotonic import IsotonicRegression

    confidence, share = problem.confidence.astype(np.float64), problem.top_share

    def run() -> Answer:
        return {"model": IsotonicRegression(out_of_bounds="clip").fit(confidence, share)}

    return run


def with_scikit_learn_from_logits(problem: Problem) -> Run:
    """The whole job, as Credence does it: from logits and votes."""
    from scipy.special import softmax
    from sklearn.isotonic import IsotonicRegression

    logits, counts = problem.logits, problem.counts

    def run() -> Answer:
        p = softmax(logits, axis=1)
        top = p.argmax(axis=1)[:, None]
        share = np.take_along_axis(counts, top, 1) / counts.sum(axis=1, keepdims=True)
        model = IsotonicRegression(out_of_bounds="clip")
        return {"model": model.fit(np.take_along_axis(p, top, 1)[:, 0], share[:, 0])}

    return run


def judge(problem: Problem, answer: Answer) -> dict[str, float]:
    if "calibrator" in answer:
        p = answer["calibrator"].predict_proba(problem.logits)
        fitted = p[np.arange(problem.rows), problem.top].astype(np.float64)
    else:
        fitted = answer["model"].predict(problem.confidence.astype(np.float64))
    error = fitted - problem.top_share.astype(np.float64)
    return {"squares": float((error**2).mean()), "bias": float(error.mean())}


def verdict(one: dict[str, float], everybody: list[dict[str, float]]) -> str:
    best = min(numbers["squares"] for numbers in everybody)
    said = f"mean square {one['squares']:.8f}"
    # Confidences rounded in another way may change places with a neighbour.
    worse = one["squares"] - best
    return said if worse < 1e-7 else f"{said}: not the optimum, {worse:.1e} too high"


job = Job(
    "isotonic",
    "Isotonic, soft (ir-soft)",
    SCORES_AND_COUNTS,
    run_ours,
    run_ours_prepared,
    [
        Peer("scikit-learn, regression only", "sklearn", with_scikit_learn, "confidences given"),
        Peer(
            "scikit-learn, from logits",
            "sklearn scipy",
            with_scikit_learn_from_logits,
            "float32 throughout",
        ),
    ],
    judge,
    verdict,
    limit="a first look in float32, which orders nearly all rows, and sorting them; confidences in "
    "float64 only where a step can begin. From arrays, the look is taken while scores are checked and "
    "hashed",
    summed=("logits", "counts"),
)
