"""Honest confidence for classifiers when annotators disagree.

>>> import credence
>>> demo = credence.demo_data(rows=500)   # logits, and the votes of 12 annotators per example
>>> logits, votes = demo["logits"], demo["votes"]
>>> model = credence.fit("slts", logits[:300], votes[:300], input="logits")
>>> probabilities = model.predict_proba(logits[300:])   # rows that it was not fitted on
>>> credence.evaluate(probabilities, votes[300:])
Evaluation(as given, nll=..., ece_expected=..., brier_reader=..., accuracy=...)
"""

from ._calibrator import Calibrator, fit
from ._compare import Comparison, compare, report
from ._core import version as __version__
from ._data import Dataset
from ._errors import CredenceError
from ._evaluate import Evaluation, ece, evaluate
from ._panel import Panel, fit_panel
from ._simulate import (
    demo_data,
    methods,
    metrics,
    simulate,
    simulate_annotators,
    simulate_toy,
)
from ._studies import Ablation, Plan, ablate, inspect, plan

__all__ = [
    "Ablation",
    "Calibrator",
    "Comparison",
    "CredenceError",
    "Dataset",
    "Evaluation",
    "Panel",
    "Plan",
    "__version__",
    "ablate",
    "compare",
    "demo_data",
    "ece",
    "evaluate",
    "fit",
    "fit_panel",
    "inspect",
    "methods",
    "metrics",
    "plan",
    "report",
    "simulate",
    "simulate_annotators",
    "simulate_toy",
]
