"""Writes docs/python.md from the docstrings: python/docs/make_page.py [--check] PAGE."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import credence
import credence.dask
import credence.mlflow
import credence.sklearn
import credence.spark
import credence.torch

HEAD = """# The Python package

<!-- Written by 'make python-docs' from the docstrings in python/credence; edit them instead. -->

`pip install .` in the repository builds and installs it (the packages of `scripts/setup build` must be
there, and Python 3.9 or newer with its headers). The engine is the library itself: nothing is computed in
Python, and the same input gives the same bytes as the command line.

New here? The [tutorial](tutorial.md) goes from a table of answers to a model in service. Every `>>>` on this
page is run by the tests.

## What do you want to do?

| I want to ... | use |
|---|---|
| find out what is in my data | [`inspect(scores, votes)`](#credenceinspect) |
| know how far off my model's confidence is | [`evaluate(probs, votes)`](#credenceevaluate) |
| choose a calibrator | [`compare(scores, votes)`](#credencecompare); print it, or show it in a notebook |
| see figures in Matplotlib | `comparison.plot_reliability()`, `.plot_entropy()`, `.plot_methods()` |
| read, print or mail the whole report | `comparison.show()`, `.open()`, `.save_report(path)` ([Comparison](#credencecomparison)) |
| fit one method | [`fit(method, scores, votes)`](#credencefit) |
| calibrate new scores | [`calibrator.predict_proba(scores)`](#credencecalibrator) |
| keep a calibrator, and load it again | `calibrator.save(path)`, `Calibrator.load(path)` |
| run it in ONNX Runtime | `calibrator.to_onnx(path)` |
| put it behind a PyTorch model | [`credence.torch.Calibrated(model, calibrator)`](#credencetorchcalibrated) |
| use it in scikit-learn | [`credence.sklearn.CalibratedClassifier`](#credencesklearncalibratedclassifier) |
| log a comparison, serve a calibrated model with MLflow | [`credence.mlflow`](#mlflow-credencemlflow) |
| collect logits from a PyTorch or Hugging Face model | `credence.torch.collect` ([collecting.md](collecting.md)) |
| use a Hugging Face dataset | give it as `scores`: lists of logits, with lists of labels or counts beside them |
| keep patients or recordings together | `groups=` in `compare`, `fit`, `evaluate` |
| watch a model in service | [`evaluate(..., calibrator=)`](#credenceevaluate) with its intervals, [`ece`](#credenceece) for large data |
| know how many annotations I need | [`plan(scores, votes)`](#credenceplan) |
| see what fewer rows or annotations would do | [`ablate(scores, votes)`](#credenceablate) |
| try things without data | [`demo_data()`](#credencedemo_data), [`simulate`](#credencesimulate) |
| calibrate rows in Spark or Dask | [`credence.spark`](#spark-credencespark), [`credence.dask`](#dask-credencedask) ([spark.md](spark.md)) |
| fit rows that lie in pieces, elsewhere | [solver.md](solver.md) |

## These hold everywhere

- **`input="logits"`, `"log_probs"` or `"probs"`** says what scores are. It is required, because guessing
  from the numbers would be wrong now and then without anybody noticing.
- **Data are given as you have them**: NumPy arrays and anything that speaks DLPack (PyTorch), data frames
  of pandas, polars and pyarrow, datasets of Hugging Face (not streaming), lists, or paths of the files that
  the command line reads. Tables are understood by the rules for files
  ([file-formats.md](file-formats.md)): ids are joined, classes matched by name. C-contiguous float32 scores
  are used where they are; others are rounded to float32 in blocks.
- **Logits out of a PyTorch model** are collected by `credence.torch.collect`
  ([collecting.md](collecting.md)). Notebooks to read first are in [notebooks](notebooks).
- **Nothing is imported that is not used**: Matplotlib, PyTorch, MLflow and the rest are optional, and an error
  says what to install. `pip install ".[plot,torch,mlflow,sklearn,pandas,datasets,spark,dask]"` brings them all.
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
TORCH = ["Calibrated", "Calibration"]
SPARK = ["Rows", "fit", "evaluate", "compare", "transform"]
DASK = ["Rows", "fit", "evaluate", "compare", "transform"]
SPARK_ML = ["CalibratorEstimator", "CalibratorModel"]
MLFLOW = ["log_comparison", "save_model", "log_model", "load_model", "CalibratedModel"]


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
    """A docstring, or the text of one, with its examples as code and its parameters as a list."""
    given = thing if isinstance(thing, str) else inspect.getdoc(thing) or ""
    out: list[str] = []
    for part in given.split("\n\n"):
        indented = part.startswith("    ")
        if part.startswith(">>>") or indented:
            code = textwrap.dedent(part)
            if indented and out and out[-1].startswith("```python") and ">>>" not in out[-1]:
                out[-1] = out[-1].removesuffix("\n```") + f"\n\n{code}\n```"
            else:
                out.append(f"```python\n{code}\n```")
            continue
        text = part.replace("``", "`")
        for role in (":func:", ":class:", ":meth:"):
            text = text.replace(role, "")
        out.append(re.sub(r"^:param (\w+):", r"- `\1`:", text, flags=re.MULTILINE))
    return "\n\n".join(out)


def source_entry(path: Path, module: str, name: str, level: str) -> str:
    """A class that can be imported only where PyTorch or Spark is: from its source."""
    tree = ast.parse(path.read_text())
    found = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    made = next(n for n in found.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
    for argument in (*made.args.args, *made.args.kwonlyargs):
        argument.annotation = None
    made.args.args = made.args.args[1:]
    words = ast.unparse(made.args).replace("'", '"')
    lines = textwrap.wrap(f"{name}({words})", 100, subsequent_indent="    ")
    shown = "\n".join(lines)
    text = prose(ast.get_docstring(found) or "")
    return f"{level} `{module}.{name}`\n\n```text\n{shown}\n```\n\n{text}\n\n"


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
    text += "\n## PyTorch: `credence.torch`\n\n" + prose(credence.torch) + "\n\n"
    text += "`collect` and what it guarantees: [collecting.md](collecting.md).\n\n"
    source = Path(credence.__file__).parent / "_torch_calibrated.py"
    text += "".join(source_entry(source, "credence.torch", member, "###") for member in TORCH)
    text += "\n## MLflow: `credence.mlflow`\n\n" + prose(credence.mlflow) + "\n\n"
    for member in MLFLOW:
        text += entry(getattr(credence.mlflow, member), f"credence.mlflow.{member}", "###")
    for module, members in ((credence.spark, SPARK), (credence.dask, DASK)):
        name = module.__name__
        title = name.rsplit(".", 1)[-1].capitalize()
        text += f"\n## {title}: `{name}`\n\n" + prose(module) + "\n\n"
        text += "".join(entry(getattr(module, m), f"{name}.{m}", "###") for m in members)
    source = Path(credence.__file__).parent / "spark_ml.py"
    text += "\n## Spark ML: `credence.spark_ml`\n\n"
    text += prose(ast.get_docstring(ast.parse(source.read_text())) or "") + "\n\n"
    text += "".join(source_entry(source, "credence.spark_ml", m, "###") for m in SPARK_ML)
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
