"""The tutorial's page runs from top to bottom and says of itself what comes out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"

pytestmark = pytest.mark.skipif(
    not PAGE.is_file(), reason="the tutorial is not part of an installed package"
)


def test_the_code_of_the_page_runs_and_keeps_its_promises(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) > 10
    # A cell that ends in a value shows it.
    script = "\n".join(blocks).replace("\nfound\n", "\nprint(found)\n")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "MPLBACKEND": "Agg", "TMPDIR": str(tmp_path)}, timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert "2,400 images" in shown
    assert "June: keep" in shown and "July: fit again" in shown
    off = re.findall(r"(\S+): nll ([\d.]+), confidence off by ([\d.]+) points", shown)
    nll = {name: float(value) for name, value, _ in off}
    assert nll["renewed"] < nll["service"]
    model = next(float(value) for name, value, _ in off if name == "model")
    after = off[[name for name, *_ in off].index("model") + 1]
    assert float(after[1]) < model


def test_the_notebook_is_the_page() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "tutorial_notebook"), "--check"],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
