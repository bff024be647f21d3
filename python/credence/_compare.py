"""The main job: fit every method, judge them on other rows, recommend one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _card, _core, _html, _plot
from ._calibrator import Calibrator, Progress
from ._data import About, PathLike, inputs, row_list, seed_list, takes_data
from ._errors import CredenceError
from ._evaluate import bootstrap_options, metric_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

_COMPARE = _core.CompareOptions()
_METRICS = _COMPARE.metrics
_BOOTSTRAP = _COMPARE.bootstrap
_PAGE = _core.PageOptions()


class Comparison:
    """Every method with its scores and intervals, and the one to ship.

    >>> import credence
    >>> demo = credence.demo_data(rows=600)
    >>> found = credence.compare(
    ...     demo["logits"], demo["votes"], input="logits", methods=["ts", "slts"], resamples=100)
    >>> found.recommended
    'slts'
    >>> found.calibrator.method
    'slts'
    """

    def __init__(self, core: _core.Comparison) -> None:
        self._core = core
        #: The parsed results.json.
        self.results: dict[str, Any] = json.loads(core.text("results.json"))
        self._report_path: Path | None = None

    @property
    def recommended(self) -> str:
        """The method to use: the candidate, "uncalibrated" where nothing clearly beats the model,
        or a temperature where there are too few rows to choose.
        """
        return self._core.recommended

    @property
    def verdict(self) -> str:
        """"ship", "keep" (no method clearly beats the model) or "too-few" (rows to choose)."""
        return str(self.results["answer"]["verdict"])

    @property
    def candidate(self) -> str:
        """The method that cross-validation on the calibration rows chose."""
        return str(self.results["answer"]["candidate"])

    @property
    def calibrator(self) -> Calibrator:
        """The recommended calibrator, fitted again on all rows.

        With ``final=False``, or test rows of their own, the one that was scored: it was fitted on
        the calibration rows of the first split, as all of :attr:`calibrators` are.
        """
        final = self._core.final_calibrator
        return self.calibrators[self.recommended] if final is None else Calibrator(final)

    @property
    def calibrators(self) -> dict[str, Calibrator]:
        """Every fitted calibrator of the first split, by method."""
        return {name: Calibrator(core) for name, core in self._core.calibrators}

    @property
    def loss_parts(self) -> dict[str, Any]:
        """Where nll and brier_reader of the test rows come from, on the first split.

        "metrics" has for each of them the "disagreement" of the annotators, what only a better
        "model" could win, and for the model as it is and the recommended method the "total" and
        what "calibration" still loses; disagreement + calibration + model = total. "problem" says
        why there are none, for example because "auto" was not compared.
        """
        return dict(self.results["splits"][0]["loss_parts"])

    @property
    def answer(self) -> list[str]:
        """The answer in plain words, most important first."""
        return self._core.answer

    @property
    def notes(self) -> list[str]:
        """What was taken for granted when the data were read and joined."""
        return self._core.notes

    def to_json(self) -> str:
        """The text of results.json, the same bytes as the command line's for the same files."""
        return self._core.text("results.json")

    def to_csv(self) -> str:
        """One line per split, method and metric."""
        return self._core.text("results.csv")

    def to_markdown(self) -> str:
        """The table of a paper: T, ECE, aECE, cwECE, Brier, NLL."""
        return self._core.text("table.md")

    def to_latex(self) -> str:
        """The same as LaTeX."""
        return self._core.text("table.tex")

    def to_pandas(self) -> Any:
        """A data frame with a row per split, method and metric: value, interval, differences."""
        import io

        import pandas

        return pandas.read_csv(io.StringIO(self.to_csv()))

    def save(self, folder: PathLike) -> None:
        """Write what ``credence compare -o folder`` writes: all files, or none."""
        self._core.save(os.fspath(folder))

    def report(
        self, path: PathLike | None = None, *, embed_examples: int = _PAGE.embed_examples
    ) -> str:
        """The report as one HTML page; written to ``path`` when given.

        Embedding examples needs ``compare(..., examples=True)``.
        """
        if embed_examples and not self._core.has_examples:
            raise CredenceError(
                "usage", "the examples were not kept", "compare with examples=True"
            )
        options = _core.PageOptions()
        options.embed_examples = embed_examples
        page = self._core.drawn(options).page()
        if path is not None:
            _core.write_text(os.fspath(path), page)
        return page

    def save_report(self, path: PathLike) -> Path:
        """Write the report as one HTML page to ``path``; the card in a notebook then links to it.

        A page to print or mail: it needs nothing besides itself.
        """
        self.report(path)
        written = Path(os.fspath(path)).resolve()
        self._report_path = written
        return written

    def open(self, path: PathLike | None = None) -> Path:
        """Write the report to ``path``, or to a temporary file, and open it in the browser.

        For a Python on your own machine. On a server (JupyterHub, Colab) the browser is elsewhere:
        use :meth:`show`, or :meth:`save_report` and the file browser.
        """
        import tempfile
        import webbrowser

        if path is None:
            folder = tempfile.mkdtemp(prefix="credence-")
            path = os.path.join(folder, "report.html")
        written = self.save_report(path)
        webbrowser.open(written.as_uri())
        return written

    def show(self, *, height: int = 720) -> None:
        """Show the whole report in a notebook; elsewhere :meth:`open` it.

        It stands in a frame that runs its script and reaches nothing outside, so it works in
        Jupyter, VS Code and Colab; the page, up to a megabyte, becomes part of the notebook.
        """
        if not _html.is_notebook():
            self.open()
            return
        from IPython.display import display

        shown = {"text/html": _html.framed(self.report(), height), "text/plain": repr(self)}
        display(shown, raw=True)

    def plot_reliability(
        self,
        ax: Any = None,
        *,
        method: str | None = None,
        truth: str = "annotators",
        counts: bool = True,
        legend: bool = True,
    ) -> Any:
        """Draw the reliability diagram of a method with Matplotlib; returns the Axes.

        ``method`` is the recommended one unless another is named ("uncalibrated" is the model as
        it is); ``truth`` is "annotators" or "vote". Bars of fewer than 20 examples are faint.
        ``counts`` adds a strip with the examples per bin below.
        """
        return _plot.reliability(self.results, ax, method, truth, counts, legend)

    def plot_entropy(self, ax: Any = None, *, methods: Sequence[str] | None = None) -> Any:
        """Draw the error of the confidence against the annotators' disagreement; returns the Axes.

        Without ``methods``: the recommended one, the model as it is, the reference and "slts".
        """
        return _plot.entropy(self.results, ax, methods)

    def plot_methods(self, ax: Any = None, *, metric: str = "nll", most: int | None = None) -> Any:
        """Draw one metric of all methods with its intervals, best first; returns the Axes.

        Values and intervals are those of the first split. ``most`` leaves out all but the first.
        """
        return _plot.methods(self.results, ax, metric, most)

    def __repr__(self) -> str:
        return _card.text(self.results, self.answer)

    def _repr_html_(self) -> str:
        drawn = dict(self._core.drawn(_core.PageOptions()).figures())
        svg = drawn.get("before-after")
        return _card.card(self.results, self.answer, svg, self._report_path)


