"""The example scripts run as they stand and write what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize(
    ("script", "needs", "rows"),
    [
        ("collect_torch.py", ["torch"], 1000),
        ("collect_huggingface.py", ["torch", "transformers"], 600),
    ],
)
def test_example_collects_logits_and_fits_a_calibrator(tmp_path, script, needs, rows):
    for module in needs:
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed ('scripts/setup torch' does)")
    if not (EXAMPLES / script).exists():
        pytest.skip("the examples are not part of an installed package")
    for _ in range(2):  # a second run replaces what the first one wrote
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / script), str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,  # a hang, not a busy machine
        )
        assert done.returncode == 0, done.stderr
        assert f"{rows:,} rows, 3 classes" in done.stdout
    assert np.load(tmp_path / "logits.npy").shape == (rows, 3)
    assert len((tmp_path / "logits.ids.txt").read_text().splitlines()) == rows
    calibrator = json.loads((tmp_path / "calibrator.json").read_text())
    assert calibrator["method"] == "slts"
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["calibrator.json", "logits.ids.txt", "logits.npy"]
