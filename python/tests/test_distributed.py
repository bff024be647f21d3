"""Rows in pieces elsewhere: the bytes of a fit to all of them, or plain words."""

from __future__ import annotations

import random

import numpy as np
import pytest

import credence
from credence import _distributed
from credence._columns import layout_of
from credence._distributed import Distributed
from credence._pieces import answer, merge_group, pack, unpack

pa = pytest.importorskip("pyarrow")

DEMO = credence.demo_data(rows=5000)
LOGITS = np.ascontiguousarray(DEMO["logits"], dtype=np.float32)
VOTES = np.asarray(DEMO["votes"], dtype=np.int64)
CLASSES = ["a", "b", "c", "d", "e"]


def lists(matrix):
    rows, width = matrix.shape
    offsets = pa.array(np.arange(rows + 1) * width, pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(matrix.reshape(-1)))


def labels_of(row):
    return [CLASSES[k] for k, count in enumerate(row) for _ in range(count)]


TABLE = pa.table(
    {
        "logits": lists(LOGITS),
        "counts": lists(VOTES),
        "text": pa.array([labels_of(row) for row in VOTES]),
        "numbers": pa.array([[CLASSES.index(one) for one in labels_of(row)] for row in VOTES]),
        "answers": pa.array(
            [
                [{"annotator": i, "label": one} for i, one in enumerate(labels_of(row))]
                for row in VOTES
            ]
        ),
        "map": pa.array(
            [
                [(CLASSES[k], count) for k, count in enumerate(row) if count]
                for row in VOTES.tolist()
            ],
            pa.map_(pa.string(), pa.int64()),
        ),
        "label": pa.array(VOTES.argmax(1)),
        "id": pa.array([f"image {i}" for i in range(len(VOTES))]),
        **{f"z{k}": pa.array(LOGITS[:, k]) for k in range(5)},
        **{name: pa.array(VOTES[:, k]) for k, name in enumerate(CLASSES)},
    }
)


class Pieces:
    """An engine in a list: pieces answer in any order, and some of them twice."""

    def __init__(self, tables, layout, seed=0):
        self.tables, self.layout, self.pieces = tables, layout, len(tables)
        self.random = random.Random(seed)

    def name(self, piece):
        return f"piece {piece}"

    def run(self, common, own):
        order = [*range(self.pieces), *range(0, self.pieces, 3)]
        self.random.shuffle(order)
        for piece in order:
            yield piece, answer(common, own[piece], self.tables[piece], self.layout)

    def run_merged(self, common, own, groups, width):
        replies = dict(self.run(common, own))
        for g in [*range(len(groups)), 0]:
            mine = range(g * width, min((g + 1) * width, self.pieces))
            yield merge_group(common, {i: replies[i] for i in mine}, groups[g])


def cut(table, ends):
    ends = [0, *ends, table.num_rows]
    return [table.slice(a, b - a) for a, b in zip(ends, ends[1:])]


def rows_of(table=TABLE, ends=(), **columns):
    given = {"scores": "logits", "votes": "counts", "input": "logits", **columns}
    layout = layout_of(table.column_names, **given)
    return Distributed(Pieces(cut(table, ends), layout), layout)


def refused(table, ends=(), **columns):
    with pytest.raises(credence.CredenceError) as caught:
        rows_of(table, ends, **columns)
    return str(caught.value)


_OPTIONS = credence._core.MetricOptions()
DEFAULTS = [_OPTIONS.bins, _OPTIONS.entropy_bins, _OPTIONS.draws, _OPTIONS.seed]
METHODS = [one["id"] for one in credence.methods()]
METHODS.append("dirichlet-soft then ts")
# Blocks cut anywhere, pieces without a whole block, without a row, and all in one.
DIVISIONS = [(), (2048,), (1, 2, 1500, 1500, 3000, 4999), tuple(range(100, 5000, 100))]


@pytest.mark.parametrize("ends", DIVISIONS, ids=lambda ends: f"{len(ends) + 1} pieces")
def test_any_division_gives_the_bytes_of_a_fit_to_all_rows(ends):
    found = rows_of(ends=ends).fit(METHODS, {})
    for method in METHODS:
        whole = credence.fit(method, LOGITS, VOTES, input="logits")
        assert found[method].to_json() == whole.to_json(), method


@pytest.mark.parametrize("ends", DIVISIONS, ids=lambda ends: f"{len(ends) + 1} pieces")
def test_neighbours_that_are_merged_first_give_the_same_bytes(ends, monkeypatch):
    monkeypatch.setattr(_distributed, "LEAST_TO_MERGE", 1)
    methods = ["slts", "dirichlet-soft", "hist-bin", "ir-soft"]
    rows = rows_of(ends=ends)
    found = rows.fit(methods, {})
    for method in methods:
        whole = credence.fit(method, LOGITS, VOTES, input="logits")
        assert found[method].to_json() == whole.to_json(), method
    scores = credence.evaluate(LOGITS, VOTES, input="logits", resamples=0)
    assert rows.evaluate(None, DEFAULTS, None) == dict(scores)


