from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import credence

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    KFold,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from credence.sklearn import (  # noqa: E402
    EXPECTED_FAILED_CHECKS,
    CalibratedClassifier,
    CredenceCalibrator,
    scorer,
)


@pytest.fixture(scope="module")
def task() -> tuple[Any, Any]:
    return make_classification(600, 8, n_informative=5, n_classes=3, random_state=0)


def test_calibrated_classifier_passes_every_check() -> None:
    check_estimator(CalibratedClassifier())


def test_the_score_calibrator_fails_only_what_is_listed_with_a_reason() -> None:
    done = check_estimator(
        CredenceCalibrator(), expected_failed_checks=EXPECTED_FAILED_CHECKS, on_fail=None
    )
    failed = {one["check_name"] for one in done if one["status"] == "failed"}
    assert failed == set()
    listed = {one["check_name"] for one in done if one["status"] == "xfail"}
    assert set(EXPECTED_FAILED_CHECKS) == listed, "a listed check passes: take it off the list"


def test_votes_at_fit_are_what_the_calibrator_learns_from(task: Any) -> None:
    X, y = task
    rng = np.random.default_rng(0)
    votes = np.array([rng.multinomial(5, np.where(np.arange(3) == k, 0.6, 0.2)) for k in y])
    to_votes = CalibratedClassifier(LogisticRegression()).fit(X, y, votes)
    to_label = CalibratedClassifier(LogisticRegression()).fit(X, y)
    assert to_votes.calibrator_.method == "slts" and to_label.calibrator_.method == "ts"
    # Annotators disagree more than the label tells.
    assert to_votes.calibrator_.temperature_ > to_label.calibrator_.temperature_
    as_y = CalibratedClassifier(LogisticRegression()).fit(X, votes)
    assert as_y.calibrator_.method == "slts"
    assert np.allclose(as_y.predict_proba(X).sum(axis=1), 1.0, atol=1e-6)


def test_out_of_fold_scores_and_not_training_scores_are_calibrated(task: Any) -> None:
    X, y = task
    from sklearn.tree import DecisionTreeClassifier

    model = CalibratedClassifier(DecisionTreeClassifier(random_state=0)).fit(X, y)
    # The tree knows its training rows by heart; calibrated on them it would stay certain.
    assert model.predict_proba(X).max() < 0.99


def test_a_trained_classifier_is_left_alone(task: Any) -> None:
    X, y = task
    base = LogisticRegression().fit(X[:300], y[:300])
    model = CalibratedClassifier(base, method="platt", cv="prefit").fit(X[300:], y[300:])
    assert model.estimator_ is base
    assert np.array_equal(model.classes_, base.classes_)


def test_an_ensemble_gives_the_mean_of_what_its_estimators_give(task: Any) -> None:
    X, y = task
    model = CalibratedClassifier(LogisticRegression(), cv=4).fit(X, y)
    assert len(model.estimators_) == 4
    calibrated = [
        model.calibrator_.predict_proba(one.predict_proba(X), input="probs", dtype=np.float64)
        for one in model.estimators_
    ]
    assert np.allclose(model.predict_proba(X), np.mean(calibrated, axis=0), atol=1e-12)
    with pytest.raises(AttributeError, match="estimators_"):
        _ = model.estimator_
    alone = CalibratedClassifier(LogisticRegression(), cv=4, ensemble=False).fit(X, y)
    # The calibrator learns from the same answers; only what predicts differs.
    assert alone.calibrator_ == model.calibrator_
    everything = LogisticRegression().fit(X, y)
    assert np.allclose(alone.estimator_.coef_, everything.coef_)


def test_a_class_that_a_fold_was_not_trained_on_gets_a_column(task: Any) -> None:
    X, y = task
    # Six rows of class 2, all in the first of three plain folds.
    order = np.concatenate([np.flatnonzero(y == 2)[:6], np.flatnonzero(y != 2)])
    model = CalibratedClassifier(LogisticRegression(), method="voted+floor", cv=KFold(3))
    model.fit(X[order], y[order])
    assert [len(one.classes_) for one in model.estimators_] == [2, 3, 3]
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0, atol=1e-6)
    assert model.predict_proba(X).shape == (600, 3)


def test_every_row_must_be_held_out(task: Any) -> None:
    X, y = task
    with pytest.raises(ValueError, match="hold out every row"):
        CalibratedClassifier(cv=ShuffleSplit(2, random_state=0)).fit(X, y)


def test_classifiers_without_probabilities_are_calibrated_by_their_decisions() -> None:
    X, y = make_classification(400, random_state=0)
    model = CalibratedClassifier(LinearSVC()).fit(X, np.where(y == 1, "yes", "no"))
    assert set(model.predict(X)) == {"yes", "no"}


def test_pipelines_clones_pickles_and_grids(task: Any) -> None:
    X, y = task
    pipe = make_pipeline(StandardScaler(), CalibratedClassifier(LogisticRegression(), cv=3))
    pipe.fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(pipe)).predict_proba(X), pipe.predict_proba(X))
    grid = GridSearchCV(
        clone(pipe),
        {"calibratedclassifier__method": ["ts", "platt", "dirichlet-hard"]},
        scoring=scorer("nll"),
        cv=3,
    ).fit(X, y)
    assert grid.best_score_ < 0.0 and grid.best_params_


def test_scores_are_calibrated_with_soft_targets(demo: dict[str, Any]) -> None:
    model = CredenceCalibrator("dirichlet-soft").fit(demo["logits"], demo["votes"])
    wanted = credence.fit("dirichlet-soft", demo["logits"], demo["votes"], input="logits")
    assert model.calibrator_ == wanted
    found = cross_val_score(
        CredenceCalibrator("slts"), demo["logits"], demo["votes"], scoring=scorer("nll"), cv=4
    )
    assert (found < 0).all()


def test_scorers_agree_with_evaluate_and_know_the_direction(task: Any) -> None:
    X, y = task
    model = LogisticRegression().fit(X, y)
    found = credence.evaluate(model.predict_proba(X), labels=y, resamples=0)
    assert scorer("nll")(model, X, y) == -found["nll"]
    assert scorer("accuracy")(model, X, y) == found["accuracy"]
    with pytest.raises(credence.CredenceError, match="unknown metric"):
        scorer("nlll")
