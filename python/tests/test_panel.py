from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import credence


@pytest.fixture(scope="module")
def demo() -> dict[str, Any]:
    return credence.demo_data(rows=600)


def models_of(demo: dict[str, Any]) -> dict[str, Any]:
    noise = np.random.default_rng(1).normal(size=demo["logits"].shape)
    return {"plain": demo["logits"], "noisy": demo["logits"] + 8.0 * noise.astype(np.float32)}


def test_a_panel_is_saved_and_applied(demo: dict[str, Any], tmp_path: Path) -> None:
    models = models_of(demo)
    panel = credence.fit_panel(models, demo["votes"], input="logits")
    assert panel.names == ["plain", "noisy"]
    assert panel.exponents["plain"] > panel.exponents["noisy"] >= 0.0
    found = panel.predict_proba(models)
    assert np.allclose(found.sum(1), 1.0)
    panel.save(tmp_path / "panel.json")
    again = credence.Panel.load(tmp_path / "panel.json")
    assert again == panel
    # By name, whatever the order.
    turned = {"noisy": models["noisy"], "plain": models["plain"]}
    assert np.array_equal(again.predict_proba(turned), found)
    assert panel.calibrators["plain"].method == "auto"


def test_what_cannot_be_combined_is_refused(demo: dict[str, Any]) -> None:
    models = models_of(demo)
    with pytest.raises(credence.CredenceError, match="599"):
        credence.fit_panel(
            {"a": models["plain"], "b": models["noisy"][:599]}, demo["votes"], input="logits"
        )
    with pytest.raises(credence.CredenceError, match="by name"):
        credence.fit_panel([models["plain"]], demo["votes"], input="logits")  # type: ignore[arg-type]
    panel = credence.fit_panel(models, demo["votes"], input="logits")
    with pytest.raises(credence.CredenceError, match="the panel has plain, noisy"):
        panel.predict_proba({"plain": models["plain"]})
    with pytest.raises(credence.CredenceError, match="several models"):
        credence.Calibrator.from_json(panel.to_json())


def test_loss_parts_add_up(demo: dict[str, Any]) -> None:
    found = credence.compare(
        demo["logits"], demo["votes"], input="logits", methods=["auto"], resamples=0
    )
    for metric in found.loss_parts["metrics"]:
        for method in metric["methods"]:
            parts = (metric["disagreement"], method["calibration"], metric["model"])
            assert sum(p["value"] for p in parts) == pytest.approx(method["total"]["value"])
