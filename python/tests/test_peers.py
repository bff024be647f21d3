"""The benchmark beside other tools runs, judges answers, and cuts off what is too slow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "peers.py"

pytestmark = pytest.mark.skipif(
    not SCRIPT.exists(), reason="the benchmarks are not part of an installed package"
)


def run(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words, "--heap", "kept", "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,  # a hang, not a busy machine
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_numpy_and_credence_agree_about_calibration_errors():
    found = run(
        "--tasks", "ece,ece_true", "--sizes", "2000x5", "--peers", "numpy", "--repeats", "1"
    )
    tools = [(outcome["job"], outcome["tool"]) for outcome in found["outcomes"]]
    assert tools == [
        ("ece", "credence"),
        ("ece", "NumPy"),
        ("ece_true", "credence"),
        ("ece_true", "NumPy"),
        ("ece_true", "NumPy, events"),
    ]
    for outcome in found["outcomes"]:
        assert "off by" not in outcome["verdict"]
        assert outcome["median"]["kept"] > 0
    for outcome in found["outcomes"][1::2]:
        assert outcome["ratio"]["kept"] > 0


def test_a_tool_over_the_limit_is_cut_off_and_listed(tmp_path):
    found = run(
        "--tasks", "ece_true", "--sizes", "20000x50", "--peers", "numpy", "--limit", "0.0001"
    )
    cut = [outcome for outcome in found["outcomes"] if outcome["tool"] == "NumPy"]
    assert [outcome["problem"] for outcome in cut] == ["over the limit"]
    assert cut[0]["verdict"] is None


@pytest.mark.parametrize("words", [["--sizes", "10by10"], ["--tasks", "magic"], ["--limit", "0"]])
def test_nonsense_is_refused(words):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert words[0].lstrip("-") in done.stderr
