"""A full matrix and biases, fitted to what all annotators said (method dirichlet-soft)."""

from __future__ import annotations

import numpy as np

from . import ours
from .contract import SCORES_AND_COUNTS, Answer, Job, Peer, Run
from .problem import Problem

PENALTY = 1e-3  # times the mean square of the off-diagonal weights, and of the biases


def run_ours(problem: Problem) -> Run:
    return ours.fit("dirichlet-soft", problem)


def run_ours_prepared(problem: Problem) -> Run:
    return ours.fit_prepared("dirichlet-soft", problem)


def with_torch(**options: object):
    def prepare(problem: Problem) -> Run:
        import torch

        u, shares = torch.from_numpy(problem.log_probs), torch.from_numpy(problem.shares)
        k = problem.classes

        def run() -> Answer:
            w, b = torch.eye(k), torch.zeros(k)
            w.requires_grad_()
            b.requires_grad_()
            optimiser = torch.optim.LBFGS(
                [w, b], max_iter=500, tolerance_grad=1e-9, tolerance_change=1e-11, **options
            )

            def closure():
                optimiser.zero_grad()
                log_p = torch.log_softmax(u @ w.T + b, dim=1)
                off = (w - torch.diag(torch.diag(w))).square().sum() / (k * (k - 1))
                penalty = PENALTY * (off + b.square().mean())
                loss = -(shares * log_p).sum(dim=1).mean() + penalty
                loss.backward()
                return loss

            optimiser.step(closure)
            return {"W": w.detach().numpy(), "b": b.detach().numpy()}

        return run

    return prepare


def with_scipy(problem: Problem) -> Run:
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    u, shares, k = problem.log_probs, problem.shares, problem.classes
    off = ~np.eye(k, dtype=bool)

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        w, b = theta[: k * k].reshape(k, k), theta[k * k :]
        log_p = log_softmax(u @ w.astype(np.float32).T + b.astype(np.float32), axis=1)
        value = -np.mean((shares * log_p).sum(axis=1), dtype=np.float64)
        residual = (np.exp(log_p) - shares) / np.float32(len(u))
        dw, db = residual.T @ u, residual.sum(axis=0)
        value += PENALTY * ((w[off] ** 2).mean() + (b**2).mean())
        dw = dw + PENALTY * 2 * np.where(off, w, 0) / (k * (k - 1))
        db = db + PENALTY * 2 * b / k
        return value, np.concatenate([dw.ravel(), db]).astype(np.float64)

    def run() -> Answer:
        start = np.concatenate([np.eye(k).ravel(), np.zeros(k)])
        found = minimize(
            loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "maxfun": 1000}
        ).x
        return {"W": found[: k * k].reshape(k, k), "b": found[k * k :]}

    return run


def with_scikit_learn(problem: Problem) -> Run:
    """Knows hard labels with weights, and a penalty on all weights alike."""
    from sklearn.linear_model import LogisticRegression

    row, label, weight = problem.one_row_per_answer()
    u = problem.log_probs[row]

    def run() -> Answer:
        model = LogisticRegression(max_iter=500)
        model.fit(u, label, sample_weight=weight)
        return {"W": model.coef_, "b": model.intercept_, "classes": model.classes_, "other": True}

    return run


def judge(problem: Problem, answer: Answer) -> dict[str, float]:
    k = problem.classes
    if "calibrator" in answer:
        answer = ours.matrix(answer["calibrator"])
    w, b = np.asarray(answer["W"], np.float64), np.asarray(answer["b"], np.float64)
    if len(w) < k:  # a class that nobody voted for
        whole, biases = np.zeros((k, k)), np.full(k, -np.inf)
        whole[answer["classes"]], biases[answer["classes"]] = w, b
        w, b = whole, biases
    nll, dw, db = 0.0, np.zeros((k, k)), np.zeros(k)
    for rows in problem.blocks():
        u = problem.log_probs[rows].astype(np.float64)
        q = problem.shares[rows].astype(np.float64)
        q /= q.sum(axis=1, keepdims=True)
        z = u @ w.T + b
        z -= z.max(axis=1, keepdims=True)
        log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        nll -= np.where(q > 0, q * log_p, 0.0).sum()
        residual = np.exp(log_p) - q
        dw += residual.T @ u
        db += residual.sum(axis=0)
    n = problem.rows
    if answer.get("other"):
        return {"nll": nll / n}
    off = ~np.eye(k, dtype=bool)
    dw, db = (
        dw / n + PENALTY * 2 * np.where(off, w, 0) / (k * (k - 1)),
        db / n + PENALTY * 2 * b / k,
    )
    return {
        "nll": nll / n,
        "loss": nll / n + PENALTY * ((w[off] ** 2).mean() + (b**2).mean()),
        "gradient": float(np.sqrt((dw**2).sum() + (db**2).sum())),
    }


def verdict(one: dict[str, float], everybody: list[dict[str, float]]) -> str:
    if "loss" not in one:
        return f"nll {one['nll']:.6f} (another penalty)"
    best = min(numbers["loss"] for numbers in everybody if "loss" in numbers)
    said = f"loss {one['loss']:.6f}, gradient {one['gradient']:.0e}"
    worse = one["loss"] - best
    return said if worse < 1e-7 else f"{said}: not the optimum, {worse:.1e} too high"


job = Job(
    "matrix",
    "Matrix map, soft (dirichlet-soft)",
    SCORES_AND_COUNTS,
    run_ours,
    run_ours_prepared,
    [
        Peer("PyTorch L-BFGS, paper", "torch", with_torch(lr=0.1), "lr 0.1, 500 iterations"),
        Peer(
            "PyTorch L-BFGS, Wolfe",
            "torch",
            with_torch(lr=1, line_search_fn="strong_wolfe"),
            "with line search, which the paper does not use",
        ),
        Peer("SciPy L-BFGS-B", "scipy", with_scipy, "gradient by hand, 500 iterations"),
        Peer(
            "scikit-learn LogisticRegression",
            "sklearn",
            with_scikit_learn,
            "one weighted row per distinct answer; its own penalty",
        ),
    ],
    judge,
    verdict,
    limit="passes of two matrix products each, without fused multiply-add (with 100 classes 18 in "
    "float32 and 2 in float64); with 10 classes reading scores and votes for the first time is half",
    skip={(50_000, 1_000): "nobody converges within minutes: a million parameters, 50,000 rows"},
)
