"""Credence in MLflow: a comparison as part of a run, and a model with its calibrator as one model.

    import mlflow
    import credence
    import credence.mlflow

    with mlflow.start_run():
        found = credence.compare(logits, votes, input="logits")
        credence.mlflow.log_comparison(found)
        credence.mlflow.log_model("calibrated", found.calibrator, model="models:/reviews/7")

    service = mlflow.pyfunc.load_model("models:/calibrated-reviews/1")
    service.predict(rows)          # a data frame of calibrated probabilities, a column per class

``mlflow-skinny`` is enough. The calibrator is stored as its JSON file, the model as MLflow stores
it; this module pickles nothing itself.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import mlflow
    import mlflow.artifacts
    import mlflow.pyfunc
except ImportError as error:
    raise ImportError(
        "credence.mlflow needs MLflow, which is not installed: pip install mlflow-skinny pandas"
    ) from error

from ._calibrator import Calibrator
from ._compare import Comparison
from ._core import version
from ._data import PathLike
from ._errors import CredenceError

__all__ = ["CalibratedModel", "load_model", "log_comparison", "log_model", "save_model"]

_SETTINGS = "credence.json"


def log_comparison(
    comparison: Comparison,
    *,
    artifact_path: str = "credence",
    prefix: str = "",
    report: bool = True,
) -> None:
    """Log a comparison to the active run, or to a new one as MLflow does.

    Metrics: every metric of the recommended method, and those of the model as it is under
    "uncalibrated/". Parameters: the method and what it was compared on. Artifacts: all files of
    :meth:`Comparison.save` (results.json, calibrator.json, tables) and the report, below
    ``artifact_path``. ``prefix`` goes before the names of metrics and parameters.
    """
    metrics: dict[str, float] = {}
    for method in comparison.results["splits"][0]["methods"]:
        if not method["recommended"] and method["name"] != "uncalibrated":
            continue
        group = "" if method["recommended"] else "uncalibrated/"
        for name, found in method["metrics"].items():
            if found["value"] is not None:
                metrics[f"{prefix}{group}{name}"] = found["value"]
    mlflow.log_metrics(metrics)
    mlflow.log_params({f"{prefix}{key}": value for key, value in _facts(comparison).items()})
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "files"
        comparison.save(kept)
        if report:
            comparison.report(kept / "report.html")
        mlflow.log_artifacts(str(kept), artifact_path)


def _facts(comparison: Comparison) -> dict[str, Any]:
    results = comparison.results
    return {
        "credence.method": comparison.recommended,
        "credence.methods_compared": len(comparison.calibrators),
        "credence.calibration_rows": results["data"]["calibration"]["rows"],
        "credence.evaluation_rows": results["data"]["evaluation"]["rows"],
        "credence.classes": len(comparison.calibrator.classes_),
        "credence.input": comparison.calibrator.input,
        "credence.fingerprint": comparison.calibrator.report_["fingerprint"],
        "credence.version": version,
    }


class CalibratedModel:
    """What MLflow serves: a model, or nothing, and a calibrator behind it.

    Made by :func:`load_model`. ``model`` is the MLflow model that gives the scores; None where the
    scores themselves are the input.
    """

    def __init__(self, calibrator: Calibrator, model: Any = None, input: str | None = None) -> None:
        self.calibrator = calibrator
        self.model = model
        self.input = input

    def predict_proba(self, data: Any) -> Any:
        """Calibrated probabilities, columns in the order of the scores."""
        return self.calibrator.predict_proba(self._scores(data), input=self.input)

    def predict(self, data: Any, params: dict[str, Any] | None = None) -> Any:
        """Calibrated probabilities as a data frame, a column per class."""
        import pandas

        scores = self._scores(data)
        names = [str(name) for name in self.calibrator.classes_]
        if hasattr(scores, "columns") and {str(c) for c in scores.columns} == set(names):
            names = [str(column) for column in scores.columns]
        found = self.calibrator.predict_proba(scores, input=self.input)
        return pandas.DataFrame(found, columns=names)

    def get_raw_model(self) -> CalibratedModel:
        """What :func:`load_model` returns."""
        return self

    def _scores(self, data: Any) -> Any:
        scores = data if self.model is None else self.model.predict(data)
        # Frames of numbered columns, as servers make them of JSON, are arrays.
        if hasattr(scores, "columns") and all(str(c).isdigit() for c in scores.columns):
            return scores.to_numpy()
        return scores


def _load_pyfunc(path: str) -> CalibratedModel:
    """What MLflow calls to load a model of this flavour."""
    folder = Path(path)
    settings = json.loads((folder / _SETTINGS).read_text())
    inner = folder / "model"
    return CalibratedModel(
        Calibrator.load(folder / "calibrator.json"),
        mlflow.pyfunc.load_model(str(inner)) if inner.is_dir() else None,
        settings["input"],
    )


@contextmanager
def _stored(calibrator: Calibrator, model: Any, input: str | None) -> Iterator[Path]:
    """A folder with the calibrator, the model and what is said about them."""
    if not isinstance(calibrator, Calibrator):
        raise CredenceError(
            "usage", f"the calibrator is a {type(calibrator).__name__}", "give a fitted Calibrator"
        )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "calibrated"
        folder.mkdir()
        calibrator.save(folder / "calibrator.json")
        settings = {"credence": version, "input": input, "method": calibrator.method}
        (folder / _SETTINGS).write_text(json.dumps(settings, indent=2) + "\n")
        if isinstance(model, (str, os.PathLike)):
            where = os.fspath(model)
            if not os.path.isdir(where):
                where = mlflow.artifacts.download_artifacts(artifact_uri=where)
            shutil.copytree(where, folder / "model")
        elif isinstance(model, mlflow.pyfunc.PythonModel):
            mlflow.pyfunc.save_model(path=str(folder / "model"), python_model=model,
                                     pip_requirements=["mlflow", "numpy"])
        elif model is not None:
            raise CredenceError(
                "usage",
                f"the model is a {type(model).__name__}; wanted an MLflow model that gives scores",
                "save it with its own flavour first and give the path, e.g. mlflow.sklearn."
                'save_model(model, "model", pyfunc_predict_fn="predict_proba")',
            )
        yield folder


def _requirements(folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Without this MLflow would load the model once more to find out what it imports."""
    own = ("pip_requirements", "extra_pip_requirements", "conda_env")
    if any(options.get(name) for name in own):
        return options
    wanted = [f"credence=={version}", f"mlflow=={mlflow.__version__}", "numpy", "pandas"]
    inner = folder / "model" / "requirements.txt"
    if inner.is_file():
        lines = [line.strip() for line in inner.read_text().splitlines()]
        known = {line.partition("=")[0] for line in wanted}
        wanted += [line for line in lines if line and line.partition("=")[0] not in known]
    return {**options, "pip_requirements": wanted}