_OF_ONE_SIDE = ("ids", "vote_ids", "groups", "rows", "skip_rows")


def _data_of(given: Any, name: str) -> tuple[Any, Any]:
    try:
        scores, votes = given
    except (TypeError, ValueError):
        message = f"{name} is not a pair"
        raise CredenceError("usage", message, f"give {name}=(scores, votes)") from None
    return scores, votes


def compare_options(
    *,
    methods: Sequence[str] | None,
    reference: str,
    share: float,
    seeds: int | Sequence[int],
    folds: int,
    oracle: bool,
    keep_predictions: bool,
    final: bool,
    gauge: str,
    second_order: bool = False,
) -> _core.CompareOptions:
    """What is compared, wherever the rows are."""
    options = _core.CompareOptions()
    options.methods = [] if methods is None else list(methods)
    options.reference = reference
    options.share = share
    options.seeds = seed_list(seeds)
    options.folds = folds
    options.oracle = oracle
    options.keep_predictions = keep_predictions
    options.second_order = second_order
    options.final_fit = final
    options.gauge = gauge
    return options


@takes_data
def compare(
    scores: Any,
    votes: Any = None,
    *,
    input: str | None = None,
    labels: Any = None,
    methods: Sequence[str] | None = None,
    reference: str = _COMPARE.reference,
    test: tuple[Any, Any] | None = None,
    test_groups: Any = None,
    share: float = _COMPARE.share,
    seeds: int | Sequence[int] = tuple(_COMPARE.seeds),
    calibration_rows: Any = None,
    folds: int = _COMPARE.folds,
    oracle: bool = _COMPARE.oracle,
    keep_predictions: bool = _COMPARE.keep_predictions,
    second_order: bool = _COMPARE.second_order,
    final: bool = True,
    refits: int = _COMPARE.refits,
    gauge: str = _COMPARE.gauge,
    bins: int = _METRICS.bins,
    entropy_bins: int = _METRICS.entropy_bins,
    draws: int = _METRICS.draws,
    draw_seed: int = _METRICS.seed,
    resamples: int = _BOOTSTRAP.resamples,
    level: float = _BOOTSTRAP.level,
    interval: str = _BOOTSTRAP.kind,
    resample_annotators: bool = _BOOTSTRAP.annotators,
    examples: bool = False,
    threads: int = _COMPARE.threads,
    progress: Progress | None = None,
    **about: Unpack[About],
) -> Comparison:
    """Fit every method on one part of the data, score them on the other, recommend one.

    Without ``methods``, every catalogued one that the annotations allow. ``seeds`` make one split
    each, with ``share`` of the rows to calibrate; ``calibration_rows`` (row numbers or a file) or
    ``test=(scores, votes)`` give a split instead. ``groups`` (patients, recordings) are kept whole.
    ``keep_predictions=True`` chooses among methods that never change the predicted class.
    ``second_order=True`` also fits, and scores, how sure the predictions of each method are.
    ``examples=True`` keeps every test example for the report. Data are given as to
    :func:`fit`, options are those of ``credence compare``.
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
        second_order=second_order,
    )
    options.refits = refits
    options.threads = threads
    options.metrics = metric_options(bins, entropy_bins, draws, draw_seed)
    options.bootstrap = bootstrap_options(resamples, None, level, interval, resample_annotators)
    if calibration_rows is not None and (test is not None or about.get("rows") is not None):
        raise CredenceError(
            "usage",
            "calibration_rows and test or rows contradict each other",
            "calibration_rows already says which rows calibrate and which test",
        )
    given = inputs(scores, votes, input=input, labels=labels, **about)
    judged = None
    if test is not None:
        test_scores, test_votes = _data_of(test, "test")
        # Names and fields are those of all the data; ids, groups and rows are of one side.
        common: dict[str, Any] = {k: v for k, v in about.items() if k not in _OF_ONE_SIDE}
        side = {"labels": test_votes} if labels is not None else {}
        judged = inputs(
            test_scores,
            None if side else test_votes,
            input=input,
            groups=test_groups,
            **side,
            **common,
        )
    is_file = isinstance(calibration_rows, (str, os.PathLike))
    core = _core.compare(
        given,
        judged,
        row_list(calibration_rows),
        os.fspath(calibration_rows) if is_file else "calibration_rows",
        options,
        examples,
        progress,
    )
    return Comparison(core)


def report(
    results: Comparison | PathLike | Sequence[PathLike],
    path: PathLike | None = None,
    *,
    embed_examples: int = _PAGE.embed_examples,
    figures: PathLike | None = None,
    figure_formats: Sequence[str] = ("svg",),
) -> str:
    """The report as one HTML page, written to ``path`` when given.

    ``results`` are a :class:`Comparison`, or paths of results: a folder or file of a comparison,
    and of any number of ablations beside it. ``figures`` is a folder for the figures as files.
    """
    options = _core.PageOptions()
    options.embed_examples = embed_examples
    if isinstance(results, Comparison):
        read = results._core.drawn(options)
    else:
        single = isinstance(results, (str, os.PathLike))
        paths = [results] if single else list(results)  # type: ignore[arg-type]
        read = _core.Results.read([os.fspath(one) for one in paths], options)  # type: ignore[arg-type]
    page = read.page()
    if figures is not None:
        read.save_figures(os.fspath(figures), list(figure_formats))
    if path is not None:
        _core.write_text(os.fspath(path), page)
    return page
