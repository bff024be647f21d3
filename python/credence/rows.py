"""Rows that lie elsewhere, in pieces: what a driver for a cluster is built on.

A piece is a run of neighbouring rows of any length, wherever it lies. The engine writes messages, a
driver carries them to the pieces, where :func:`answer` turns each into a reply. Whatever is
computed has the bits of the same work on all rows in one place.

>>> import credence
>>> from credence.rows import RowsInPieces, answer
>>> demo = credence.demo_data(rows=3000)
>>> cuts = [0, 500, 1700, 3000]
>>> pieces = [
...     credence.Dataset(demo["logits"][a:b], demo["votes"][a:b], input="logits")
...     for a, b in zip(cuts, cuts[1:])
... ]
>>> tags = [b""] * len(pieces)
>>> def run(common, own):   # on a cluster: `common` to all, own[i] to piece i
...     return [answer(common, own[i], piece, tags[i]) for i, piece in enumerate(pieces)]
>>> def tag(given):   # kept for later runs
...     tags[:] = given
>>> rows = RowsInPieces(len(pieces), run, tag)
>>> whole = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
>>> rows.fit(["slts"], input="logits")[0].temperature_ == whole.temperature_
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import _core
from ._calibrator import Calibrator, Progress, fit_options, method_settings
from ._compare import Comparison, compare_options
from ._data import Dataset
from ._evaluate import bootstrap_options, metric_options
from .sums import Metrics, resampling

__all__ = ["RowsInPieces", "answer"]

_FIT = _core.FitOptions()
_COMPARE = _core.CompareOptions()
_METRICS = _COMPARE.metrics
_BOOTSTRAP = _COMPARE.bootstrap


def answer(
    common: bytes, own: bytes, rows: Dataset, tags: bytes = b"", *, threads: int = 1
) -> bytes:
    """What a piece replies. A pure function: a task that is run twice gives the same bytes.

    ``tags`` are those that ``tag`` was last given for this piece, a byte per row.
    """
    return _core.answer_piece(common, own, rows._inputs, tags, threads)


class RowsInPieces:
    """The driver's side.

    ``run(common, own)`` sends ``common`` to every piece and ``own[i]`` to piece i, and returns what
    :func:`answer` gave, in the order of the pieces. ``tag(tags)`` keeps ``tags[i]`` for piece i,
    until it is called again.

    ``facts`` is what is known of all rows, ``facts_of(tags)`` of those whose tag is not 0 (see
    docs/solver.md): with them, the calibrators of a comparison record a fingerprint.
    """

    def __init__(
        self,
        pieces: int,
        run: Callable[[bytes, list[bytes]], Sequence[bytes]],
        tag: Callable[[list[bytes]], None],
        *,
        class_names: Sequence[str] = (),
        facts: bytes | None = None,
        facts_of: Callable[[bytes], bytes] | None = None,
        joined_by: str = "row",
    ) -> None:
        self._facts = (facts, facts_of, joined_by)
        self._core = _core.RowsInPieces(pieces, run, tag, [str(name) for name in class_names])

    @property
    def rows(self) -> int:
        """How many rows there are in all pieces."""
        return self._core.rows

    @property
    def classes(self) -> int:
        """How many classes the scores have."""
        return self._core.classes

    @property
    def evidence(self) -> str:
        """What all annotations together allow: see :class:`credence.solver.Solver`."""
        return self._core.evidence

    def fit(
        self,
        methods: Sequence[str],
        *,
        input: str,
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
        progress: Progress | None = None,
    ) -> list[Calibrator]:
        """Fit several methods at once: every pass over the rows serves all of them.

        ``auto`` and its kin are many fits, which share passes of their own.
        """
        options = fit_options(gauge, seed, max_passes)
        settings = method_settings(draws, epsilon, lambda_, mu, bins, tau, step_prior)
        fitted = _core.fit_rows(self._core, list(methods), options, settings, input, progress)
        facts = self._facts[0]
        if facts is not None:
            fitted = [_core.described(core, facts, input) for core in fitted]
        return [Calibrator(core) for core in fitted]

    def evaluate(
        self,
        calibrator: Calibrator | None = None,
        *,
        bins: int = _METRICS.bins,
        entropy_bins: int = _METRICS.entropy_bins,
        draws: int = _METRICS.draws,
        draw_seed: int = _METRICS.seed,
        list_rows: bool = _METRICS.list_rows,
        resamples: int = 0,
        level: float = _BOOTSTRAP.level,
        seed: int = _BOOTSTRAP.seed,
        progress: Progress | None = None,
    ) -> Metrics:
        """Every metric by name, with intervals where ``resamples`` are asked for;
        ``list_rows=False`` as in :func:`credence.sums.accumulate`.
        """
        options = metric_options(bins, entropy_bins, draws, draw_seed)
        options.list_rows = list_rows
        how = resampling(resamples, seed, level)
        if resamples:
            options.resample(how, self.rows)
        core = None if calibrator is None else calibrator._core
        return Metrics(_core.evaluate_rows(self._core, core, options, progress), how)

    def compare(
        self,
        *,
        input: str,
        methods: Sequence[str] | None = None,
        reference: str = _COMPARE.reference,
        share: float = _COMPARE.share,
        seeds: int | Sequence[int] = tuple(_COMPARE.seeds),
        folds: int = _COMPARE.folds,
        oracle: bool = _COMPARE.oracle,
        keep_predictions: bool = _COMPARE.keep_predictions,
        final: bool = True,
        gauge: str = _COMPARE.gauge,
        bins: int = _METRICS.bins,
        entropy_bins: int = _METRICS.entropy_bins,
        draws: int = _METRICS.draws,
        draw_seed: int = _METRICS.seed,
        resamples: int = 0,
        level: float = _BOOTSTRAP.level,
        memory: int = 1 << 30,
        progress: Progress | None = None,
    ) -> Comparison:
        """Compare methods as :func:`credence.compare` does, with its split, calibrators and advice.

        Intervals are given where ``resamples`` are asked for; what needs single rows is left out:
        examples, groups and the larger diagrams. ``memory`` is what the driver may take for lists
        of rows and sums of fits, in bytes.
        """
        options = compare_options(
            methods=methods,
            reference=reference,
            share=share,
            seeds=seeds,
            folds=folds,
            oracle=oracle,
            keep_predictions=keep_predictions,
            final=final,
            gauge=gauge,
        )
        options.metrics = metric_options(bins, entropy_bins, draws, draw_seed)
        options.bootstrap = bootstrap_options(resamples, None, level, _BOOTSTRAP.kind, False)
        core = _core.compare_rows(self._core, options, input, memory, progress, *self._facts)
        return Comparison(core)