def save_model(
    path: PathLike,
    calibrator: Calibrator,
    *,
    model: Any = None,
    input: str | None = None,
    **options: Any,
) -> None:
    """Save a model with its calibrator as one MLflow model, in a folder that is not there yet.

    ``model`` is the path or URI of an MLflow model whose ``predict`` gives scores (for
    scikit-learn: saved with ``pyfunc_predict_fn="predict_proba"``), or a ``PythonModel``. Without
    one, the calibrator alone: its input are scores. ``input`` says what the scores are; without
    it, what the calibrator was fitted to. ``options`` go to ``mlflow.pyfunc.save_model``:
    signature, input_example, pip_requirements, metadata, ...
    """
    with _stored(calibrator, model, input) as folder:
        mlflow.pyfunc.save_model(
            path=os.fspath(path),
            loader_module="credence.mlflow",
            data_path=str(folder),
            **_requirements(folder, options),
        )


def log_model(
    name: str,
    calibrator: Calibrator,
    *,
    model: Any = None,
    input: str | None = None,
    **options: Any,
) -> Any:
    """Log a model with its calibrator to the active run; returns what MLflow returns.

    As :func:`save_model`; ``options`` go to ``mlflow.pyfunc.log_model``: registered_model_name, ...
    """
    known = inspect.signature(mlflow.pyfunc.log_model).parameters
    place = {"name" if "name" in known else "artifact_path": name}
    with _stored(calibrator, model, input) as folder:
        return mlflow.pyfunc.log_model(
            **place,
            loader_module="credence.mlflow",
            data_path=str(folder),
            **_requirements(folder, options),
        )


def load_model(model_uri: PathLike) -> CalibratedModel:
    """Load what :func:`save_model` or :func:`log_model` wrote, from a path or an MLflow URI.

    ``mlflow.pyfunc.load_model`` loads the same model behind MLflow's own interface.
    """
    try:
        raw = mlflow.pyfunc.load_model(os.fspath(model_uri)).get_raw_model()
    except NotImplementedError:
        raw = None
    if not isinstance(raw, CalibratedModel):
        raise CredenceError(
            "usage",
            f"{os.fspath(model_uri)} is not a model with a calibrator",
            "load it with mlflow.pyfunc.load_model",
        )
    return raw
