"""Rows in pieces elsewhere give what all rows in one place give."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import credence
from credence.rows import RowsInPieces, answer

CUTS = [0, 700, 1500, 4000]


class Elsewhere:
    """Pieces that answer for themselves, and forget nothing but what they are told to."""

    def __init__(self) -> None:
        self.demo = credence.demo_data(rows=CUTS[-1])
        self.pieces = [
            credence.Dataset(self.demo["logits"][a:b], self.demo["votes"][a:b], input="logits")
            for a, b in zip(CUTS, CUTS[1:])
        ]
        self.tags = [b""] * len(self.pieces)
        self.rows = RowsInPieces(len(self.pieces), self.run, self.tag)

    def run(self, common: bytes, own: list[bytes]) -> list[bytes]:
        return [
            answer(common, own[i], piece, self.tags[i]) for i, piece in enumerate(self.pieces)
        ]

    def tag(self, tags: list[bytes]) -> None:
        self.tags = tags


@pytest.fixture(scope="module")
def elsewhere() -> Elsewhere:
    return Elsewhere()


def test_fits_have_the_parameters_of_fits_in_one_place(elsewhere: Elsewhere) -> None:
    demo = elsewhere.demo
    for method, found in zip(
        ["slts", "auto", "dirichlet-soft"],
        elsewhere.rows.fit(["slts", "auto", "dirichlet-soft"], input="logits"),
    ):
        whole = credence.fit(method, demo["logits"], demo["votes"], input="logits")
        given = np.asarray(demo["logits"][:50])
        assert np.array_equal(found.predict_proba(given), whole.predict_proba(given))


def without_filled_bins(found: dict[str, Any]) -> dict[str, Any]:
    """Without metrics over equally filled bins: only all rows together give them an interval."""
    return {name: one for name, one in found.items() if not name.startswith("aece")}


def test_metrics_are_those_of_all_rows(elsewhere: Elsewhere) -> None:
    demo = elsewhere.demo
    whole = credence.evaluate(demo["logits"], demo["votes"], input="logits", resamples=100)
    found = elsewhere.rows.evaluate(resamples=100)
    assert found["nll"] == whole["nll"]
    assert found["ece_true"] == whole["ece_true"]
    assert found["aece_expected"] == whole["aece_expected"]
    assert found.bins == whole.bins
    wanted = without_filled_bins(whole.intervals)
    assert len(wanted) > 12
    assert found.intervals == wanted
    assert elsewhere.rows.evaluate().intervals == {}


def test_a_comparison_gives_the_same_numbers_and_advice(elsewhere: Elsewhere) -> None:
    demo = elsewhere.demo
    methods = ["ts", "slts", "soft-platt", "auto"]
    whole = credence.compare(
        demo["logits"], demo["votes"], input="logits", methods=methods, resamples=50
    )
    found = elsewhere.rows.compare(input="logits", methods=methods, resamples=50)
    assert found.recommended == whole.recommended
    assert found.answer == whole.answer
    theirs, ours = (json.loads(one.to_json())["splits"][0] for one in (whole, found))
    for a, b in zip(theirs["methods"], ours["methods"]):
        assert a["name"] == b["name"]
        assert without_filled_bins(a["metrics"]) == without_filled_bins(b["metrics"])
        assert a["metrics"]["nll"]["low"] < a["metrics"]["nll"]["value"]
        for reference in a["differences"]:
            of_one, of_other = (x["differences"][reference] for x in (a, b))
            assert without_filled_bins(of_one) == without_filled_bins(of_other)


def test_what_goes_wrong_on_the_way_is_raised(elsewhere: Elsewhere) -> None:
    def lost(common: bytes, own: list[bytes]) -> list[bytes]:
        raise ConnectionError("a machine went away")

    with pytest.raises(ConnectionError, match="went away"):
        RowsInPieces(2, lost, elsewhere.tag)
    with pytest.raises(credence.CredenceError, match="3 pieces of the rows were asked, 2 replied"):
        RowsInPieces(3, lambda common, own: elsewhere.run(common, own)[:2], elsewhere.tag)
