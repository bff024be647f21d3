"""Figures with Matplotlib, the text of a comparison, and its card in notebooks."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from pathlib import Path

import pytest

import credence
from credence import _plot

SOURCES = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found() -> credence.Comparison:
    demo = credence.demo_data(rows=900)
    return credence.compare(
        demo["logits"], demo["votes"], input="logits", classes=demo["classes"], resamples=100
    )


@pytest.fixture()
def plt():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def test_the_colours_are_those_of_the_report() -> None:
    header = SOURCES / "src/figure/palette.hpp"
    if not header.is_file():
        pytest.skip("the sources are not part of an installed package")
    theirs = dict(re.findall(r'Colour\{"(\w+)", "(#\w+)"', header.read_text()))
    assert {role: theirs[role] for role in _plot.PALETTE} == _plot.PALETTE


def test_bars_end_at_the_agreement_of_their_bin(found: credence.Comparison, plt) -> None:
    ax = found.plot_reliability(method="uncalibrated")
    method = _plot.find(found.results, "uncalibrated")
    bins = [b for b in method["reliability"] if b["count"]]
    tops = sorted(
        line.get_ydata()[0] for line in ax.lines
        if line.get_linewidth() == 1.75 and line.get_ydata()[0] == line.get_ydata()[1]
    )
    assert tops == sorted(b["agreement"] for b in bins)
    few = sum(b["count"] < 20 for b in bins)
    faint = [line for line in ax.lines if line.get_linewidth() == 1.75 and line.get_alpha() != 1]
    assert few > 0 and len(faint) == few  # 450 examples: some of the bins hold few
    assert ax.get_ylabel() == "share of annotators who agree (%)"


def test_every_plot_draws_into_the_axes_it_is_given(found: credence.Comparison, plt) -> None:
    figure, axes = plt.subplots(1, 3)
    assert found.plot_reliability(axes[0], truth="vote") is axes[0]
    assert found.plot_entropy(axes[1]) is axes[1]
    assert found.plot_methods(axes[2], metric="ece_expected", most=4) is axes[2]
    assert len(axes[2].get_yticklabels()) == 4
    values = [m["metrics"]["ece_expected"]["value"]
              for m in found.results["splits"][0]["methods"]]
    first = axes[2].get_yticklabels()[0].get_text()
    best = _plot.find(found.results, first)["metrics"]["ece_expected"]["value"]
    assert best == min(values)
    assert len(plt.get_fignums()) == 1
    figure.canvas.draw()


def test_what_cannot_be_drawn_is_refused_with_what_can(found: credence.Comparison, plt) -> None:
    with pytest.raises(credence.CredenceError, match="was not compared") as error:
        found.plot_reliability(method="sltz")
    assert "slts" in error.value.hint
    with pytest.raises(credence.CredenceError, match="truth"):
        found.plot_reliability(truth="majority")
    with pytest.raises(credence.CredenceError, match="unknown metric"):
        found.plot_methods(metric="ace")


def test_without_matplotlib_the_error_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import credence\n"
        "d = credence.demo_data(rows=100)\n"
        "f = credence.compare(d['logits'], d['votes'], input='logits', methods=['slts'],"
        " resamples=0)\n"
        "try:\n    f.plot_methods()\nexcept ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert "pip install matplotlib" in done.stdout, done.stderr


def test_importing_credence_imports_none_of_its_companions(tmp_path: Path) -> None:
    script = (
        "import sys, credence, credence.torch\n"
        "print([m for m in ('matplotlib', 'torch', 'mlflow', 'datasets', 'pandas', 'sklearn',"
        " 'IPython', 'credence._onnx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_the_text_is_the_answer_and_a_short_table(found: credence.Comparison) -> None:
    text = repr(found)
    assert " ".join(text.splitlines()).startswith(found.answer[0])
    assert max(map(len, text.splitlines())) <= 100 and len(text.splitlines()) < 15
    assert f"{found.recommended} *" in text and "uncalibrated" in text
    nll = _plot.find(found.results, None)["metrics"]["nll"]["value"]
    assert f"{nll:.4f}" in text


def test_the_card_is_small_and_survives_a_sanitiser(found: credence.Comparison) -> None:
    card = found._repr_html_()
    assert len(card) < 80_000  # the whole page is a megabyte
    # What notebooks drop when they are not trusted.
    assert not re.search(r"<(script|style|svg|iframe)\b|\son\w+=", card)
    assert found.answer[0].replace("'", "&#x27;") in card
    coded = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', card)
    assert coded is not None
    svg = base64.b64decode(coded.group(1)).decode()
    assert 'class="credence-figure"' in svg and "prefers-color-scheme" not in svg
    assert "<a " not in card  # nothing to open yet


def test_the_card_links_to_a_report_beside_the_notebook(
    found: credence.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = found.save_report("my report.html")
    assert path.read_text() == found.report() and path.is_absolute()
    assert '<a href="my%20report.html" target="_blank">' in found._repr_html_()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "<a " not in found._repr_html_()  # a notebook server gives no files above its own
    found._report_path = None


def test_the_report_opens_in_a_browser_or_in_a_frame(
    found: credence.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import webbrowser

    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda uri: asked.append(uri) or True)
    path = found.open(tmp_path / "report.html")
    assert asked == [path.as_uri()]
    found.show()  # not a notebook
    assert len(asked) == 2 and asked[1].endswith("report.html")
    found._report_path = None

    display = pytest.importorskip("IPython.display")
    shown: list[dict[str, str]] = []
    monkeypatch.setattr(credence._html, "is_notebook", lambda: True)
    monkeypatch.setattr(display, "display", lambda bundle, raw: shown.append(bundle))
    found.show()
    frame = shown[0]["text/html"]
    assert shown[0]["text/plain"] == repr(found)
    assert frame.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    assert "allow-same-origin" not in frame and "&lt;!DOCTYPE html&gt;" in frame[:200]
