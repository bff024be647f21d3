"""What was installed stands by itself."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import credence._core

import credence

HERE = Path(credence.__file__).parent


def test_the_version_is_that_of_the_library() -> None:
    assert credence.__version__ == version("credence")


def test_types_and_stubs_are_installed() -> None:
    assert (HERE / "py.typed").is_file()
    stub = (HERE / "_core.pyi").read_text()
    assert "class Calibrator" in stub and "def fit(" in stub


def test_nothing_installed_names_the_place_where_it_was_built() -> None:
    sources = Path(__file__).resolve().parents[2]
    for path in HERE.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            assert str(sources).encode() not in path.read_bytes(), path


def test_it_runs_without_the_sources(tmp_path: Path) -> None:
    snippet = "import credence; d = credence.demo_data(rows=50); print(d['logits'].shape)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", snippet], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )
    assert done.stdout.strip() == "(50, 5)", done.stderr


def test_libraries_are_found_beside_the_module_or_in_the_system() -> None:
    listed = subprocess.run(
        ["ldd", credence._core.__file__], capture_output=True, text=True, check=True
    ).stdout
    assert "not found" not in listed
    for line in listed.splitlines():
        if "simdjson" in line:
            assert str(HERE) in line
