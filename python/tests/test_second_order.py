from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import credence


@pytest.fixture(scope="module")
def model(demo: dict[str, Any]) -> credence.Calibrator:
    return credence.fit("slts", demo["logits"], demo["votes"], input="logits", second_order=True)


def test_concentration_follows_the_fitted_line(
    demo: dict[str, Any], model: credence.Calibrator
) -> None:
    sure = model.predict_second_order(demo["logits"])
    q = model.predict_proba(demo["logits"], dtype=np.float64)
    log_spread = np.log(1.0 - (q**2).sum(1))
    fitted = model.second_order_
    assert fitted is not None
    line = fitted["concentration"]
    expected = np.exp(line["intercept"] + line["slope"] * log_spread)
    np.testing.assert_allclose(sure.concentration, expected, rtol=1e-12)
    line = fitted["disagreement"]
    odds = np.exp(line["intercept"] + line["slope"] * log_spread)
    np.testing.assert_allclose(sure.disagreement, odds / (1.0 + odds), rtol=1e-12)
    assert sure.low is None and sure.high is None


def test_disagreement_is_the_observed_one_on_the_fitted_rows(
    demo: dict[str, Any], model: credence.Calibrator
) -> None:
    votes = np.asarray(demo["votes"], dtype=float)
    m = votes.sum(1)
    observed = (1.0 - (votes * (votes - 1.0)).sum(1) / (m * (m - 1.0))).mean()
    scores = credence.evaluate(
        demo["logits"], demo["votes"], calibrator=model, input="logits", resamples=0
    )
    assert scores["annotator_disagreement"] == pytest.approx(observed, abs=1e-12)
    # Exact but for a prior that weighs less than a row.
    assert scores["predicted_disagreement"] == pytest.approx(observed, abs=1e-3)
    assert model.second_order_ is not None
    assert scores["dm_nll"] == pytest.approx(model.second_order_["dm_nll"], abs=1e-10)


def test_intervals_and_effective_votes(demo: dict[str, Any], model: credence.Calibrator) -> None:
    sure = model.predict_second_order(demo["logits"], next_votes=20, level=0.8)
    assert sure.low is not None and sure.high is not None
    assert sure.low.shape == np.asarray(demo["votes"]).shape
    assert (sure.low <= sure.high).all() and (sure.low >= 0).all() and (sure.high <= 1).all()
    np.testing.assert_allclose(sure.effective_votes(1), 1.0)
    assert (sure.effective_votes(50) <= 1.0 + sure.concentration + 1e-12).all()
    with pytest.raises(credence.CredenceError, match="next_votes is 0"):
        model.predict_second_order(demo["logits"], next_votes=0)


def test_a_calibrator_without_it_says_so(demo: dict[str, Any]) -> None:
    plain = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
    assert plain.second_order_ is None
    with pytest.raises(credence.CredenceError, match="how sure") as caught:
        plain.predict_second_order(demo["logits"])
    assert "second_order=True" in caught.value.hint


def test_it_is_kept_in_the_file(model: credence.Calibrator) -> None:
    text = model.to_json()
    assert json.loads(text)["version"] == 2
    again = credence.Calibrator.from_json(text)
    assert again.second_order_ == model.second_order_


def test_one_vote_each_is_refused(demo: dict[str, Any]) -> None:
    votes = np.eye(5)[np.asarray(demo["votes"]).argmax(1)]
    with pytest.raises(credence.CredenceError, match="no example has two votes"):
        credence.fit("ts", demo["logits"], votes, input="logits", second_order=True)
