"""Fits whose rows lie elsewhere: a solver asks for sums over rows, and is told.

Requests and states are ``bytes``, to be sent wherever the rows are. Any division of the rows into
pieces of whole blocks of :data:`BLOCK_ROWS` rows gives the bits of :func:`credence.fit`.

>>> import credence
>>> from credence.solver import BLOCK_ROWS, Solver, accumulate, merge
>>> demo = credence.demo_data(rows=3000)
>>> pieces = {
...     first: credence.Dataset(
...         demo["logits"][first : first + 2 * BLOCK_ROWS],
...         demo["votes"][first : first + 2 * BLOCK_ROWS],
...         input="logits",
...     )
...     for first in range(0, 3000, 2 * BLOCK_ROWS)
... }
>>> solver = Solver("slts", rows=3000, classes=5, input="logits")
>>> while (request := solver.next()) is not None:   # on a cluster: one task per piece
...     states = [accumulate(request, piece, first) for first, piece in pieces.items()]
...     solver.tell(merge(states))
>>> whole = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
>>> solver.result().temperature_ == whole.temperature_
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from . import _core
from ._calibrator import Calibrator, fit_options, method_settings
from ._data import Dataset

__all__ = ["BLOCK_ROWS", "Solver", "accumulate", "merge"]

#: Pieces begin at multiples of this many rows; only the last may end in between.
BLOCK_ROWS: Final = 1024

_FIT = _core.FitOptions()


class Solver:
    """Fits one method by asking for sums over rows.

    ``evidence`` is what all annotations together allow: "distributions" when some examples have
    several, "annotations" with one each, "voted" when only majority labels are known. A solver made
    with ``resumable=True`` can be saved; it remembers the totals of what it is told.
    """

    def __init__(
        self,
        method: str,
        *,
        rows: int,
        classes: int,
        input: str,
        evidence: str = "distributions",
        class_names: Sequence[str] = (),
        draws: int | None = None,
        epsilon: float | None = None,
        lambda_: float | None = None,
        mu: float | None = None,
        bins: int | None = None,
        tau: float | None = None,
        step_prior: float | None = None,
        gauge: str = _FIT.gauge,
        seed: int = _FIT.seed,
        max_passes: int = _FIT.max_passes,
        resumable: bool = False,
    ) -> None:
        options = fit_options(gauge, seed, max_passes)
        settings = method_settings(draws, epsilon, lambda_, mu, bins, tau, step_prior)
        names = [str(name) for name in class_names]
        self._core = _core.Solver(
            method, rows, classes, evidence, names, input, options, settings, resumable
        )

    @classmethod
    def resume(cls, saved: bytes, *, input: str) -> Solver:
        """A solver as it was when :meth:`save` was called, to continue to the same bits."""
        solver = cls.__new__(cls)
        solver._core = _core.Solver.resume(saved, input)
        return solver

    def save(self) -> bytes:
        """All that :meth:`resume` needs, in another process or after an interruption."""
        return self._core.save()

    def next(self) -> bytes | None:
        """The request to answer, or None when the fit is done."""
        return self._core.next()

    def tell(self, state: bytes) -> None:
        """Take the answer to :meth:`next` from all rows; one that does not fit is refused."""
        self._core.tell(state)

    def result(self) -> Calibrator:
        """The calibrator, when :meth:`next` returns None."""
        return Calibrator(self._core.result())


def accumulate(request: bytes, rows: Dataset, first_row: int, *, threads: int = 1) -> bytes:
    """Answer a request from some of the rows, of which the first is number ``first_row`` of all.

    Depends on nothing else: a task that is run twice gives the same bytes.
    """
    return _core.accumulate(request, rows._inputs, first_row, threads)


def merge(states: Iterable[bytes]) -> bytes:
    """The state of neighbouring pieces, in any order. A piece that came twice counts once."""
    return _core.merge(list(states))
