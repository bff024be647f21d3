"""Calibrators as ONNX, the same bytes as the command line writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import run

import credence

METHODS = ["slts", "vs", "soft-platt", "dirichlet-soft", "ats", "ir-soft", "hist-bin",
           "dirichlet-soft then ts"]


def exported(program: Path, folder: Path, calibrator: Path, *options: str) -> bytes:
    run(program, "export", calibrator, "-o", folder / "cli.onnx", *options)
    return (folder / "cli.onnx").read_bytes()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("gauge", ["log_probs", "raw"])
def test_the_bytes_are_those_of_the_command_line(
    program: Path, tmp_path: Path, demo: dict[str, Any], method: str, gauge: str
) -> None:
    model = credence.fit(method, demo["logits"], demo["votes"], input="logits", gauge=gauge,
                         classes=demo["classes"])
    model.save(tmp_path / "model.json")
    graph = model.to_onnx(tmp_path / "python.onnx")
    assert (tmp_path / "python.onnx").read_bytes() == graph
    assert graph == exported(program, tmp_path, tmp_path / "model.json")


def test_options_are_those_of_the_command_line(
    program: Path, tmp_path: Path, demo: dict[str, Any]
) -> None:
    model = credence.fit("vs", demo["logits"], demo["votes"], input="logits")
    model.save(tmp_path / "model.json")
    graph = model.to_onnx(input="log_probs", result="log_probs", precision="float16",
                          arithmetic="float32", opset=17, rank=3)
    assert graph == exported(
        program, tmp_path, tmp_path / "model.json", "--input-kind", "log-probs", "--result",
        "log-probs", "--precision", "float16", "--arithmetic", "float32", "--opset", "17",
        "--rank", "3",
    )


def test_what_does_not_fit_is_refused(demo: dict[str, Any], tmp_path: Path) -> None:
    model = credence.fit("vs", demo["logits"], demo["votes"], input="logits", gauge="raw")
    with pytest.raises(credence.CredenceError, match="fitted to raw logits") as error:
        model.to_onnx(tmp_path / "no.onnx", input="probs")
    assert "input=" in error.value.hint and 'gauge="raw"' in error.value.hint
    for options, message in [({"opset": 9}, "opset 9"), ({"rank": 5}, "rank 5"),
                             ({"precision": "int8"}, "precision is 'int8'"),
                             ({"result": "logits"}, "result is 'logits'"),
                             ({"arithmetic": "float8"}, "arithmetic is 'float8'"),
                             ({"input": "scores"}, "input is 'scores'")]:
        with pytest.raises(credence.CredenceError, match=message):
            model.to_onnx(tmp_path / "no.onnx", **options)
    assert not (tmp_path / "no.onnx").exists()


def test_a_build_without_onnx_says_so(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['credence._onnx'] = None\n"
        "import credence\n"
        "m = credence.fit('slts', [[2.0, 0.0]] * 3, [[2, 1]] * 3, input='logits')\n"
        "try:\n    m.to_onnx()\nexcept ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert "libonnx-dev" in done.stdout, done.stderr


def test_libraries_of_the_module_travel_along() -> None:
    from credence import _onnx

    listed = subprocess.run(["ldd", _onnx.__file__], capture_output=True, text=True,
                            check=True).stdout
    assert "not found" not in listed
    for line in listed.splitlines():
        if "onnx_proto" in line or "libprotobuf" in line:
            assert str(Path(_onnx.__file__).parent) in line