def test_merged_neighbours_are_checked_as_pieces_are(monkeypatch):
    monkeypatch.setattr(_distributed, "LEAST_TO_MERGE", 1)
    layout = layout_of(TABLE.column_names, scores="logits", votes="counts", input="logits")
    engine = Pieces(cut(TABLE, (1500, 3000, 4000)), layout)
    rows = Distributed(engine, layout)
    first = engine.tables[1]
    engine.tables[1] = pa.concat_tables([first.slice(1, 1), first.slice(0, 1), first.slice(2)])
    with pytest.raises(credence.CredenceError, match="piece 1: rows 1500 to 3000 are not those"):
        rows.fit(["slts"], {})
    engine.tables[1] = first.slice(1)
    with pytest.raises(credence.CredenceError, match="piece 1: 1499 rows, and 1500"):
        rows.fit(["slts"], {})
    engine.tables[1] = first
    engine.run_merged = lambda *given: list(Pieces.run_merged(engine, *given))[1:2]
    with pytest.raises(credence.CredenceError, match="piece 0 did not answer"):
        rows.fit(["slts"], {})


def test_any_division_gives_the_metrics_of_all_rows():
    model = credence.fit("slts", LOGITS, VOTES, input="logits")
    for calibrator in (None, model):
        whole = credence.evaluate(LOGITS, VOTES, input="logits", calibrator=calibrator, resamples=0)
        for ends in DIVISIONS:
            found = rows_of(ends=ends).evaluate(calibrator, DEFAULTS, None)
            assert found == dict(whole)
            for mine, theirs in zip(found.bins, whole.bins):
                assert mine == {name: theirs[name] for name in mine}


@pytest.mark.parametrize("ends", DIVISIONS[1:], ids=lambda ends: f"{len(ends) + 1} pieces")
def test_a_comparison_is_that_of_all_rows_in_one_place(ends):
    methods = ["ts", "slts", "mcts", "vs", "dirichlet-soft", "hist-bin", "ir-soft"]
    whole = credence.compare(LOGITS, VOTES, input="logits", methods=methods, resamples=0)
    found = rows_of(ends=ends).compare({"methods": methods}, None)
    assert found.verdict == whole.verdict
    assert found.recommended == whole.recommended
    assert found.calibrator.to_json() == whole.calibrator.to_json()
    for name, calibrator in whole.calibrators.items():
        assert found.calibrators[name].to_json() == calibrator.to_json(), name
    for one, other in zip(found.results["splits"], whole.results["splits"]):
        for mine, theirs in zip(one["methods"], other["methods"]):
            assert mine["metrics"] == theirs["metrics"]


@pytest.mark.parametrize(
    "columns",
    [
        {"votes": "text", "classes": CLASSES},
        {"votes": "numbers", "votes_format": "labels", "classes": CLASSES},
        {"votes": "answers", "classes": CLASSES},
        {"votes": "map", "classes": CLASSES},
        {"votes": CLASSES, "classes": CLASSES},
        {"scores": [f"z{k}" for k in range(5)], "classes": CLASSES},
    ],
    ids=str,
)
def test_votes_mean_the_same_however_they_lie_in_columns(columns):
    whole = credence.fit("slts", LOGITS, VOTES, input="logits", classes=CLASSES)
    found = rows_of(ends=(700, 3000), **columns).fit(["slts"], {})
    assert found["slts"].to_json() == whole.to_json()


def test_majority_labels_and_probabilities_are_taken_as_by_fit():
    labels = VOTES.argmax(1)
    whole = credence.fit("ts", LOGITS, labels=labels, input="logits")
    given = {"votes": None, "labels": "label"}
    assert rows_of(ends=(1500,), **given).fit(["ts"], {})["ts"].to_json() == whole.to_json()

    wide = LOGITS.astype(np.float64)
    probs = np.exp(wide) / np.exp(wide).sum(1, keepdims=True)
    table = TABLE.append_column("probs", lists(probs))
    rows = rows_of(table, (1500, 1600), scores="probs", input="probs")
    whole = credence.fit("slts", probs, VOTES, input="probs")
    assert rows.fit(["slts"], {})["slts"].to_json() == whole.to_json()
    scored = credence.evaluate(probs, VOTES, resamples=0)
    assert rows.evaluate(None, DEFAULTS, None) == dict(scored)


def test_annotators_are_drawn_by_id_where_ids_are_known():
    ids = TABLE.column("id").to_pylist()
    whole = credence.fit("mcts", LOGITS, VOTES, input="logits", ids=ids, vote_ids=ids)
    found = rows_of(ends=(10, 2000), id="id").fit(["mcts"], {})["mcts"]
    assert found.temperature_ == whole.temperature_
    assert found.temperature_ != rows_of().fit(["mcts"], {})["mcts"].temperature_


