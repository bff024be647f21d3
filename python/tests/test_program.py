"""The console script is the program: the same words, bytes, exit codes and signals."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(sys.executable).parent / "credence"


def ends(program: Path, *words: object, **more: Any) -> tuple[int, bytes, bytes]:
    command = [str(program), *map(str, words)]
    done = subprocess.run(command, capture_output=True, check=False, **more)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["fit", "--help"],
        ["methods", "--format", "json"],
        ["man", "apply"],
        [],
        ["fitt"],
        ["fit", "--logits", "nosuch.npy", "--votes", "nosuch.csv"],
        ["fit", "--logits", "x", "--seed", "many"],
        ["inspect", "--logits", b"caf\xe9.npy"],
    ],
)
def test_words_give_the_same_bytes_and_exit_code(words: list[Any], program: Path) -> None:
    plain = [
        word.decode("utf-8", "surrogateescape") if isinstance(word, bytes) else word
        for word in words
    ]
    assert ends(SCRIPT, *plain) == ends(program, *plain)


def test_files_are_the_same_bytes(program: Path, files: dict[str, Path], tmp_path: Path) -> None:
    said = []
    for who in (SCRIPT, program):
        out = tmp_path / who.parent.name
        words = ["--logits", files["logits"], "--votes", files["votes"], "--seeds", "1"]
        assert ends(who, "compare", *words, "-m", "ts,slts", "-o", out)[0] == 0
        said.append({file.name: file.read_bytes() for file in out.iterdir()})
    assert said[0] == said[1]


def test_pipes_may_close_early_and_feed_the_scores(
    program: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    model = tmp_path / "model.json"
    data = ["--logits", files["logits"], "--votes", files["votes"]]
    assert ends(SCRIPT, "fit", "-m", "slts", *data, "-o", model)[0] == 0
    scores = files["logits"].read_bytes()
    words = ["apply", model, "--logits", "-", "-o", "-"]
    assert ends(SCRIPT, *words, input=scores) == ends(program, *words, input=scores)
    command = f"'{SCRIPT}' apply {model} --logits {files['logits']} -o -"
    line = command + " | head -n 2; echo ${PIPESTATUS[0]}"
    said = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "0" and "error" not in said.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_and_leave_nothing(
    number: int, files: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    process = subprocess.Popen(
        [
            str(SCRIPT),
            "apply",
            str(model_of(files, tmp_path)),
            "--logits",
            "-",
            "-o",
            str(folder / "p.npy"),
        ],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(files["logits"].read_bytes()[:4000])
    process.stdin.flush()
    for _ in range(600):  # until it has begun to write under a temporary name
        if list(folder.iterdir()):
            break
        time.sleep(0.05)
    assert list(folder.iterdir())
    process.send_signal(number)
    assert process.wait(30) == -number, "as a shell sees a program that the signal ended"
    process.stdin.close()
    assert list(folder.iterdir()) == []


def model_of(files: dict[str, Path], folder: Path) -> Path:
    model = folder / "model.json"
    data = ["--logits", files["logits"], "--votes", files["votes"]]
    assert ends(SCRIPT, "fit", "-m", "slts", *data, "-o", model)[0] == 0
    return model


def test_it_is_also_a_module(program: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "credence", "--version"], capture_output=True, check=True
    )
    assert done.stdout == ends(program, "--version")[1]
