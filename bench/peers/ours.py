"""Credence, for the jobs of this benchmark: the only file that knows how it is called."""

from __future__ import annotations

import json

import credence

from .contract import Answer, Run
from .problem import Problem

THREADS = 1


def fit(method: str, problem: Problem) -> Run:
    """Returns {"calibrator": ...}."""
    logits, counts = problem.logits, problem.counts
    return lambda: {
        "calibrator": credence.fit(method, logits, counts, input="logits", threads=THREADS)
    }


def fit_prepared(method: str, problem: Problem) -> Run:
    data = credence.Dataset(problem.logits, problem.counts, input="logits")
    return lambda: {"calibrator": credence.fit(method, data, threads=THREADS)}


def voted_error(problem: Problem) -> Run:
    """Returns {"value": ...}: the calibration error against majority labels."""
    probs, voted = problem.probs, problem.voted
    return lambda: {
        "value": credence.ece(probs, labels=voted, draws=0, threads=THREADS)["ece_voted"]
    }


def voted_error_prepared(problem: Problem) -> Run:
    data = credence.Dataset(problem.probs, labels=problem.voted, input="probs")
    return lambda: {"value": credence.ece(data, draws=0, threads=THREADS)["ece_voted"]}


def drawn_error(problem: Problem, draws: int) -> Run:
    """The same against draws from the annotators."""
    probs, counts = problem.probs, problem.counts
    return lambda: {
        "value": credence.ece(probs, counts, draws=draws, threads=THREADS)["ece_true"]
    }


def drawn_error_prepared(problem: Problem, draws: int) -> Run:
    data = credence.Dataset(problem.probs, problem.counts, input="probs")
    return lambda: {"value": credence.ece(data, draws=draws, threads=THREADS)["ece_true"]}


def taken_in(kind: str, problem: Problem) -> Run:
    """Returns {"rows": ...}."""
    scores, counts = getattr(problem, kind), problem.counts
    return lambda: {"rows": credence.Dataset(scores, counts, input=kind).rows}


def temperature(problem: Problem, t: float) -> credence.Calibrator:
    """A calibrator with this temperature, as its file describes it."""
    fitted = credence.fit("slts", problem.logits[:1000], problem.counts[:1000], input="logits")
    described = json.loads(fitted.to_json())
    described["stages"][0]["parameters"] = {"inverse_temperature": 1 / t, "temperature": t}
    return credence.Calibrator.from_json(json.dumps(described))


def applied(problem: Problem, t: float) -> Run:
    """Returns {"p": ...}."""
    model, logits = temperature(problem, t), problem.logits
    return lambda: {"p": model.predict_proba(logits, threads=THREADS)}


def matrix(calibrator: credence.Calibrator) -> Answer:
    """The parameters of a matrix map, as the calibrator file has them."""
    parameters = json.loads(calibrator.to_json())["stages"][0]["parameters"]
    return {"W": parameters["weights"], "b": parameters["bias"]}
