"""Python and the command line are one engine: the same input gives the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import run

import credence

EVERY_METHOD = [m["id"] for m in credence.methods()]
MORE = ["annotators+histogram", "dirichlet-soft then ts"]


@pytest.mark.parametrize("method", EVERY_METHOD + MORE)
def test_calibrator_files_are_the_same_bytes(
    method: str, program: Path, files: dict[str, Path], demo: dict[str, Any], tmp_path: Path
) -> None:
    theirs, ours = tmp_path / "cli.json", tmp_path / "python.json"
    data = ["--logits", files["logits"], "--votes", files["votes"]]
    run(program, "fit", "--method", method, *data, "-o", theirs)
    credence.fit(method, files["logits"], files["votes"], input="logits").save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    from_arrays = credence.fit(
        method, demo["logits"], demo["votes"], input="logits", classes=demo["classes"]
    )
    assert from_arrays.to_json() == theirs.read_text()


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_probabilities_are_the_same_bits(
    method: str, program: Path, files: dict[str, Path], demo: dict[str, Any], tmp_path: Path
) -> None:
    model, out = tmp_path / "model.json", tmp_path / "probabilities.npy"
    calibrator = credence.fit(method, demo["logits"], demo["votes"], input="logits")
    calibrator.save(model)
    run(program, "apply", model, "--logits", files["logits"], "-o", out)
    assert np.array_equal(np.load(out), calibrator.predict_proba(demo["logits"]))
    run(program, "apply", model, "--logits", files["logits"], "-o", out, "--dtype", "float64")
    assert np.array_equal(
        np.load(out), calibrator.predict_proba(demo["logits"], dtype=np.float64)
    )


@pytest.mark.parametrize("kind", ["logits", "probs"])
def test_evaluations_are_the_same_text(
    kind: str, program: Path, files: dict[str, Path], demo: dict[str, Any], tmp_path: Path
) -> None:
    scores = files["logits"]
    if kind == "probs":
        scores = tmp_path / "probs.npy"
        odds = np.exp(demo["logits"].astype(np.float64))
        np.save(scores, odds / odds.sum(axis=1, keepdims=True))
    said = run(
        program, "evaluate", f"--{kind}", scores, "--votes", files["votes"], "--format", "json"
    )
    found = credence.evaluate(scores, files["votes"], input=kind)
    assert found.to_json() == said


def test_evaluation_of_a_calibrator_is_the_same_text(
    program: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    model = tmp_path / "model.json"
    calibrator = credence.fit("slts", files["logits"], files["votes"], input="logits")
    calibrator.save(model)
    data = ["--logits", files["logits"], "--votes", files["votes"]]
    said = run(program, "evaluate", model, *data, "--format", "json", "--bins", 10)
    found = credence.evaluate(
        files["logits"], files["votes"], calibrator=calibrator, input="logits", bins=10
    )
    assert found.to_json() == said


def test_comparisons_are_the_same_files(
    program: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    data = ["--logits", files["logits"], "--votes", files["votes"]]
    run(program, "compare", *data, "-o", tmp_path / "cli")
    found = credence.compare(files["logits"], files["votes"], input="logits")
    found.save(tmp_path / "python")
    names = sorted(path.name for path in (tmp_path / "cli").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "python").iterdir())
    assert "results.json" in names and "calibrator.json" in names
    for name in names:
        theirs, ours = tmp_path / "cli" / name, tmp_path / "python" / name
        assert ours.read_bytes() == theirs.read_bytes(), name
    assert found.to_json() == (tmp_path / "cli" / "results.json").read_text()
    assert found.calibrator.to_json() == (tmp_path / "cli" / "calibrator.json").read_text()


def test_comparisons_with_options_are_the_same_text(
    program: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text("\n".join(str(i) for i in range(0, 800, 2)) + "\n")
    data = ["--logits", files["logits"], "--votes", files["votes"]]
    options = ["--methods", "ts,slts", "--oracle", "--resamples", 50, "--level", 0.9]
    said = run(
        program, "compare", *data, "--calibration-rows", rows, *options, "--format", "json"
    )
    found = credence.compare(
        files["logits"], files["votes"], input="logits", calibration_rows=rows,
        methods=["ts", "slts"], oracle=True, resamples=50, level=0.9,
    )
    assert found.to_json() == said


def test_ablation_plan_and_inspection_are_the_same_text(
    program: Path, files: dict[str, Path]
) -> None:
    import json

    data = ["--logits", files["logits"], "--votes", files["votes"]]
    said = run(program, "ablate", *data, "--study", "size", "--seeds", "1,2", "--shares", "0.5,1",
               "--format", "json")
    found = credence.ablate(files["logits"], files["votes"], input="logits", studies=["size"],
                            seeds=[1, 2], shares=[0.5, 1.0])
    assert found.to_json() == said
    said = run(program, "plan", *data, "--examples", "500,1000", "--format", "json")
    plan = credence.plan(files["logits"], files["votes"], input="logits", examples=[500, 1000])
    assert plan.to_json() == said
    said = run(program, "inspect", *data, "--format", "json")
    assert credence.inspect(files["logits"], files["votes"], input="logits") == json.loads(said)
