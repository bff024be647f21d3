"""One temperature, fitted to what all annotators said (method slts)."""

from __future__ import annotations

import numpy as np

from . import ours
from .contract import SCORES_AND_COUNTS, Answer, Job, Peer, Run
from .problem import Problem


def run_ours(problem: Problem) -> Run:
    run = ours.fit("slts", problem)
    return lambda: {"T": run()["calibrator"].temperature_}


def run_ours_prepared(problem: Problem) -> Run:
    run = ours.fit_prepared("slts", problem)
    return lambda: {"T": run()["calibrator"].temperature_}


def with_scipy(problem: Problem) -> Run:
    """A scalar minimiser over log T; the loss as one writes it in NumPy."""
    from scipy.optimize import minimize_scalar
    from scipy.special import logsumexp

    logits, shares = problem.logits, problem.shares

    def loss(log_t: float) -> float:
        z = logits * np.float32(np.exp(-log_t))
        return float(np.mean(logsumexp(z, axis=1) - (shares * z).sum(axis=1), dtype=np.float64))

    return lambda: {"T": np.exp(minimize_scalar(loss, bounds=(-4.6, 6.9), method="bounded").x)}


def with_scikit_learn(problem: Problem) -> Run:
    """Knows hard labels with weights only: one row per distinct answer."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    class Given(ClassifierMixin, BaseEstimator):
        """A fitted model whose scores are its input."""

        def fit(self, x, y):
            return self

        def decision_function(self, x):
            return x

        def predict(self, x):
            return x.argmax(axis=1)

    given = Given()
    given.classes_ = np.arange(problem.classes)
    row, label, weight = problem.one_row_per_answer()
    logits = problem.logits[row]

    def run() -> Answer:
        model = CalibratedClassifierCV(FrozenEstimator(given), method="temperature")
        model.fit(logits, label, sample_weight=weight)
        return {"T": 1 / model.calibrated_classifiers_[0].calibrators[0].beta_}

    return run


def with_torch(**options: object):
    def prepare(problem: Problem) -> Run:
        import torch

        logits, shares = torch.from_numpy(problem.logits), torch.from_numpy(problem.shares)

        def run() -> Answer:
            t = torch.ones(1, requires_grad=True)
            optimiser = torch.optim.LBFGS(
                [t], max_iter=500, tolerance_grad=1e-9, tolerance_change=1e-11, **options
            )

            def closure():
                optimiser.zero_grad()
                loss = -(shares * torch.log_softmax(logits / t, dim=1)).sum(dim=1).mean()
                loss.backward()
                return loss

            optimiser.step(closure)
            return {"T": t.item()}

        return run

    return prepare


def with_netcal(problem: Problem) -> Run:
    """Takes shares and fits their argmax, without a word.

    Given float32 it stays at T = 1 (its differences of losses are rounded away), hence float64.
    """
    from netcal.scaling import TemperatureScaling

    probs, shares = problem.probs.astype(np.float64), problem.shares.astype(np.float64)

    def run() -> Answer:
        model = TemperatureScaling()
        model.fit(probs, shares, tensorboard=False)
        return {"T": 1 / float(np.ravel(model.weights)[0])}

    return run


def with_cleanlab(dtype: type):
    """Its own functions pass labels as floats, since a missing answer is NaN there.

    Counts of float labels then go to classes 0, 1, 2, ... instead of those that were named.
    """

    def prepare(problem: Problem) -> Run:
        from cleanlab.internal.multiannotator_utils import find_best_temp_scaler

        probs, labels = problem.probs, problem.labels.astype(dtype)
        return lambda: {"T": float(find_best_temp_scaler(labels, probs))}

    return prepare


def judge(problem: Problem, answer: Answer) -> dict[str, float]:
    t = float(answer["T"])
    loss = slope = 0.0
    for rows in problem.blocks():
        z = problem.logits[rows].astype(np.float64)
        z -= z.max(axis=1, keepdims=True)
        q = problem.shares[rows].astype(np.float64)
        q /= q.sum(axis=1, keepdims=True)
        e = np.exp(z / t)
        total = e.sum(axis=1)
        loss += (np.log(total) - (q * z).sum(axis=1) / t).sum()
        slope += ((e * z).sum(axis=1) / total - (q * z).sum(axis=1)).sum()
    return {"T": t, "loss": loss / problem.rows, "slope": slope / problem.rows}


def verdict(one: dict[str, float], everybody: list[dict[str, float]]) -> str:
    # The loss is convex in 1/T, so the answer with the smallest slope there is the best one.
    best = min(everybody, key=lambda numbers: abs(numbers["slope"]))
    off = one["T"] / best["T"] - 1
    said = f"T = {one['T']:.6g}"
    if abs(off) < 1e-5:
        return said
    worse = max(0.0, one["loss"] - best["loss"])
    return f"{said}, off by {100 * off:+.2g} % (loss {worse:.1e} too high)"


job = Job(
    "temperature",
    "Soft temperature",
    SCORES_AND_COUNTS,
    run_ours,
    run_ours_prepared,
    [
        Peer("SciPy minimize_scalar", "scipy", with_scipy),
        Peer("scikit-learn", "sklearn", with_scikit_learn, "one weighted row per distinct answer"),
        Peer("PyTorch L-BFGS, paper", "torch", with_torch(lr=0.1), "lr 0.1, 500 iterations"),
        Peer(
            "PyTorch L-BFGS, Wolfe",
            "torch",
            with_torch(lr=1, line_search_fn="strong_wolfe"),
            "with line search, which the paper does not use",
        ),
        Peer("netcal", "netcal torch", with_netcal, "given shares, it fits their argmax"),
        Peer(
            "cleanlab",
            "cleanlab",
            with_cleanlab(np.float64),
            "labels as its own functions pass them: as floats, which it counts for other classes",
        ),
        Peer("cleanlab, whole labels", "cleanlab", with_cleanlab(np.int64), "searches a grid"),
    ],
    judge,
    verdict,
    limit="a pass in float32 and one in float64 over the scores; fewer would give up a gradient "
    "below 1e-11. From arrays, taking them in and a fingerprint come first",
)
