"""Shared data, and the command-line program to compare with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import credence

REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("CREDENCE_SLOW_TESTS") == "1":
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="CREDENCE_SLOW_TESTS=1 runs it"))


@pytest.fixture(scope="session")
def demo() -> dict[str, Any]:
    return credence.demo_data(rows=800)


@pytest.fixture(scope="session")
def program() -> Path:
    """The program that was built from the same sources."""
    named = os.environ.get("CREDENCE_PROGRAM", str(REPOSITORY / "build/release/credence"))
    if not Path(named).is_file():
        if os.environ.get("CREDENCE_REQUIRE_PYTHON") == "1":
            pytest.fail(f"{named} is missing: 'make build' builds it")
        pytest.skip(f"{named} is not there to compare with; 'make build' builds it")
    return Path(named)


@pytest.fixture()
def files(tmp_path: Path, demo: dict[str, Any]) -> dict[str, Path]:
    """The demo data as files: logits without names, votes with them."""
    logits, votes = tmp_path / "logits.npy", tmp_path / "votes.csv"
    np.save(logits, demo["logits"])
    lines = [",".join(demo["classes"])]
    lines += [",".join(str(int(count)) for count in row) for row in demo["votes"]]
    votes.write_text("\n".join(lines) + "\n")
    return {"logits": logits, "votes": votes}


def run(program: Path, *words: object) -> str:
    done = subprocess.run(
        [str(program), *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
