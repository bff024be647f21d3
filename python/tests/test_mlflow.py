"""Comparisons as MLflow runs, and models with their calibrators as MLflow models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import credence

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
pandas = pytest.importorskip("pandas")

import credence.mlflow  # noqa: E402


@pytest.fixture(scope="module")
def found() -> credence.Comparison:
    demo = credence.demo_data(rows=600)
    return credence.compare(demo["logits"], demo["votes"], input="logits", resamples=50,
                            methods=["ts", "slts", "dirichlet-soft"], classes=demo["classes"])


@pytest.fixture()
def tracking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # skinny has no database
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "quiet")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield mlflow.MlflowClient()
    mlflow.set_tracking_uri(None)


class Half(mlflow.pyfunc.PythonModel):
    """A model whose logits are half its input."""

    def predict(self, context, model_input, params=None):
        return np.asarray(model_input, dtype=np.float32) / 2


def test_a_comparison_is_logged_with_its_files(
    found: credence.Comparison, tracking: Any, tmp_path: Path
) -> None:
    with mlflow.start_run() as run:
        credence.mlflow.log_comparison(found)
    data = tracking.get_run(run.info.run_id).data
    methods = {m["name"]: m["metrics"] for m in found.results["splits"][0]["methods"]}
    assert data.metrics["nll"] == methods[found.recommended]["nll"]["value"]
    assert data.metrics["uncalibrated/nll"] == methods["uncalibrated"]["nll"]["value"]
    assert data.params["credence.method"] == found.recommended
    assert data.params["credence.fingerprint"] == found.calibrator.report_["fingerprint"]
    folder = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="credence",
                                                 dst_path=str(tmp_path / "got"))
    names = {path.name for path in Path(folder).iterdir()}
    assert {"results.json", "calibrator.json", "report.html", "results.csv"} <= names
    assert credence.Calibrator.load(Path(folder) / "calibrator.json") == found.calibrator
    assert json.loads((Path(folder) / "results.json").read_text()) == found.results


def test_scores_in_probabilities_out(found: credence.Comparison, tmp_path: Path) -> None:
    credence.mlflow.save_model(tmp_path / "model", found.calibrator)
    scores = np.random.default_rng(0).normal(size=(9, 5)).astype(np.float32)
    wanted = found.calibrator.predict_proba(scores)
    service = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    frame = service.predict(scores)
    assert list(frame.columns) == list(found.calibrator.classes_)
    assert np.array_equal(frame.to_numpy(), wanted)
    # As a server hands over JSON: numbered columns; and classes by name, in another order.
    assert np.array_equal(service.predict(pandas.DataFrame(scores)).to_numpy(), wanted)
    named = pandas.DataFrame(scores, columns=list(found.calibrator.classes_)).iloc[:, ::-1]
    again = service.predict(named)
    # Frames are calibrated to double precision, the array was float32.
    assert np.abs(again[list(frame.columns)].to_numpy() - wanted).max() < 1e-7
    loaded = credence.mlflow.load_model(tmp_path / "model")
    assert loaded.model is None and loaded.calibrator == found.calibrator
    lines = (tmp_path / "model" / "requirements.txt").read_text()
    assert f"credence=={credence.__version__}" in lines


def test_a_model_is_wrapped_with_its_calibrator(
    found: credence.Comparison, tracking: Any, tmp_path: Path
) -> None:
    scores = np.random.default_rng(0).normal(size=(9, 5)).astype(np.float32)
    wanted = found.calibrator.predict_proba(scores / 2)
    with mlflow.start_run():
        logged = credence.mlflow.log_model("calibrated", found.calibrator, model=Half())
    service = mlflow.pyfunc.load_model(logged.model_uri)
    assert np.array_equal(service.predict(scores).to_numpy(), wanted)
    inner = tmp_path / "half"
    mlflow.pyfunc.save_model(path=str(inner), python_model=Half(), pip_requirements=["numpy"])
    credence.mlflow.save_model(tmp_path / "model", found.calibrator, model=inner)
    loaded = credence.mlflow.load_model(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(scores), wanted)
    with pytest.raises(credence.CredenceError, match="is not a model with a calibrator"):
        credence.mlflow.load_model(inner)


def test_only_models_of_mlflow_are_taken(found: credence.Comparison, tmp_path: Path) -> None:
    with pytest.raises(credence.CredenceError, match="wanted an MLflow model") as error:
        credence.mlflow.save_model(tmp_path / "model", found.calibrator, model=object())
    assert "predict_proba" in error.value.hint
    with pytest.raises(credence.CredenceError, match="the calibrator is a dict"):
        credence.mlflow.save_model(tmp_path / "model", {})
    assert not (tmp_path / "model").exists()


def test_without_mlflow_the_error_says_what_to_install(tmp_path: Path) -> None:
    script = ("import sys; sys.modules['mlflow'] = None\n"
              "try:\n    import credence.mlflow\nexcept ImportError as error:\n    print(error)\n")
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert "pip install mlflow-skinny" in done.stdout, done.stderr
