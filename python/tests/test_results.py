from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import credence


@pytest.fixture(scope="module")
def found() -> credence.Comparison:
    demo = credence.demo_data(rows=600)
    return credence.compare(
        demo["logits"], demo["votes"], input="logits", classes=demo["classes"], resamples=100,
        examples=True,
    )


def test_the_recommended_calibrator_is_at_hand(found: credence.Comparison) -> None:
    assert found.recommended in found.calibrators
    scored = found.calibrators[found.recommended]
    assert found.calibrator.report_["rows"] == 2 * scored.report_["rows"]
    assert (found.verdict, found.candidate) == ("ship", found.recommended)
    assert found.recommended in found.answer[0]
    assert found.results["splits"][0]["recommended"] == found.recommended


def test_the_scored_calibrator_is_the_one_without_a_final_fit() -> None:
    demo = credence.demo_data(rows=600)
    options: dict[str, Any] = {"input": "logits", "methods": ["ts", "slts"], "resamples": 50}
    found = credence.compare(demo["logits"], demo["votes"], final=False, **options)
    assert found.calibrator == found.calibrators[found.recommended]
    kept = credence.compare(demo["logits"], demo["votes"], keep_predictions=True, input="logits",
                            resamples=50)
    assert kept.results["decisions"]["changed"] == 0


def test_permuted_classes_stop_and_can_be_insisted_on() -> None:
    demo = credence.demo_data(rows=600)
    logits = demo["logits"][:, [1, 2, 3, 4, 0]]
    with pytest.raises(credence.CredenceError, match="look permuted") as stopped:
        credence.fit("slts", logits, demo["votes"], input="logits")
    assert "assume_order=" in str(stopped.value)
    credence.fit("slts", logits, demo["votes"], input="logits", assume_order=True)
    assert any("look permuted" in note
               for note in credence.inspect(logits, demo["votes"], input="logits")["notes"])


def test_subgroups_are_scored_apart() -> None:
    demo = credence.demo_data(rows=600)
    by = ["north" if i % 3 else "south" for i in range(600)]
    scores = credence.evaluate(demo["logits"], demo["votes"], input="logits", by=by, resamples=0)
    assert {part["name"]: part["examples"] for part in scores.subgroups} == {
        "north": 400, "south": 200}
    assert scores.worst_subgroup in ("north", "south")  # the model is over-confident everywhere
    assert scores.subgroup_figure().startswith("<svg")
    with pytest.raises(credence.CredenceError, match="no subgroups"):
        credence.evaluate(demo["logits"], demo["votes"], input="logits",
                          resamples=0).subgroup_figure()


def test_reports_are_written(found: credence.Comparison, tmp_path: Path) -> None:
    page = found.report(tmp_path / "report.html", embed_examples=20)
    assert (tmp_path / "report.html").read_text() == page
    found.save(tmp_path / "results")
    again = credence.report(tmp_path / "results", tmp_path / "again.html", embed_examples=20,
                            figures=tmp_path / "figures")
    assert again == page
    assert credence.report(found, embed_examples=20) == page
    assert any(path.suffix == ".svg" for path in (tmp_path / "figures").iterdir())


def test_results_become_frames(found: credence.Comparison) -> None:
    pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert {"method", "metric", "value"} <= set(frame.columns)
    best = frame[(frame.method == found.recommended) & (frame.metric == "nll")]
    assert len(best) == 1


def test_errors_alone_are_those_of_the_evaluation(demo: dict[str, Any]) -> None:
    logits, votes = demo["logits"], demo["votes"]
    model = credence.fit("slts", logits, votes, input="logits")
    probs = model.predict_proba(logits).astype(np.float64)
    probs /= probs.sum(axis=1, keepdims=True)
    voted = np.asarray(votes).argmax(axis=1)
    of_probs = credence.Dataset(probs, votes, input="probs")
    of_logits = credence.Dataset(logits, votes, input="logits")
    ways: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((logits, votes), {"input": "logits"}),
        ((logits, votes), {"input": "logits", "calibrator": model}),
        ((probs, votes), {}),
        ((probs,), {"labels": voted}),
        ((of_probs,), {}),
        ((of_logits,), {"calibrator": model}),
    ]
    for given, how in ways:
        alone = credence.ece(*given, **how, bins=12, draws=30, draw_seed=5)
        found = credence.evaluate(*given, **how, bins=12, draws=30, draw_seed=5, resamples=0)
        assert set(alone) == {"ece_voted", "ece_expected", "ece_true"}
        assert alone == {name: found[name] for name in alone}
    assert "ece_true" not in credence.ece(probs, votes, draws=0)
    with pytest.raises(credence.CredenceError, match="no annotations"):
        credence.ece(probs)


def test_evaluations_are_mappings(demo: dict[str, Any]) -> None:
    scores = credence.evaluate(demo["logits"], demo["votes"], input="logits", resamples=100)
    assert list(scores) == [metric["name"] for metric in credence.metrics()]
    low, high = (scores.intervals["nll"][side] for side in ("low", "high"))
    assert low < scores["nll"] < high
    assert sum(b["count"] for b in scores.bins) == 800
    assert json.loads(scores.to_json())["metrics"]["nll"] == scores["nll"]
    assert "nll" in scores._repr_html_()
    pytest.importorskip("pandas")
    assert scores.to_pandas().loc["nll", "value"] == scores["nll"]


def test_an_infinite_loss_is_infinite() -> None:
    scores = credence.evaluate([[1.0, 0.0], [0.5, 0.5]], [[1, 1], [1, 1]], resamples=0)
    assert scores["nll"] is None or np.isinf(scores["nll"])
    assert any("infinite" in note for note in scores.notes)


def test_probabilities_stay_double_when_they_are_scored() -> None:
    probs = np.array([[0.1 + 1e-12, 0.9 - 1e-12]])
    scores = credence.evaluate(probs, [[0, 1]], resamples=0)
    # A float32 would be off by 1e-8.
    assert scores["nll"] == pytest.approx(-np.log(0.9 - 1e-12), rel=1e-14)


def test_simulated_annotators_follow_their_matrix() -> None:
    labels = np.zeros(20000, dtype=int)
    answers = credence.simulate_annotators(labels, [[0.7, 0.3], [0.0, 1.0]], annotators=2)
    # 40,000 draws: three standard deviations are 0.007.
    assert (answers == 0).mean() == pytest.approx(0.7, abs=0.007)
    with pytest.raises(credence.CredenceError, match="2 classes"):
        credence.simulate_annotators([5], [[0.7, 0.3], [0.0, 1.0]])


def test_the_toy_has_logits_and_shares() -> None:
    toy = credence.simulate_toy(points=10, epochs=2)
    part = toy["calibration"]
    assert part["logits"].shape == part["votes"].shape == (30, 3)
    assert part["ambiguous"].dtype == bool and part["ambiguous"].sum() == 10
