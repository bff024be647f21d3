"""Figures of a comparison with Matplotlib, in the colours and shapes of the report's own.

Every function draws into the Axes it is given, or into new ones, and returns them. Matplotlib is
imported when something is drawn, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._errors import CredenceError

#: The light colours of the report (src/figure/palette.hpp), by what they mean.
PALETTE = {
    "paper": "#ffffff",
    "ink": "#1a1d21",
    "muted": "#5a626b",
    "axis": "#767e87",
    "grid": "#e4e7ea",
    "bar": "#e1e7ee",
    "count": "#7f8b98",
    "band": "#b4bac1",
    "over": "#c94f00",
    "under": "#00835f",
    "best": "#0067a6",
    "series1": "#0067a6",
    "series2": "#b07400",
    "series3": "#a8457d",
    "series4": "#3b3f45",
    "series5": "#2b8cbe",
    "series6": "#c94f00",
    "series7": "#00835f",
    "series8": "#7d7200",
}
_SERIES = [PALETTE[f"series{i}"] for i in range(1, 9)]
_MARKERS = "osD^vP<>"
_NORMAL95 = 1.96
# A bin of fewer examples says little; its bar is drawn faintly.
_FEW = 20
_FAINT = 0.35


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plotting needs Matplotlib, which is not installed: pip install matplotlib"
        ) from error
    if ax is not None:
        return ax
    return plt.subplots(figsize=size, layout="constrained")[1]


def _plain_frame(ax: Any, *, grid: str) -> None:
    ax.set_facecolor(PALETTE["paper"])
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(PALETTE["axis"])
    ax.tick_params(colors=PALETTE["axis"], labelcolor=PALETTE["ink"], labelsize=9)
    ax.grid(axis=grid, color=PALETTE["grid"], linewidth=0.75)
    ax.set_axisbelow(True)


def _in_percent(axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))


def _methods(results: dict[str, Any]) -> list[dict[str, Any]]:
    return list(results["splits"][0]["methods"])


def find(results: dict[str, Any], name: str | None) -> dict[str, Any]:
    """A method of the first split; without a name the recommended one."""
    wanted = name or results["answer"]["recommended"]
    for method in _methods(results):
        if method["name"] == wanted:
            return dict(method)
    known = ", ".join(method["name"] for method in _methods(results))
    raise CredenceError("usage", f"'{wanted}' was not compared", f"compared were: {known}")


def estimate(method: dict[str, Any], metric: str, percent: bool = True) -> str:
    """ "1.2 [0.9, 2.2]", as tables print it."""
    found = method["metrics"].get(metric) or {}
    if found.get("value") is None:
        return "infinite" if metric == "nll" and method.get("infinite_nll_rows") else "-"
    scale, digits = (100, 1) if percent else (1, 4)
    text = f"{scale * found['value']:.{digits}f}"
    if found.get("low") is not None and found.get("high") is not None:
        text += f" [{scale * found['low']:.{digits}f}, {scale * found['high']:.{digits}f}]"
    return text


def _bin_parts(ax: Any, part: dict[str, Any], mean: str, what: str) -> None:
    """One bin: bar, band of chance, gap to the diagonal, interval."""
    from matplotlib.patches import Rectangle

    left, width = part["from"], part["to"] - part["from"]
    gap = min(0.004, width / 8)
    x, width = left + gap / 2, width - gap
    height, wanted = part[mean], part["confidence"]
    faint = _FAINT if part["count"] < _FEW else 1.0
    ax.add_patch(Rectangle((x, 0), width, height, color=PALETTE["bar"], lw=0, alpha=faint))
    noise = part.get(f"{what}_noise")
    if noise is not None:
        ax.add_patch(
            Rectangle(
                (x, wanted - _NORMAL95 * noise), width, 2 * _NORMAL95 * noise,
                color=PALETTE["band"], alpha=0.55 * faint, lw=0,
            )
        )
    over = wanted > height
    colour = PALETTE["over" if over else "under"]
    low, high = min(height, wanted), max(height, wanted)
    box = {"xy": (x, low), "width": width, "height": high - low}
    ax.add_patch(Rectangle(**box, facecolor=colour, alpha=0.22 * faint, lw=0))
    ax.add_patch(
        Rectangle(
            **box, fill=False, edgecolor=colour, hatch="////" if over else "....", lw=0,
            alpha=faint,
        )
    )
    ax.plot([x, x + width], [height, height], color=PALETTE["ink"], lw=1.75, alpha=faint,
            solid_capstyle="butt")
    error = part.get(f"{what}_standard_error")
    if error is not None:
        ends = [max(0.0, height - _NORMAL95 * error), min(1.0, height + _NORMAL95 * error)]
        middle = x + width / 2
        ax.plot([middle, middle], ends, color=PALETTE["ink"], lw=1.25, alpha=faint)


def _reliability_key(
    ax: Any, bins: Sequence[dict[str, Any]], what: str, below: float
) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    keys: list[Any] = [
        Patch(facecolor=PALETTE["over"] + "38", edgecolor=PALETTE["over"], hatch="////", lw=0,
              label="over-confident"),
        Patch(facecolor=PALETTE["under"] + "38", edgecolor=PALETTE["under"], hatch="....", lw=0,
              label="under-confident"),
    ]
    if any(part.get(f"{what}_noise") is not None for part in bins):
        keys.append(Patch(facecolor=PALETTE["band"] + "8c", lw=0,
                          label="where a perfect model would lie (95 %)"))
    if any(part.get(f"{what}_standard_error") is not None for part in bins):
        keys.append(Line2D([], [], color=PALETTE["ink"], lw=1.25, marker="|", ls="none",
                           markersize=9, label="interval of the agreement"))
    if any(part["count"] < _FEW for part in bins):
        keys.append(Patch(facecolor=PALETTE["bar"], alpha=_FAINT, lw=0,
                          label=f"faint: fewer than {_FEW} examples"))
    ax.legend(handles=keys, loc="upper left", bbox_to_anchor=(-0.02, below), fontsize=8,
              frameon=False, labelcolor=PALETTE["muted"], handlelength=1.6,
              borderaxespad=0)


def _count_strip(ax: Any, bins: Sequence[dict[str, Any]]) -> None:
    """Examples per bin, below the diagram."""
    strip = ax.inset_axes([0, -0.2, 1, 0.14])
    _plain_frame(strip, grid="y")
    strip.grid(False)
    for part in bins:
        width = part["to"] - part["from"]
        strip.bar(part["from"] + width / 2, part["count"], width=0.92 * width,
                  color=PALETTE["count"])
    counts = [part["count"] for part in bins]
    strip.set_xlim(0, 1)
    if max(counts) >= 50 * min(counts):
        strip.set_yscale("log")
        strip.set_ylim(0.7, max(counts) * 1.2)
        most = 10 ** (len(str(max(counts))) - 1)
        strip.set_yticks([1, most], ["1", f"{most:,}"])
        strip.set_ylabel("examples\n(log)", fontsize=8, color=PALETTE["muted"])
    else:
        strip.set_yticks([0, max(counts)], ["0", f"{max(counts):,}"])
        strip.set_ylabel("examples", fontsize=8, color=PALETTE["muted"])
    strip.tick_params(labelsize=8)
    strip.minorticks_off()
    ax.set_xticklabels([])
    strip.set_xticks(ax.get_xticks())
    _in_percent(strip.xaxis)
    # The label belongs to the diagram, so that layouts leave room for it.
    ax.xaxis.set_label_coords(0.5, -0.27)


def reliability(
    results: dict[str, Any], ax: Any, method: str | None, truth: str, counts: bool, legend: bool
) -> Any:
    if truth not in ("annotators", "vote"):
        raise CredenceError("usage", f"truth is '{truth}'", 'wanted "annotators" or "vote"')
    shown = find(results, method)
    ax = _axes(ax, (4.8, 6.8))
    mean, what = ("agreement", "agreement") if truth == "annotators" else ("accuracy", "accuracy")
    bins = [part for part in shown["reliability"] if part["count"] and part[mean] is not None]
    _plain_frame(ax, grid="y")
    for part in bins:
        _bin_parts(ax, part, mean, what)
    ax.plot([0, 1], [0, 1], color=PALETTE["muted"], lw=1, ls=(0, (4, 3)))
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[0, 0.2, 0.4, 0.6, 0.8, 1.0])
    _in_percent(ax.yaxis)
    _in_percent(ax.xaxis)
    share = "share of annotators who agree (%)" if truth == "annotators" else (
        "share where the majority label agrees (%)")
    ax.set_ylabel(share, color=PALETTE["ink"])
    metric = "ece_expected" if truth == "annotators" else "ece_voted"
    ax.set_title(shown["name"], loc="left", fontsize=11, fontweight="bold",
                 color=PALETTE["ink"])
    ax.set_title(f"{metric} {estimate(shown, metric)} %", loc="right", fontsize=8,
                 color=PALETTE["muted"])
    ax.set_xlabel("confidence (%)", color=PALETTE["ink"])
    if counts and bins:
        _count_strip(ax, bins)
    if legend:
        _reliability_key(ax, bins, what, -0.31 if counts and bins else -0.13)
    return ax


def _shown_methods(results: dict[str, Any]) -> list[str]:
    """The recommendation, the model as it is, the reference and slts, as in the report."""
    split = results["splits"][0]
    known = [method["name"] for method in split["methods"]]
    wanted = [results["answer"]["recommended"], "uncalibrated", *split["references"][:1], "slts"]
    return [name for name in dict.fromkeys(wanted) if name in known][:4]


def entropy(results: dict[str, Any], ax: Any, methods: Sequence[str] | None) -> Any:
    names = _shown_methods(results) if methods is None else list(methods)
    ax = _axes(ax, (6.4, 4.2))
    _plain_frame(ax, grid="y")
    ends = []
    for number, name in enumerate(names):
        points = find(results, name)["pointwise_by_entropy"]
        if not points:
            continue
        x, y = [p["entropy"] for p in points], [p["error"] for p in points]
        errors = [_NORMAL95 * (p.get("standard_error") or 0.0) for p in points]
        low = [min(e, value) for e, value in zip(errors, y)]
        colour = _SERIES[number % len(_SERIES)]
        ax.errorbar(
            x, y, yerr=[low, errors], color=colour, lw=1.75, elinewidth=1.25, marker=_MARKERS[
                number % len(_MARKERS)], markersize=5, label=name,
        )
        ends.append((x[-1], y[-1], name, colour))
    _label_ends(ax, ends)
    # Examples on which all agree lie at 0: a little room for their markers.
    ax.set_xlim(left=-0.02 * ax.get_xlim()[1])
    ax.set_ylim(bottom=0)
    _in_percent(ax.yaxis)
    ax.set_xlabel("disagreement of annotators (entropy / its maximum)", color=PALETTE["ink"])
    ax.set_ylabel("mean |confidence - agreement| (%)", color=PALETTE["ink"])
    return ax


def _label_ends(ax: Any, ends: list[tuple[float, float, str, str]]) -> None:
    """Names beside the ends of their lines, moved apart where they would overlap."""
    top = ax.get_ylim()[1]
    apart, last = 0.055 * top, None
    right = max((x for x, *_ in ends), default=1.0)
    for _, y, name, colour in sorted(ends, key=lambda end: end[1]):
        place = y if last is None else max(y, last + apart)
        ax.annotate(
            name, (right, place), xytext=(8, 0), textcoords="offset points", color=colour,
            va="center", fontsize=9, annotation_clip=False,
        )
        last = place


def _is_among_best(
    results: dict[str, Any], method: dict[str, Any], metric: str, lower: bool
) -> bool:
    """Not worse than the best within noise: the interval of the paired difference includes 0."""
    candidates = [m for m in _methods(results) if not m["oracle"]]
    values = [(m["metrics"][metric]["value"], m["name"]) for m in candidates
              if m["metrics"][metric]["value"] is not None]
    value = method["metrics"][metric]["value"]
    if not values or method["oracle"] or value is None:
        return False
    best = min(values) if lower else max(values)
    if value == best[0]:
        return True
    gap = method["differences"].get(best[1], {}).get(metric) or {}
    low, high = gap.get("low"), gap.get("high")
    return low is not None and high is not None and low <= 0 <= high


def methods(results: dict[str, Any], ax: Any, metric: str, most: int | None) -> Any:
    known = {entry["name"]: entry for entry in results["metrics"]}
    if metric not in known:
        raise CredenceError("usage", f"unknown metric '{metric}'", "credence.metrics() lists all")
    lower = known[metric]["better"] != "higher"
    rows = [m for m in _methods(results) if m["metrics"][metric]["value"] is not None]
    rows.sort(key=lambda m: (1 if lower else -1) * m["metrics"][metric]["value"])
    left_out = len(_methods(results)) - len(rows)
    rows = rows[:most]
    ax = _axes(ax, (6.4, 1.2 + 0.26 * len(rows)))
    _plain_frame(ax, grid="x")
    for place, method in enumerate(rows):
        found = method["metrics"][metric]
        tied = _is_among_best(results, method, metric, lower)
        colour = PALETTE["best" if tied else "muted"]
        if found["low"] is not None and found["high"] is not None:
            ax.plot([found["low"], found["high"]], [place, place], color=colour, lw=2)
        marker = "D" if method["recommended"] else "s" if method["oracle"] else "o"
        ax.plot(found["value"], place, marker=marker, ms=7, mew=1.5, color=colour,
                markerfacecolor=colour if tied else PALETTE["paper"])
    ax.set_yticks(range(len(rows)), [m["name"] for m in rows])
    for label, method in zip(ax.get_yticklabels(), rows):
        label.set_fontweight("bold" if method["recommended"] else "normal")
        label.set_fontstyle("italic" if method["oracle"] else "normal")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_title(metric, loc="left", fontsize=11, fontweight="bold", color=PALETTE["ink"])
    ax.set_title("← lower is better" if lower else "higher is better →", loc="right", fontsize=8,
                 color=PALETTE["muted"])
    _methods_key(ax, results, left_out)
    return ax


def _methods_key(ax: Any, results: dict[str, Any], left_out: int) -> None:
    from matplotlib.lines import Line2D

    best, muted = PALETTE["best"], PALETTE["muted"]
    level = results["protocol"]["bootstrap"]["level"]
    keys = [
        Line2D([], [], marker="o", color=best, lw=2, label="not worse than the best within noise"),
        Line2D([], [], marker="o", color=muted, lw=2, mfc=PALETTE["paper"],
               label=f"worse; lines: {100 * level:g} % intervals"),
        Line2D([], [], marker="D", color=best, ls="none", label="recommended"),
    ]
    if left_out:
        note = f"{left_out} without a finite value left out"
        keys.append(Line2D([], [], ls="none", label=note))
    ax.legend(handles=keys, fontsize=8, frameon=False, ncols=2, loc="upper left",
              bbox_to_anchor=(-0.02, 0.0), borderaxespad=2.6, labelcolor=muted, columnspacing=1.2)
