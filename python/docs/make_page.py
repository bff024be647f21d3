"""Writes docs/python.md from the docstrings: python/docs/make_page.py [--check] PAGE."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import credence
import credence.sklearn

HEAD = """# The Python package

<!-- Written by 'make python-docs' from the docstrings in python/credence; edit them instead. -->

`pip install .` in the repository builds and installs it (the packages of `scripts/setup build` must be
there, and Python 3.9 or newer with its headers). The engine is the library itself: nothing is computed in
Python, and the same input gives the same bytes as the command line.

Everything shown is run by the tests. These hold everywhere:

- **`input="logits"`, `"log_probs"` or `"probs"`** says what scores are. It is required, because guessing
  from the numbers would be wrong now and then without anybody noticing.
- **Data are given as you have them**: NumPy arrays and anything that speaks DLPack (PyTorch), data frames
  of pandas, polars and pyarrow, lists, or paths of the files that the command line reads. Frames are
  understood by the rules for files ([file-formats.md](file-formats.md)): ids are joined, classes matched
  by name. C-contiguous float32 scores are used where they are; others are rounded to float32 in blocks.
- **Logits out of a PyTorch model** are collected by `credence.torch.collect`
  ([collecting.md](collecting.md)). Notebooks to read first are in [notebooks](notebooks).
- **Errors are one type**, `credence.CredenceError`, a ValueError with code, message and hint. Ctrl-C stops
  the work, and so does a `progress` callback that raises.
"""

PARTS: list[tuple[str, list[str]]] = [
    ("Fit and apply", ["fit", "Calibrator", "Dataset"]),
    ("Score", ["evaluate", "Evaluation", "ece"]),
    ("Compare and report", ["compare", "Comparison", "report"]),
    ("Understand and plan", ["inspect", "ablate", "Ablation", "plan", "Plan"]),
    ("Data to try things on", ["demo_data", "simulate", "simulate_toy", "simulate_annotators"]),
    ("Catalogues and errors", ["methods", "metrics", "CredenceError"]),
]
SKLEARN = ["CalibratedClassifier", "CredenceCalibrator", "scorer"]


def signature(thing: Any, name: str) -> str:
    """The signature without types, one line or several of at most 100 columns."""
    shown = inspect.signature(thing)
    words, starred = [], False
    for parameter in shown.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        word = ("**" if parameter.kind is parameter.VAR_KEYWORD else "") + parameter.name
        if parameter.default is not parameter.empty:
            word += f"={parameter.default!r}"
        words.append(word)
    lines, line = [], f"{name}("
    for number, word in enumerate(words):
        piece = word + (", " if number + 1 < len(words) else ")")
        if len(line) + len(piece.rstrip()) > 100:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join([*lines, line if words else line + ")"])


def prose(thing: Any) -> str:
    """A docstring with its examples as code."""
    out: list[str] = []
    code = False
    for line in (inspect.getdoc(thing) or "").splitlines():
        if line.startswith(">>>") and not code:
            out.append("```python")
            code = True
        elif code and not line.strip():
            out.append("```")
            code = False
        text = line if code else line.replace("``", "`")
        for role in (":func:", ":class:", ":meth:"):
            text = text.replace(role, "")
        out.append(text)
    return "\n".join([*out, "```"] if code else out)


def entry(thing: Any, name: str, level: str) -> str:
    text = f"{level} `{name}`\n\n"
    made_here = inspect.isclass(thing) and "core" in inspect.signature(thing).parameters
    if not made_here:
        text += f"```text\n{signature(thing, name.rsplit('.', 1)[-1])}\n```\n\n"
    text += prose(thing) + "\n\n"
    if not inspect.isclass(thing):
        return text
    for member, value in vars(thing).items():
        if member.startswith("_") or member in ("get_params", "set_params"):
            continue
        inner = value.__func__ if isinstance(value, staticmethod) else value
        if isinstance(inner, property):
            text += f"**`.{member}`**: {prose(inner)}\n\n"
        elif inspect.isfunction(inner) and inspect.getdoc(inner):
            text += f"**`.{signature(inner, member)}`**: {prose(inner)}\n\n"
    return text


def page() -> str:
    text = HEAD
    for title, members in PARTS:
        text += f"\n## {title}\n\n"
        text += "".join(entry(getattr(credence, m), f"credence.{m}", "###") for m in members)
    text += "\n## scikit-learn: `credence.sklearn`\n\n" + prose(credence.sklearn) + "\n\n"
    for member in SKLEARN:
        text += entry(getattr(credence.sklearn, member), f"credence.sklearn.{member}", "###")
    text += "`credence.sklearn.EXPECTED_FAILED_CHECKS` lists the checks of scikit-learn that the\n"
    text += "score calibrator cannot pass, with the reason.\n"
    return text.rstrip() + "\n"


def main() -> int:
    path = Path(sys.argv[-1])
    if "--check" not in sys.argv:
        path.write_text(page())
        return 0
    if path.read_text() == page():
        return 0
    print(f"{path} is not what the docstrings say; run 'make python-docs'", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
