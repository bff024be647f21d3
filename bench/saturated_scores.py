"""auto beside scikit-learn's calibrators, for classifiers that say 0 and 1 where they mean seldom.

scikit-learn's digits, GaussianNB and a random forest, five seeds: 5-fold CalibratedClassifier of
Credence and CalibratedClassifierCV of scikit-learn, both with their usual ensembles; log loss on
held-out rows. Prints a table in Markdown. docs/auto.md has the result.

    python bench/saturated_scores.py [--test-share 0.25] [--seeds 5]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from credence.sklearn import CalibratedClassifier

PEERS = ("sigmoid", "isotonic", "temperature")


def losses(model: Any, share: float, seed: int) -> list[float]:
    X, y = load_digits(return_X_y=True)
    learn, judge, known, truth = train_test_split(X, y, test_size=share, random_state=seed)
    calibrated = [CalibratedClassifierCV(model, method=peer, cv=5) for peer in PEERS]
    calibrated.append(CalibratedClassifier(model, method="auto", cv=5))
    return [
        float(log_loss(truth, one.fit(learn, known).predict_proba(judge))) for one in calibrated
    ]


def show(name: str, seed: str, found: Any) -> None:
    print(f"| {name} | {seed} | " + " | ".join(f"{loss:.4f}" for loss in found) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test-share", type=float, default=0.25)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of scikit-learn, about probabilities of float32
    print(f"| model | seed | {' | '.join(PEERS)} | auto |\n|---|---|---|---|---|---|")
    for name in ("GaussianNB", "random forest"):
        rows = []
        for seed in range(options.seeds):
            forest = RandomForestClassifier(random_state=seed)
            model = GaussianNB() if name == "GaussianNB" else forest
            rows.append(losses(model, options.test_share, seed))
            show(name, str(seed), rows[-1])
        show(name, "mean", np.mean(rows, axis=0))


if __name__ == "__main__":
    main()
