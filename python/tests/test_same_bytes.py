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
    ours = credence.inspect(files["logits"], files["votes"], input="logits")
    theirs = json.loads(said)
    # Notes name options as each reader gives them.
    notes = [note.replace("score_classes=", "--score-classes") for note in ours.pop("notes")]
    assert notes and notes == theirs.pop("notes")
    assert ours == theirs


def _repeated(program: Path, text: str, *more: object) -> str:
    """What the program says to the command that the results record."""
    import json

    command = json.loads(text)["command"]
    assert command[0] == "credence"
    return run(program, *command[1:], "--format", "json", *more)


def test_recorded_commands_repeat_the_results(
    program: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    """Every option set otherwise than usual is recorded as the program takes it."""
    rows = tmp_path / "rows.txt"
    rows.write_text("\n".join(str(i) for i in range(400)) + "\n")
    data = (files["logits"], files["votes"])
    metrics: dict[str, Any] = {"bins": 9, "entropy_bins": 4, "draws": 7, "draw_seed": 3}
    compared = credence.compare(
        *data, input="logits", methods=["ts", "vs"], reference="vs", oracle=True,
        share=0.4, seeds=[1, 2], folds=3, refits=2, gauge="raw", resamples=20, level=0.8,
        interval="studentised", allow_unmatched=True, **metrics,
    )
    assert _repeated(program, compared.to_json()) == compared.to_json()
    judged = credence.compare(
        *data, input="logits", methods=["ts"], test=data, resamples=20,
        resample_annotators=True, **metrics,
    )
    assert _repeated(program, judged.to_json()) == judged.to_json()
    parted = credence.compare(
        *data, input="logits", methods=["ts"], calibration_rows=rows, resamples=0
    )
    assert _repeated(program, parted.to_json()) == parted.to_json()
    studied = credence.ablate(
        *data, input="logits", studies=["size", "votes", "draws"], seeds=[5], shares=[0.5, 1.0],
        votes_per_example=[1, 2], draws_per_example=[2], share=0.6, gauge="raw", **metrics,
    )
    assert _repeated(program, studied.to_json()) == studied.to_json()
    planned = credence.plan(
        *data, input="logits", examples=[100, 300], votes_per_example=[1, 4], level=0.9, bins=8
    )
    assert _repeated(program, planned.to_json()) == planned.to_json()


@pytest.mark.parametrize(
    ("verb", "keyword", "flag", "value"),
    [
        ("compare", "refits", "--refit", 1_000_001),
        ("compare", "folds", "--folds", 1),
        ("compare", "share", "--share", 1.0),
        ("compare", "resamples", "--resamples", 1_000_001),
        ("compare", "level", "--level", 0.4),
        ("compare", "draws", "--draws", 1_000_001),
        ("compare", "threads", "--threads", 4097),
        ("ablate", "shares", "--shares", 0.0),
        ("ablate", "votes_per_example", "--votes-per-example", 0),
        ("plan", "examples", "--examples", 0),
        ("fit", "max_passes", "--max-passes", 0),
        ("fit", "bins", "--bins", 100_001),
        ("fit", "lambda_", "--lambda", -1.0),
    ],
)
def test_both_refuse_the_same_values_in_the_same_words(
    verb: str, keyword: str, flag: str, value: float, program: Path, files: dict[str, Path]
) -> None:
    import subprocess

    lists = keyword in ("shares", "votes_per_example", "examples")
    first = ["dirichlet-soft" if keyword == "lambda_" else "annotators+histogram"]
    given = ([] if verb != "fit" else first) + [files["logits"], files["votes"]]
    with pytest.raises(credence.CredenceError, match=keyword) as caught:
        getattr(credence, verb)(*given, input="logits", **{keyword: [value] if lists else value})
    wanted = caught.value.message.split("; wanted ")[1]
    said = subprocess.run(
        [str(program), verb, flag, str(value)], capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert f"is not {wanted}" in said.stderr
