"""The tables of docs/benchmarks.md, written anew between two marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .jobs import JOBS
from .measure import Outcome
from .table import groups, in_seconds, in_times, summary

BEGIN = "<!-- peers: begin, written by 'make bench-page' -->"
END = "<!-- peers: end -->"
HEAP = "kept"


def update(path: Path, outcomes: list[Outcome], context: dict[str, Any]) -> None:
    """Replaces what stands between the marks; everything else stays."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"peers: {path} has no marks to write between")
    text = "\n\n".join([_context(context), *_tables(outcomes)])
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def _context(context: dict[str, Any]) -> str:
    machine = "; ".join(f"{name}: {value}" for name, value in context["machine"].items())
    there = ", ".join(f"{name} {number}" for name, number in context["versions"].items() if number)
    return f"{machine}. Versions: {there}. Up to {context['repeats']} runs."


def _tables(outcomes: list[Outcome]) -> list[str]:
    return [_table(name, [o for o in outcomes if o.job == name]) for name in JOBS]


def _table(name: str, outcomes: list[Outcome]) -> str:
    job = JOBS[name]
    by_size = {(group[0].rows, group[0].classes): group for group in groups(outcomes)}
    sizes = sorted(by_size, key=lambda size: (size[0] * size[1], size[0]))
    tools = ["credence", *(peer.name for peer in job.peers)]
    head = ["tool", *(f"{rows:,} x {classes:,}" for rows, classes in sizes)]
    lines = [f"**{job.title}**", "", f"| {' | '.join(head)} |", "|---|" + "---:|" * len(sizes)]
    for tool in tools:
        found = [[o for o in by_size[size] if o.tool == tool] for size in sizes]
        cells = [_cell(one[0], by_size[size]) if one else "-" for one, size in zip(found, sizes)]
        lines.append(f"| {'Credence' if tool == 'credence' else tool} | {' | '.join(cells)} |")
    in_sums = [_sums(by_size[size]) for size in sizes]
    lines.append(f"| *Credence, in sums* | {' | '.join(in_sums)} |")
    if job.limit:
        lines += ["", f"What limits it: {job.limit}."]
    return "\n".join(lines)


def _cell(outcome: Outcome, group: list[Outcome]) -> str:
    if outcome.problem:
        return summary(outcome, group[0])
    both = [in_seconds(outcome.time(HEAP))]
    if outcome.prepared:
        both.append(f"({in_seconds(outcome.time(HEAP, prepared=True))})")
    if outcome.tool == "credence":
        return f"**{' '.join(both)}**"
    ratios = [in_times(outcome.ratio(HEAP))]
    if outcome.prepared:
        ratios.append(f"({in_times(outcome.ratio(HEAP, prepared=True))})")
    return f"{both[0]}, {' '.join(ratios)}"


def _sums(group: list[Outcome]) -> str:
    ours = group[0]
    if ours.in_sums(HEAP) is None:
        return "-"
    text = in_times(ours.in_sums(HEAP))
    return f"{text} ({in_times(ours.in_sums(HEAP, prepared=True))})" if ours.prepared else text
