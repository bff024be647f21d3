"""A comparison in a few lines: as text, and as a card in notebooks."""

from __future__ import annotations

import base64
import html
import os
import re
import textwrap
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ._plot import PALETTE, estimate

_MOST = 5
_WIDTH = 100
_INK, _MUTED, _GRID = PALETTE["ink"], PALETTE["muted"], PALETTE["grid"]


def rows_of(results: dict[str, Any]) -> list[list[str]]:
    """The first methods by nll, and where they are not among these the recommended one and the
    model as it is: name, nll, how far off in per cent, temperature."""
    methods = [m for m in results["splits"][0]["methods"] if not m["oracle"]]
    shown = methods[:_MOST]
    shown += [m for m in methods[_MOST:] if m["recommended"] or m["name"] == "uncalibrated"]
    return [
        [
            m["name"] + (" *" if m["recommended"] else ""),
            estimate(m, "nll", percent=False),
            estimate(m, "ece_expected"),
            "" if m["temperature"] is None else f"{m['temperature']:.3g}",
        ]
        for m in shown
    ]


_HEADING = ["method", "nll", "confidence off by (%)", "T"]


def _left_out(results: dict[str, Any], shown: int) -> int:
    return sum(not m["oracle"] for m in results["splits"][0]["methods"]) - shown


def text(results: dict[str, Any], answer: list[str]) -> str:
    rows = rows_of(results)
    widths = [max(map(len, column)) for column in zip(_HEADING, *rows)]
    lines = textwrap.wrap(answer[0], _WIDTH)
    for row in [_HEADING, *rows]:
        lines.append("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())
    more = _left_out(results, len(rows))
    beside = f"; {more} more in .to_pandas()" if more > 0 else ""
    lines.append(f"* recommended{beside}; the whole report: .show() or .save_report(path)")
    return "\n".join(lines)


def light(svg: str) -> str:
    """The figure on light paper only, as the card around it: a notebook may be dark or not
    whatever the system prefers."""
    return re.sub(r"@media \(prefers-color-scheme:dark\)\{\n.*?\n\}\n", "", svg, flags=re.DOTALL)


def _figure(svg: str, title: str) -> str:
    # An image, not an element of the page: notebooks that are not trusted drop <svg> and <style>,
    # and ids of one figure cannot meet those of another.
    coded = base64.b64encode(light(svg).encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{coded}" alt="{html.escape(title)}" '
        'style="max-width:100%;height:auto">'
    )


def _table(rows: list[list[str]]) -> str:
    def line(cells: list[str], tag: str) -> str:
        border = f"border-bottom:1px solid {_GRID}"
        style = f"text-align:left;padding:2px 14px 2px 0;{border};color:{_INK}"
        inside = "".join(f'<{tag} style="{style}">{html.escape(cell)}</{tag}>' for cell in cells)
        return f"<tr>{inside}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return (
        '<table style="border-collapse:collapse;margin:8px 0;font-size:13px">'
        f"<thead>{line(_HEADING, 'th')}</thead><tbody>{body}</tbody></table>"
    )


def _where(path: Path | None) -> str:
    """How to get at the whole report: a link to the file where there is one beside the notebook."""
    ways = "<code>.show()</code> shows the whole report here, <code>.open()</code> in the browser"
    if path is None:
        return f'{ways}; <code>.save_report("report.html")</code> keeps it as a file.'
    try:
        relative = quote(Path(os.path.relpath(path)).as_posix())
    except ValueError:  # another drive
        relative = ".."
    if relative.startswith(".."):
        return f"{ways}; it was saved as <code>{html.escape(str(path))}</code>."
    return f'<a href="{relative}" target="_blank">Open the whole report</a>; or {ways}.'


def card(
    results: dict[str, Any], answer: list[str], svg: str | None, report_path: Path | None
) -> str:
    rows = rows_of(results)
    more = _left_out(results, len(rows))
    warnings = results.get("warnings") or []
    parts = [f'<p style="margin:0 0 6px 0;font-size:15px"><b>{html.escape(answer[0])}</b></p>']
    parts += [f'<p style="margin:0 0 4px 0">{html.escape(line)}</p>' for line in answer[1:3]]
    if svg is not None:
        parts.append(_figure(svg, "Reliability before and after calibration"))
    parts.append(_table(rows))
    beside = f"; {more} more in <code>.to_pandas()</code>" if more > 0 else ""
    small = f"margin:4px 0 0 0;color:{_MUTED};font-size:12px"
    parts.append(f'<p style="{small}">* recommended{beside}. {_where(report_path)}</p>')
    if warnings:
        parts.append(f'<p style="{small}">{len(warnings)} to know before relying on it: '
                     f"{html.escape(str(warnings[0]))}</p>")
    style = (
        f"background-color:{PALETTE['paper']};color:{_INK};border:1px solid {_GRID};"
        "border-radius:6px;padding:14px 16px;max-width:780px;font-family:sans-serif;font-size:13px"
    )
    return f'<div style="{style}">{"".join(parts)}</div>'
