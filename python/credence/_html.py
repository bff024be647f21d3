"""Results as notebooks show them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


def cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return html.escape(str(value))


def table(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heading)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def framed(page: str, height: int = 720) -> str:
    """A whole page inside a notebook; scripts run, but reach nothing outside the frame."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(page)}" '
        f'style="width:100%;height:{height}px;border:0" title="Credence report"></iframe>'
    )


def is_notebook() -> bool:
    """Whether what is displayed goes to a notebook, not to a terminal."""
    import sys

    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and type(shell).__name__ != "TerminalInteractiveShell"
