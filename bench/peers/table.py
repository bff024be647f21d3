"""The outcome, for people, for documents and for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from .jobs import JOBS
from .measure import HEAPS, Outcome

HEADS = [
    "tool",
    "from arrays",
    "default heap",
    "prepared",
    "ratio from arrays",
    "default heap",
    "prepared",
    "answer",
]


def in_seconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} us"
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def in_times(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def groups(outcomes: list[Outcome]) -> list[list[Outcome]]:
    """Outcomes of one job and size; Credence comes first."""
    found: dict[tuple[str, int, int], list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault((outcome.job, outcome.rows, outcome.classes), []).append(outcome)
    return list(found.values())


def title(outcome: Outcome) -> str:
    return f"{JOBS[outcome.job].title}, {outcome.rows:,} x {outcome.classes:,}"


def summary(outcome: Outcome, ours: Outcome) -> str:
    """Why there is no time, in a few words."""
    if outcome.problem != "over the limit":
        return outcome.problem
    mine = ours.time("kept") or ours.time("default")
    more = f", > {in_times(outcome.limit / mine)}" if mine and outcome is not ours else ""
    return f"> {in_seconds(outcome.limit)}{more}"


def cells(outcome: Outcome, group: list[Outcome]) -> list[str]:
    name = outcome.tool
    if outcome.problem == "over the limit":
        mine = group[0].time("kept") or group[0].time("default")
        more = f"> {in_times(outcome.limit / mine)}" if mine else "-"
        return [name, f"> {in_seconds(outcome.limit)}", "-", "-", more, "-", "-", "-"]
    if outcome.problem:
        return [name, outcome.problem, *["-"] * 6]
    everybody = [other.numbers for other in group if other.numbers]
    answer = JOBS[outcome.job].verdict(outcome.numbers, everybody) if outcome.numbers else "-"
    times = [in_seconds(outcome.time(heap)) for heap in HEAPS]
    times.append(in_seconds(outcome.time("kept", prepared=True)))
    ratios = [in_times(outcome.ratio(heap)) for heap in HEAPS]
    ratios.append(in_times(outcome.ratio("kept", prepared=True)))
    if outcome.tool == "credence":
        ratios = ["1"] * 3
    return [name, *times, *ratios, answer]


def notes(outcomes: list[Outcome], context: dict[str, Any]) -> list[str]:
    about = {f"{o.tool} ({JOBS[o.job].title}): {o.note}": None for o in outcomes if o.note}
    lines = [*about]
    lines += [f"{name}: {value}" for name, value in context["machine"].items()]
    there = [f"{name} {number}" for name, number in context["versions"].items() if number]
    lines.append("versions: " + ", ".join(there))
    lines.append(
        f"one thread each; medians of up to {context['repeats']} turns with Credence, in which a "
        "short job is done several times; "
        f"ratio: how many times as long as Credence takes beside it"
    )
    lines.append(
        "from arrays: all that lies between the arrays a user has (logits or probabilities, counts "
        "or majority labels) and the answer; prepared: with the data in the tool's own form, a "
        "credence.Dataset, shares, one row per answer, tensors"
    )
    lines.append(
        "times and ratios: the heap is kept between allocations (MALLOC_TRIM_THRESHOLD_ and "
        "MALLOC_MMAP_THRESHOLD_ of 8 GiB), which favours tools with large temporaries; "
        "default heap: without"
    )
    lines += [f"not run: {what}" for what in context["skipped"]]
    absent = [name for name, number in context["versions"].items() if not number]
    lines += [f"not installed: {name} (pip install {name})" for name in absent]
    return lines


def as_text(outcomes: list[Outcome], context: dict[str, Any]) -> str:
    out: list[str] = []
    for group in groups(outcomes):
        rows = [HEADS, *(cells(outcome, group) for outcome in group)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
        out.append(f"\n{title(group[0])}")
        for row in rows:
            line = [row[0].ljust(widths[0])]
            pairs = zip(row[1:-1], widths[1:-1], strict=True)
            line += [cell.rjust(width) for cell, width in pairs]
            out.append("  " + "  ".join([*line, row[-1]]).rstrip())
    return "\n".join([*out, "", *notes(outcomes, context)])


def as_markdown(outcomes: list[Outcome], context: dict[str, Any]) -> str:
    out: list[str] = []
    for group in groups(outcomes):
        out += [f"### {title(group[0])}", "", "| " + " | ".join(HEADS) + " |"]
        out.append("|---|" + "---:|" * (len(HEADS) - 2) + "---|")
        out += ["| " + " | ".join(cells(outcome, group)) + " |" for outcome in group]
        out.append("")
    return "\n".join([*out, *(f"- {line}" for line in notes(outcomes, context))])


def as_json(outcomes: list[Outcome], context: dict[str, Any]) -> str:
    found = []
    for group in groups(outcomes):
        everybody = [other.numbers for other in group if other.numbers]
        for outcome in group:
            verdict = JOBS[outcome.job].verdict
            found.append(
                {
                    **asdict(outcome),
                    "median": {heap: outcome.time(heap) for heap in outcome.seconds},
                    "ratio": {heap: outcome.ratio(heap) for heap in outcome.seconds},
                    "prepared_ratio": {
                        heap: outcome.ratio(heap, prepared=True) for heap in outcome.seconds
                    },
                    "verdict": verdict(outcome.numbers, everybody) if outcome.numbers else None,
                }
            )
    return json.dumps({**context, "outcomes": found}, indent=1)


FORMATS = {"text": as_text, "markdown": as_markdown, "json": as_json}
