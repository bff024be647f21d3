"""An evaluation put together from pieces of the rows has the numbers of credence.evaluate."""

from __future__ import annotations

import pytest

import credence
from credence.sums import BLOCK_ROWS, accumulate, merge, metrics

ROWS = 5000
CUTS = [0, 2 * BLOCK_ROWS, 3 * BLOCK_ROWS, ROWS]


@pytest.fixture(scope="module")
def demo():
    return credence.demo_data(rows=ROWS)


def _piece(demo, first: int, end: int) -> credence.Dataset:
    return credence.Dataset(demo["logits"][first:end], demo["votes"][first:end], input="logits")


@pytest.mark.parametrize("method", [None, "slts"])
def test_three_pieces_give_the_numbers_of_evaluate(method, demo):
    model = method and credence.fit(method, demo["logits"], demo["votes"], input="logits")
    pieces = list(zip(CUTS, CUTS[1:]))
    # In no order, the middle one twice.
    sums = [
        accumulate(_piece(demo, *cut), cut[0], calibrator=model)
        for cut in [*pieces[::-1], pieces[1]]
    ]
    whole = credence.evaluate(
        demo["logits"], demo["votes"], calibrator=model, input="logits", resamples=0
    )
    assert metrics(merge(sums)) == dict(whole)


def test_without_listed_rows_only_what_needs_them_is_missing(demo):
    data = _piece(demo, 0, ROWS)
    listed, small = accumulate(data, 0), accumulate(data, 0, list_rows=False)

    def missing(sums):
        return {name for name, value in metrics(sums).items() if value is None}

    assert missing(small) - missing(listed) == {
        *("aece_expected", "aece_true", "aece_true_exact", "smooth_ece")
    }
    assert missing(listed) == {"predicted_disagreement", "dm_nll"}  # there is no second order
    assert len(small) < len(listed) - 3 * 8 * ROWS + 8


def test_a_gap_and_bytes_that_are_no_sums_are_refused(demo):
    first, last = (accumulate(_piece(demo, *cut), cut[0]) for cut in [(0, 2048), (3072, ROWS)])
    with pytest.raises(credence.CredenceError, match="gap"):
        merge([first, last])
    with pytest.raises(credence.CredenceError, match="sums of an evaluation"):
        metrics(first[:100])
