"""Credence in scikit-learn: estimators and scorers.

:class:`CalibratedClassifier` wraps a classifier and calibrates it on folds that it was not trained
on. :class:`CredenceCalibrator` calibrates scores that are there already. :func:`scorer` makes any
metric of :func:`credence.metrics` a scorer.

>>> from sklearn.datasets import load_iris
>>> from sklearn.linear_model import LogisticRegression
>>> from credence.sklearn import CalibratedClassifier
>>> X, y = load_iris(return_X_y=True)
>>> model = CalibratedClassifier(LogisticRegression(max_iter=1000), method="ts").fit(X, y)
>>> model.predict_proba(X[:2]).shape
(2, 3)
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ._calibrator import _FIT, Calibrator
from ._calibrator import fit as _fit
from ._errors import CredenceError
from ._evaluate import evaluate
from ._simulate import metrics

__all__ = ["EXPECTED_FAILED_CHECKS", "CalibratedClassifier", "CredenceCalibrator", "scorer"]

_Array = npt.NDArray[Any]

_NOT_SCORES = "X are scores with one column per class; the check has as many features as it likes"
_NO_SKILL = "X are scores; the check gives features and wants them classified well"
#: Checks of scikit-learn that :class:`CredenceCalibrator` cannot pass, with the reason:
#: ``check_estimator(CredenceCalibrator(), expected_failed_checks=EXPECTED_FAILED_CHECKS)``.
EXPECTED_FAILED_CHECKS: dict[str, str] = {
    "check_classifiers_classes": _NOT_SCORES,
    "check_classifiers_train": _NO_SKILL,
    "check_estimators_fit_returns_self": _NOT_SCORES,
    "check_estimators_overwrite_params": _NOT_SCORES,
    "check_readonly_memmap_input": _NOT_SCORES,
}


def _default(method: str | None, has_votes: bool) -> str:
    """Fitted to the annotators where they are known, to the majority label otherwise."""
    return method or ("slts" if has_votes else "ts")


def _is_counts(y: Any) -> bool:
    shape = np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def _top(counts: Any) -> npt.NDArray[np.intp]:
    return np.asarray(np.asarray(counts).argmax(axis=1))


class CredenceCalibrator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator on scores: one column per class in, calibrated probabilities out.

    ``y`` are majority labels, or a matrix of counts or shares with one column per class. Without a
    ``method``, "slts" for a matrix and "ts" for labels. ``input`` says what the scores are.

    >>> from credence.sklearn import CredenceCalibrator
    >>> model = CredenceCalibrator(input="logits").fit([[2.0, 0.0]] * 3, [[2, 1]] * 3)
    >>> model.predict_proba([[2.0, 0.0]]).round(3)
    array([[0.667, 0.333]])
    """

    def __init__(
        self,
        method: str | None = None,
        *,
        input: str = "logits",
        gauge: str = _FIT.gauge,
        seed: int = _FIT.seed,
        threads: int = _FIT.threads,
    ) -> None:
        self.method = method
        self.input = input
        self.gauge = gauge
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any = None, votes: Any = None) -> CredenceCalibrator:
        """Learn from scores ``X`` and labels or counts ``y``, or ``votes`` of any form."""
        X = validate_data(self, X, dtype=[np.float32, np.float64], ensure_min_features=2)
        if y is None and votes is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None: give labels, a matrix of counts, or votes="
            )
        if votes is None and _is_counts(y):
            votes = y
        options: dict[str, Any] = {"gauge": self.gauge, "seed": self.seed, "threads": self.threads}
        name = _default(self.method, votes is not None)
        if votes is not None:
            self.calibrator_: Calibrator = _fit(name, X, votes, input=self.input, **options)
            self.classes_: _Array = self.calibrator_.classes_
            return self
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        found, labels = np.unique(y, return_inverse=True)
        if len(found) == 1:
            raise ValueError(f"y has one class, {found[0]!r}; there must be at least two classes")
        if len(found) == X.shape[1]:
            self.classes_ = found
        else:
            self.classes_ = np.arange(X.shape[1])
            labels = y
        self.calibrator_ = _fit(name, X, labels=labels, input=self.input, **options)
        return self

    def predict_proba(self, X: Any) -> _Array:
        """Calibrated probabilities, columns in the order of ``classes_``."""
        check_is_fitted(self, "calibrator_")
        X = validate_data(self, X, dtype=[np.float32, np.float64], reset=False)
        return self.calibrator_.predict_proba(X, dtype=np.float64, threads=self.threads)

    def predict(self, X: Any) -> _Array:
        """The most probable class of every row."""
        best: _Array = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


class CalibratedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose probabilities are calibrated on folds it was not trained on.

    ``estimator`` (LogisticRegression without one) is trained on every fold but one and asked about
    that one; the calibrator learns from all these answers. With ``ensemble``, as in scikit-learn,
    these estimators stay, and the mean of their calibrated probabilities is given; without it one
    is trained on everything, which predicts faster. ``cv`` is a number of folds (fewer where a
    class has fewer members), anything that scikit-learn takes, or "prefit" for an estimator that is
    trained already. Its ``predict_proba`` is calibrated, or its ``decision_function`` as logits
    where it has none. ``estimators_`` lists what predicts.

    Without a ``method``, "slts" with votes and "ts" without. Votes given at ``fit(X, y, votes)``
    are what the annotators said of the same rows: counts with columns in the order of
    ``classes_``, or any other form of :func:`credence.fit`. ``y`` may be a matrix of counts itself.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str | None = None,
        cv: Any = 5,
        ensemble: bool = True,
        gauge: str = _FIT.gauge,
        seed: int = _FIT.seed,
        threads: int = _FIT.threads,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble
        self.gauge = gauge
        self.seed = seed
        self.threads = threads

    def _base(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags

    def fit(self, X: Any, y: Any, votes: Any = None) -> CalibratedClassifier:
        """Train and calibrate on ``X``, labels ``y`` and, where known, ``votes``."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None"
            )
        if votes is None and _is_counts(y):
            votes, y = y, _top(y)
        check_options: dict[str, Any] = {"accept_sparse": True, "ensure_all_finite": False}
        if self.cv != "prefit":
            check_options["ensure_min_samples"] = 2
        X, y = validate_data(self, X, y, dtype=None, **check_options)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if self.cv == "prefit":
            base = self._base()
            check_is_fitted(base)
            self.estimators_: list[Any] = [base]
            self.classes_ = np.asarray(base.classes_)
            labels = np.searchsorted(self.classes_, y)
            scores, kind = self._scores(base, X)
        else:
            self._check_classes(labels)
            scores, kind = self._out_of_fold(X, labels)
            if not self.ensemble:
                self.estimators_ = [clone(self._base()).fit(X, y)]
        name = _default(self.method, votes is not None)
        options: dict[str, Any] = {"gauge": self.gauge, "seed": self.seed, "threads": self.threads}
        if votes is None:
            self.calibrator_: Calibrator = _fit(
                name, scores, labels=labels, input=kind, **options
            )
        else:
            named = [str(label) for label in self.classes_]
            self.calibrator_ = _fit(
                name, scores, votes, input=kind, score_classes=named, **options
            )
        return self

    def _check_classes(self, labels: npt.NDArray[np.intp]) -> None:
        if len(self.classes_) == 1:
            raise ValueError(
                f"y has one class, {self.classes_[0]!r}; there must be at least two classes"
            )
        rare = np.bincount(labels).min()
        if isinstance(self.cv, int) and rare < 2:
            name = self.classes_[np.bincount(labels).argmin()]
            raise ValueError(
                f"class {name!r} has n_samples=1; every class needs two for training and "
                "calibration, or give a classifier that is trained already with cv='prefit'"
            )

    def _out_of_fold(self, X: Any, labels: npt.NDArray[np.intp]) -> tuple[_Array, str]:
        cv = self.cv
        if isinstance(cv, int):
            cv = StratifiedKFold(min(cv, int(np.bincount(labels).min())))
        else:
            cv = check_cv(cv, labels, classifier=True)
        (X,) = indexable(X)
        found: _Array = np.full((len(labels), len(self.classes_)), np.nan)
        kind = ""
        self.estimators_ = []
        for learn, judge in cv.split(X, labels):
            model = clone(self._base()).fit(X[learn], self.classes_[labels[learn]])
            found[judge], kind = self._scores(model, X[judge])
            self.estimators_.append(model)
        if np.isnan(found).any():
            raise ValueError("cv must hold out every row once: the calibrator learns from all")
        return found, kind

    def _scores(self, model: Any, X: Any) -> tuple[_Array, str]:
        """What a trained classifier gives, and what kind of scores that is."""
        if hasattr(model, "predict_proba"):
            found, kind, never = np.asarray(model.predict_proba(X)), "probs", 0.0
        else:
            found, kind, never = _two_columns(model.decision_function(X)), "logits", -np.inf
        if found.shape[1] == len(self.classes_):
            return found, kind
        # Some class was not among the rows that it was trained on.
        wide = np.full((len(found), len(self.classes_)), never)
        wide[:, np.searchsorted(self.classes_, model.classes_)] = found
        return wide, kind

    @property
    def estimator_(self) -> Any:
        """The estimator that was given trained, or is trained on everything."""
        if len(self.estimators_) > 1:
            raise AttributeError("an ensemble has several estimators: estimators_")
        return self.estimators_[0]

    def predict_proba(self, X: Any) -> _Array:
        """Calibrated probabilities, columns in the order of ``classes_``."""
        check_is_fitted(self, "calibrator_")
        X = validate_data(
            self, X, reset=False, dtype=None, accept_sparse=True, ensure_all_finite=False
        )
        total: _Array = np.zeros((X.shape[0], len(self.classes_)))
        for model in self.estimators_:
            scores, kind = self._scores(model, X)
            total += self.calibrator_.predict_proba(
                scores, input=kind, dtype=np.float64, threads=self.threads
            )
        return total / len(self.estimators_)

    def predict(self, X: Any) -> _Array:
        """The most probable class of every row."""
        best: _Array = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


def _two_columns(scores: Any) -> _Array:
    """A binary decision_function speaks of the second class only; logits of both."""
    found = np.asarray(scores)
    return np.column_stack([np.zeros(len(found)), found]) if found.ndim == 1 else found


def scorer(metric: str, **options: Any) -> Callable[[Any, Any, Any], float]:
    """A scorer for cross_val_score, GridSearchCV and the like: higher is better.

    ``y`` are labels, or a matrix of counts or shares with columns in the order of ``classes_``. A
    metric of which less is better is negated. ``options`` go to :func:`credence.evaluate`.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from credence.sklearn import scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> scores = cross_val_score(LogisticRegression(max_iter=1000), X, y, scoring=scorer("nll"))
    >>> bool((scores < 0).all())
    True
    """
    known = {entry["name"]: entry for entry in metrics()}
    if metric not in known:
        raise CredenceError("usage", f"unknown metric '{metric}'", "credence.metrics() lists all")
    if known[metric]["better"] is None:
        raise CredenceError("usage", f"neither more nor less of '{metric}' is better")
    sign = 1.0 if known[metric]["better"] == "higher" else -1.0
    options.setdefault("resamples", 0)

    def score(estimator: Any, X: Any, y: Any) -> float:
        probabilities = estimator.predict_proba(X)
        if type_of_target(y) in ("binary", "multiclass"):
            labels = np.searchsorted(estimator.classes_, np.asarray(y))
            found = evaluate(probabilities, labels=labels, **options)
        else:
            found = evaluate(probabilities, y, **options)
        value = found[metric]
        return float("nan") if value is None else sign * value

    score.__name__ = f"credence_{metric}"
    return score
