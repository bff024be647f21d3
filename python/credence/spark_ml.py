"""Calibration as a stage of a Spark ML pipeline.

from credence.spark_ml import CalibratorEstimator, CalibratorModel

estimator = CalibratorEstimator(
    method="slts", input="logits", scoresCol="logits", votesCol="counts", orderCol="row")
model = estimator.fit(df)
model.transform(df)                  # adds the column "probabilities"
model.write().overwrite().save(path)   # parameters and calibrator, as JSON
CalibratorModel.load(path).calibrator  # a credence.Calibrator
"""

from __future__ import annotations

from typing import Any

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import DataFrame

from . import spark
from ._calibrator import Calibrator

__all__ = ["CalibratorEstimator", "CalibratorModel"]

_TEXT = TypeConverters.toString
_TEXTS = TypeConverters.toListString


def _param(name: str, doc: str, converter: Any = _TEXT) -> Any:
    return Param(Params._dummy(), name, doc, typeConverter=converter)


class _Stage(Params, DefaultParamsReadable, DefaultParamsWritable):  # type: ignore[misc]
    """What estimator and model share."""

    scoresCol = _param("scoresCol", "lists of scores, one for each class")  # noqa: N815
    outputCol = _param("outputCol", "calibrated probabilities")  # noqa: N815
    input = _param("input", "what the scores are: logits, log_probs or probs")

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(scoresCol="scores", outputCol="probabilities", input="logits")

    def _of(self, name: str) -> Any:
        """The value of a parameter, None where it is not set."""
        param = self.getParam(name)
        return self.getOrDefault(param) if self.isDefined(param) else None


class CalibratorEstimator(Estimator, _Stage):  # type: ignore[misc]
    """Fits ``method`` to scores and votes; see :class:`credence.spark.Rows` for the columns."""

    method = _param("method", "one of credence.methods(), TARGET+MAP or 'A then B'")
    votesCol = _param("votesCol", "votes: counts, labels or a map")  # noqa: N815
    labelsCol = _param("labelsCol", "one majority label, in place of votes")  # noqa: N815
    orderCol = _param("orderCol", "the order of the rows")  # noqa: N815
    idCol = _param("idCol", "ids of the rows; by their hash without orderCol")  # noqa: N815
    classes = _param("classes", "names of the classes in the order of the scores", _TEXTS)
    votesFormat = _param("votesFormat", "counts, labels or map")  # noqa: N815
    seed = _param("seed", "of methods that draw", TypeConverters.toInt)

    @keyword_only  # type: ignore[untyped-decorator]
    def __init__(
        self,
        *,
        method: str = "slts",
        input: str = "logits",
        scoresCol: str = "scores",
        votesCol: str | None = None,
        labelsCol: str | None = None,
        orderCol: str | None = None,
        idCol: str | None = None,
        classes: list[str] | None = None,
        votesFormat: str | None = None,
        outputCol: str = "probabilities",
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self._setDefault(method="slts")
        given = self._input_kwargs
        self._set(**{name: value for name, value in given.items() if value is not None})

    def _fit(self, dataset: DataFrame) -> CalibratorModel:
        columns = {
            "scores": self._of("scoresCol"),
            "votes": self._of("votesCol"),
            "labels": self._of("labelsCol"),
            "input": self._of("input"),
            "order": self._of("orderCol"),
            "id": self._of("idCol"),
            "classes": self._of("classes"),
            "votes_format": self._of("votesFormat") or "",
        }
        seed = {} if self._of("seed") is None else {"seed": self._of("seed")}
        fitted = spark.fit(dataset, self._of("method"), **columns, **seed)
        model: CalibratorModel = self._copyValues(CalibratorModel(fitted))
        return model


class CalibratorModel(Model, _Stage):  # type: ignore[misc]
    """Adds a column of calibrated probabilities. What is saved is JSON, the calibrator included."""

    calibratorJson = _param("calibratorJson", "the text of the calibrator file")  # noqa: N815

    def __init__(self, calibrator: Calibrator | None = None) -> None:
        super().__init__()
        if calibrator is not None:
            self._set(calibratorJson=calibrator.to_json())

    @property
    def calibrator(self) -> Calibrator:
        """The calibrator itself."""
        return Calibrator.from_json(self._of("calibratorJson"))

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return spark.transform(
            dataset,
            self.calibrator,
            scores=self._of("scoresCol"),
            input=self._of("input"),
            output=self._of("outputCol"),
        )
