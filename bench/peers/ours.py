"""Credence, for the jobs of this benchmark: the only file that knows how it is called."""

from __future__ import annotations

import json

import credence

from .contract import Answer, Run
from .problem import Problem

THREADS = 1


def fit(method: str, problem: Problem) -> Run:
    """Returns {"calibrator": ...}. As for every peer, the data are in its own form beforehand."""
    data = credence.Dataset(problem.logits, problem.counts, input="logits")
    return lambda: {"calibrator": credence.fit(method, data, threads=THREADS)}


def error(name: str, problem: Problem, draws: int) -> Run:
    """Returns {"value": ...}: a calibration error of the predicted class."""
    data = credence.Dataset(problem.probs, problem.counts, input="probs")
    return lambda: {"value": credence.ece(data, draws=draws, threads=THREADS)[name]}


def matrix(calibrator: credence.Calibrator) -> Answer:
    """The parameters of a matrix map, as the calibrator file has them."""
    parameters = json.loads(calibrator.to_json())["stages"][0]["parameters"]
    return {"W": parameters["weights"], "b": parameters["bias"]}
