"""Every example in the docstrings, and the README's, does what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import credence

MODULES = ["credence"] + [
    f"credence.{module.name}"
    for module in pkgutil.iter_modules(credence.__path__)
    if module.name not in ("_core", "_onnx", "torch") and not module.name.startswith("_torch")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    if name == "credence.sklearn":
        pytest.importorskip("sklearn")
    if name == "credence.spark_ml":
        pytest.importorskip("pyspark")
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(
        module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert failed == 0


def test_every_public_name_is_explained() -> None:
    for name in credence.__all__:
        if name != "__version__":
            assert getattr(credence, name).__doc__, name


def test_links_of_the_reference_lead_somewhere() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "python.md"
    if not page.is_file():
        pytest.skip("the documentation is not part of an installed package")
    text = page.read_text()
    # As GitHub makes them of headings: lower case, spaces to hyphens, without punctuation.
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
    links = re.findall(r"\]\(#([^)]*)\)", text)
    assert len(links) > 10 and set(links) <= anchors
    for name in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (page.parent / name).exists(), name


def test_the_snippet_in_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = Path(__file__).resolve().parents[2] / "README.md"
    snippets = re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)
    assert snippets, "the README shows no Python"
    monkeypatch.chdir(tmp_path)
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), {})