def test_what_is_wrong_is_named_with_its_column_row_and_piece():
    def broken(name, row, value):
        column = TABLE.column(name).to_pylist()
        column[row] = value
        place = TABLE.column_names.index(name)
        return TABLE.set_column(place, name, pa.array(column, TABLE.column(name).type))

    ends = (1500, 3000)
    assert "no column 'logit'" in refused(TABLE, scores="logit")
    assert "piece 1: column 'logits', row 1700 is null" in refused(
        broken("logits", 1700, None), ends
    )
    ragged = refused(broken("logits", 3333, [1.0, 2.0]), ends)
    assert "piece 2: column 'logits', row 3333: 2 scores, and 5" in ragged
    inner = refused(broken("logits", 2, [1.0, None, 0.0, 0.0, 0.0]), ends)
    assert "piece 0: column 'logits', row 2: a value in the list is null" in inner
    assert "piece 0: scores: row 7" in refused(broken("logits", 7, [1.0, 2, 3, 4, np.nan]), ends)
    assert "piece 2: votes: row 4000 has no votes" in refused(broken("counts", 4000, [0] * 5), ends)
    assert "piece 2: votes: row 4000, class 1" in refused(
        broken("counts", 4000, [1, -1, 0, 0, 0]), ends
    )
    unknown = refused(broken("text", 1600, ["a", "x"]), ends, votes="text", classes=CLASSES)
    assert "piece 1: column 'text', row 1600: 'x' is none of the 5 classes" in unknown
    number = refused(broken("numbers", 3001, [0, 9]), ends, votes="numbers", votes_format="labels")
    assert "piece 2: column 'numbers', row 3001: label 9, and there are 5 classes" in number
    assert "classes are not named" in refused(TABLE, votes="text")
    assert "votes_format='labels'" in refused(TABLE.slice(0, 1), votes="numbers")


def test_classes_that_look_permuted_are_refused_unless_they_are_named():
    swapped = TABLE.set_column(0, "logits", lists(np.ascontiguousarray(LOGITS[:, [1, 2, 3, 4, 0]])))
    assert "classes of scores and votes look permuted" in refused(swapped, (3000,))
    assert rows_of(swapped, (3000,), classes=CLASSES).rows == 5000


def test_rows_of_another_width_in_a_late_piece_are_refused():
    narrow = TABLE.slice(4000).set_column(0, "logits", lists(LOGITS[4000:, :4]))
    layout = layout_of(TABLE.column_names, scores="logits", votes="counts", input="logits")
    with pytest.raises(
        credence.CredenceError, match="piece 1: .*row 4000: counts for 5 classes, scores for 4"
    ):
        Distributed(Pieces([TABLE.slice(0, 4000), narrow], layout), layout)
    votes = np.maximum(VOTES[4000:, :4], 1)
    narrow = narrow.set_column(TABLE.column_names.index("counts"), "counts", lists(votes))
    for cut in (4000, 4990):  # with whole blocks, and without one
        pieces = [TABLE.slice(0, cut), narrow.slice(cut - 4000)]
        with pytest.raises(
            credence.CredenceError, match=f"piece 1: 4 scores in row {cut} and the next, and 5 in"
        ):
            Distributed(Pieces(pieces, layout), layout)


class Faulty(Pieces):
    """Goes wrong from the third pass on, after rows were counted and checked."""

    passes = 0

    def run(self, common, own):
        self.passes += 1
        return (
            self.wrong(list(super().run(common, own)))
            if self.passes > 2
            else super().run(common, own)
        )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda replies: [one for one in replies if one[0] != 1], "piece 1 did not answer"),
        (lambda replies: [*replies, (1, pack([b"", b"other"]))], "piece 1 answered twice"),
        (
            lambda replies: [(i, pack([b"", b"?" * 16, *unpack(r)[2:]])) for i, r in replies],
            "piece 0: rows 0 to 1500 are not those that were counted",
        ),
    ],
)
def test_lost_changed_and_contradictory_answers_are_errors(wrong, words):
    layout = layout_of(TABLE.column_names, scores="logits", votes="counts", input="logits")
    engine = Faulty(cut(TABLE, (1500, 3000)), layout)
    engine.wrong = wrong
    rows = Distributed(engine, layout)
    with pytest.raises(credence.CredenceError, match=words):
        rows.fit(["slts"], {})


def test_rows_that_change_between_passes_are_noticed():
    layout = layout_of(TABLE.column_names, scores="logits", votes="counts", input="logits")
    engine = Pieces(cut(TABLE, (1500, 3000)), layout)
    rows = Distributed(engine, layout)
    first = engine.tables[1]
    engine.tables[1] = pa.concat_tables([first.slice(1, 1), first.slice(0, 1), first.slice(2)])
    with pytest.raises(credence.CredenceError, match="piece 1: rows 1500 to 3000 are not those"):
        rows.fit(["slts"], {})
    engine.tables[1] = first.slice(1)
    with pytest.raises(credence.CredenceError, match="piece 1: 1499 rows, and 1500"):
        rows.fit(["slts"], {})


def test_answers_do_not_grow_with_the_rows_of_a_piece():
    sizes = []
    for rows in (2048, 4096):
        table = pa.concat_tables([TABLE.slice(0, rows)])
        given = rows_of(table)
        given.fit(["slts"], {})
        sizes.append(max(given.received[2:]))
    assert sizes[0] == sizes[1]  # one node of the tree each
