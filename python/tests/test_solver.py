"""A fit driven from Python, its rows in other processes, gives the bits of credence.fit."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

import credence
from credence.solver import BLOCK_ROWS, Solver, accumulate, merge

ROWS = 5000
CUTS = [0, 2 * BLOCK_ROWS, 3 * BLOCK_ROWS, ROWS]
# auto is many fits, made where the rows are; one solver makes one.
METHODS = [one["id"] for one in credence.methods() if not one["id"].startswith("auto")]


def _piece(first: int, end: int) -> credence.Dataset:
    demo = credence.demo_data(rows=ROWS)
    return credence.Dataset(demo["logits"][first:end], demo["votes"][first:end], input="logits")


def _answer(request: bytes, first: int, end: int) -> bytes:
    return accumulate(request, _piece(first, end), first)


@pytest.fixture(scope="module")
def workers():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("method", [*METHODS, "dirichlet-soft then ts"])
def test_two_processes_and_three_pieces_give_the_bits_of_fit(method, workers):
    demo = credence.demo_data(rows=ROWS)
    solver = Solver(method, rows=ROWS, classes=demo["logits"].shape[1], input="logits")
    pieces = list(zip(CUTS, CUTS[1:]))
    while (request := solver.next()) is not None:
        # The middle piece is computed twice, as a cluster does when a worker is slow.
        tasks = [workers.submit(_answer, request, *piece) for piece in [*pieces[::-1], pieces[1]]]
        solver.tell(merge(task.result() for task in tasks))
    whole = credence.fit(method, demo["logits"], demo["votes"], input="logits")
    driven, fitted = solver.result(), whole
    assert (driven.predict_proba(demo["logits"]) == fitted.predict_proba(demo["logits"])).all()
    assert driven.method == fitted.method


@pytest.mark.parametrize("method", ["soft-platt", "dirichlet-soft then ts"])
def test_saved_after_every_answer_it_continues_to_the_bits_of_fit(method):
    demo = credence.demo_data(rows=ROWS)
    solver = Solver(
        method, rows=ROWS, classes=demo["logits"].shape[1], input="logits", resumable=True
    )
    while (request := solver.next()) is not None:
        solver.tell(_answer(request, 0, ROWS))
        solver = Solver.resume(solver.save(), input="logits")
    fitted = credence.fit(method, demo["logits"], demo["votes"], input="logits")
    driven = solver.result()
    assert (driven.predict_proba(demo["logits"]) == fitted.predict_proba(demo["logits"])).all()


def test_rows_that_are_missing_are_noticed():
    solver = Solver("slts", rows=ROWS, classes=5, input="logits")
    first = _answer(solver.next(), 0, 2 * BLOCK_ROWS)
    last = _answer(solver.next(), 3 * BLOCK_ROWS, ROWS)
    with pytest.raises(credence.CredenceError, match="gap"):
        merge([first, last])
    with pytest.raises(credence.CredenceError, match="wanted all 5000 rows"):
        solver.tell(first)


def test_bytes_that_are_no_state_are_refused():
    solver = Solver("slts", rows=ROWS, classes=5, input="logits")
    with pytest.raises(credence.CredenceError, match="state"):
        solver.tell(b"\x00" * 40)
