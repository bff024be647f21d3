"""credence.torch.collect: one pass over a loader, logits and ids on disk, resumable."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed ('scripts/setup torch' does)")

from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from credence import CredenceError  # noqa: E402
from credence.torch import collect  # noqa: E402

ROWS, FEATURES, CLASSES, BATCH = 103, 6, 4, 10


class StoppedError(Exception):
    """Stands for Ctrl-C, a lost machine, a full disk."""


def make_model(seed: int = 1) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(FEATURES, 8),
        torch.nn.BatchNorm1d(8),
        torch.nn.Dropout(0.5),
        torch.nn.Linear(8, CLASSES),
    )


def make_inputs() -> torch.Tensor:
    return torch.randn(ROWS, FEATURES, generator=torch.Generator().manual_seed(2))


def make_loader(**options: object) -> DataLoader:
    return DataLoader(TensorDataset(make_inputs(), torch.arange(ROWS)), batch_size=BATCH, **options)


def stop_after(batches: int):
    def forward(model, batch):
        forward.left -= 1
        if forward.left < 0:
            raise StoppedError
        return model(batch[0])

    forward.left = batches
    return forward


def interrupt(out: Path, batches: int, **options: object) -> None:
    """A run that dies after so many batches."""
    count = [0]

    def give_up(done: int, total: int | None) -> None:
        count[0] += 1
        if count[0] == batches:
            raise StoppedError

    with pytest.raises(StoppedError):
        collect(make_model(), make_loader(), out, progress=give_up, **options)


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_logits_are_those_of_the_model_in_evaluation_mode(tmp_path):
    model = make_model()
    done = collect(model, make_loader(), tmp_path / "logits.npy")
    with torch.no_grad():
        wanted = model.eval()(make_inputs()).numpy()
    found = np.load(tmp_path / "logits.npy")
    assert (done.rows, done.classes, done.resumed_rows) == (ROWS, CLASSES, 0)
    assert found.dtype == np.float32
    # Batches of another size may be summed in another order: a few units in the last place.
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)
    assert left_behind(tmp_path) == ["logits.npy"]


def test_the_file_has_the_bytes_that_numpy_would_write(tmp_path):
    collect(make_model(), make_loader(), tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.load(tmp_path / "a.npy"))
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_every_part_of_the_model_returns_to_the_mode_it_was_in(tmp_path):
    model = make_model().train()
    model[1].eval()
    collect(model, make_loader(), tmp_path / "logits.npy")
    assert [part.training for part in model] == [True, False, True, True]
    with pytest.raises(StoppedError):
        collect(model, make_loader(), tmp_path / "other.npy", forward=stop_after(2))
    assert [part.training for part in model] == [True, False, True, True]
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.parametrize("batches", [1, 2, 5, 10])
def test_a_resumed_run_gives_the_same_bytes_without_repeating_work(tmp_path, batches):
    ids = [f"example {i}" for i in range(ROWS)]
    collect(make_model(), make_loader(), tmp_path / "whole.npy", ids=ids)
    out = tmp_path / "cut.npy"
    interrupt(out, batches, ids=ids)
    assert not out.exists()
    calls = []
    model = make_model()
    model.register_forward_hook(lambda *_: calls.append(1))
    done = collect(model, make_loader(), out, ids=ids)
    assert done.resumed_rows == batches * BATCH
    # All that were left, and the last finished one once more to see that it is the same model.
    assert len(calls) == 11 - batches + 1
    assert out.read_bytes() == (tmp_path / "whole.npy").read_bytes()
    assert (tmp_path / "cut.ids.txt").read_text() == (tmp_path / "whole.ids.txt").read_text()
    assert left_behind(tmp_path) == ["cut.ids.txt", "cut.npy", "whole.ids.txt", "whole.npy"]


@pytest.mark.parametrize("damage", ["half a batch", "half a journal line", "lost bytes", "no ids"])
def test_what_a_power_cut_left_half_written_is_done_again(tmp_path, damage):
    ids = list(range(ROWS))
    collect(make_model(), make_loader(), tmp_path / "whole.npy", ids=ids)
    out = tmp_path / "cut.npy"
    interrupt(out, 5, ids=ids)
    part, journal, names = (tmp_path / f"cut.npy.{end}" for end in ("part", "journal", "ids.part"))
    if damage == "half a batch":
        with part.open("ab") as file:
            file.write(b"\x01" * 37)
    elif damage == "half a journal line":
        journal.write_bytes(journal.read_bytes()[:-20])
    elif damage == "lost bytes":
        data = bytearray(part.read_bytes())
        data[128 + 3 * BATCH * CLASSES * 4] ^= 0xFF
        part.write_bytes(data)
    else:
        names.unlink()
    done = collect(make_model(), make_loader(), out, ids=ids)
    assert (
        done.resumed_rows
        == {"half a batch": 50, "half a journal line": 40, "lost bytes": 30, "no ids": 0}[damage]
    )
    assert out.read_bytes() == (tmp_path / "whole.npy").read_bytes()
    assert (tmp_path / "cut.ids.txt").read_text() == (tmp_path / "whole.ids.txt").read_text()


def test_an_interruption_while_renaming_is_made_good_without_running_the_model(
    tmp_path, monkeypatch
):
    collect(make_model(), make_loader(), tmp_path / "whole.npy", ids=range(ROWS))
    out, replace = tmp_path / "cut.npy", Path.replace

    def replace_ids_only(self: Path, target: Path) -> Path:
        if target == out:
            raise StoppedError
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_ids_only)
    with pytest.raises(StoppedError):
        collect(make_model(), make_loader(), out, ids=range(ROWS))
    monkeypatch.undo()
    done = collect(make_model(), make_loader(), out, ids=range(ROWS), forward=None)
    assert (done.rows, done.resumed_rows) == (ROWS, ROWS)
    assert out.read_bytes() == (tmp_path / "whole.npy").read_bytes()
    assert left_behind(tmp_path) == ["cut.ids.txt", "cut.npy", "whole.ids.txt", "whole.npy"]


@pytest.mark.parametrize(
    ("model", "loader", "options", "message"),
    [
        (make_model(seed=3), make_loader(), {}, "another model"),
        (make_model(), make_loader(), {"dtype": "float64"}, "another dtype"),
        (make_model(), make_loader(), {"ids": 1}, "another ids"),
        (
            make_model(),
            DataLoader(TensorDataset(make_inputs().flip(0)), batch_size=BATCH),
            {},
            "batch 0 is not the one",
        ),
        (
            make_model(),
            DataLoader(TensorDataset(make_inputs()), batch_size=7),
            {},
            "batch 0 is not",
        ),
        (make_model(), [(make_inputs()[:BATCH], torch.arange(BATCH))], {}, "gave 10 rows"),
    ],
)
def test_two_different_runs_are_never_mixed(tmp_path, model, loader, options, message):
    out = tmp_path / "logits.npy"
    interrupt(out, 3)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(CredenceError, match=message) as error:
        collect(model, loader, out, **options)
    assert "restart=True" in error.value.hint
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert collect(model, loader, out, **options, restart=True).resumed_rows == 0


def test_a_model_that_answers_differently_is_noticed_where_no_weight_differs(tmp_path):
    out = tmp_path / "logits.npy"
    interrupt(out, 3, output=lambda logits: logits)
    with pytest.raises(CredenceError, match="answers differently"):
        collect(make_model(), make_loader(), out, output=lambda logits: 2 * logits)


def test_a_second_process_keeps_away_from_a_running_collection(tmp_path):
    out = tmp_path / "logits.npy"
    seen: list[str] = []

    def try_another(done: int, total: int | None) -> None:
        if done == 2 * BATCH:
            child = subprocess.run(
                [sys.executable, "-c", _SECOND, str(out)],
                capture_output=True,
                text=True,
                check=False,
            )
            seen.append(child.stdout.strip() or child.stderr)

    collect(make_model(), make_loader(), out, progress=try_another)
    assert seen == [f"{out}: another process is collecting into it"]
    assert np.load(out).shape == (ROWS, CLASSES)


_SECOND = """
import sys, torch, credence
from credence.torch import collect
try:
    collect(torch.nn.Linear(6, 4), [torch.zeros(3, 6)], sys.argv[1])
except credence.CredenceError as error:
    print(str(error).splitlines()[0])
"""


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_every_precision_is_stored_as_exactly_as_float32_allows(tmp_path, dtype):
    given = torch.randn(7, 3, generator=torch.Generator().manual_seed(5)).to(dtype)
    collect(lambda batch: batch, [given], tmp_path / "logits.npy")
    found = np.load(tmp_path / "logits.npy")
    np.testing.assert_array_equal(found, given.to(torch.float32).numpy())


def test_float64_is_kept_on_request(tmp_path):
    given = torch.rand(5, 3, dtype=torch.float64)
    collect(lambda batch: batch, [given], tmp_path / "logits.npy", dtype="float64")
    np.testing.assert_array_equal(np.load(tmp_path / "logits.npy"), given.numpy())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
def test_a_logit_that_is_not_a_number_is_named_by_batch_row_and_class(tmp_path, value):
    good, bad = torch.zeros(4, 3, dtype=torch.float64), torch.zeros(4, 3, dtype=torch.float64)
    bad[2, 1] = value
    with pytest.raises(CredenceError, match="batch 1, row 2, class 1"):
        collect(lambda batch: batch, [good, bad], tmp_path / "logits.npy")
    assert not (tmp_path / "logits.npy").exists()


def test_a_class_may_be_ruled_out_but_not_all_of_them(tmp_path):
    logits = torch.tensor([[0.0, -float("inf")]])
    collect(lambda batch: batch, [logits], tmp_path / "a.npy")
    assert np.load(tmp_path / "a.npy")[0, 1] == -np.inf
    with pytest.raises(CredenceError, match="row 0"):
        collect(lambda batch: batch, [logits - float("inf")], tmp_path / "b.npy")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (torch.zeros(4), r"shape \(4,\)"),
        (torch.zeros(4, 2, 3), r"shape \(4, 2, 3\)"),
        (torch.zeros(4, 1), r"shape \(4, 1\)"),
        (torch.zeros(4, 3, dtype=torch.long), "torch.int64"),
        ({"scores": torch.zeros(4, 3)}, "not obvious"),
    ],
)
def test_an_output_that_cannot_be_logits_is_refused_with_a_way_out(tmp_path, found, message):
    with pytest.raises(CredenceError, match=message) as error:
        collect(lambda batch: found, [torch.zeros(4, 2)], tmp_path / "logits.npy")
    assert "output=" in error.value.hint
    assert left_behind(tmp_path) == []


def test_batches_and_outputs_of_usual_forms_are_understood(tmp_path):
    class Output:
        def __init__(self, logits):
            self.logits = logits

    inputs = torch.randn(5, 3)
    wanted = inputs.numpy()
    forms = [
        (lambda x: x, inputs, {}),
        (lambda x: x, (inputs, torch.zeros(5)), {}),
        (lambda x: Output(x), {"x": inputs, "labels": torch.zeros(5)}, {}),
        (lambda x: {"logits": x}, {"x": inputs, "name": list("abcde")}, {"ids": "name"}),
        (lambda x: (None, x), inputs, {"output": 1}),
        (lambda x: {"scores": x}, inputs, {"output": "scores"}),
        (lambda x, y: x * y, (inputs, torch.ones(5, 1)), {"forward": lambda m, b: m(*b)}),
    ]
    for number, (model, batch, options) in enumerate(forms):
        collect(model, [batch], tmp_path / f"{number}.npy", **options)
        np.testing.assert_array_equal(np.load(tmp_path / f"{number}.npy"), wanted)


@pytest.mark.parametrize("ids", [1, lambda batch: batch[1], range(ROWS), np.arange(ROWS)])
def test_ids_come_from_the_batch_a_function_or_a_list(tmp_path, ids):
    done = collect(make_model(), make_loader(), tmp_path / "logits.npy", ids=ids)
    assert done.ids_path == tmp_path / "logits.ids.txt"
    assert done.ids_path.read_text().splitlines() == [str(i) for i in range(ROWS)]


@pytest.mark.parametrize(
    ("loader", "ids", "message"),
    [
        (make_loader(), range(ROWS - 1), "has 3 rows of logits and 2 ids"),
        (make_loader(), range(ROWS + 1), "104 ids for 103 rows"),
        (make_loader(), 7, "no 7"),
        (make_loader(), ["two\nlines"] * ROWS, "line break"),
        (make_loader(shuffle=True), None, "shuffles"),
        (make_loader(shuffle=True), range(ROWS), "shuffles"),
        (make_loader(drop_last=True), None, "leaves out"),
        ([], None, "no batch"),
    ],
)
def test_rows_that_could_not_be_matched_with_annotations_are_refused(
    tmp_path, loader, ids, message
):
    with pytest.raises(CredenceError, match=message):
        collect(make_model(), loader, tmp_path / "logits.npy", ids=ids)
    assert not (tmp_path / "logits.npy").exists()


def test_a_shuffled_loader_is_fine_when_its_batches_carry_the_ids(tmp_path):
    done = collect(make_model(), make_loader(shuffle=True), tmp_path / "logits.npy", ids=1)
    order = [int(line) for line in done.ids_path.read_text().split()]
    assert sorted(order) == list(range(ROWS)) != order
    collect(make_model(), make_loader(), tmp_path / "straight.npy")
    np.testing.assert_allclose(
        np.load(done.path), np.load(tmp_path / "straight.npy")[order], rtol=0, atol=1e-6
    )


def test_a_finished_file_is_replaced_only_on_request(tmp_path):
    out = tmp_path / "logits.npy"
    collect(make_model(), make_loader(), out)
    before = out.read_bytes()
    with pytest.raises(CredenceError, match="exists"):
        collect(make_model(seed=9), make_loader(), out)
    assert out.read_bytes() == before
    collect(make_model(seed=9), make_loader(), out, overwrite=True)
    assert out.read_bytes() != before
    assert left_behind(tmp_path) == ["logits.npy"]


def test_progress_counts_rows(tmp_path):
    seen = []
    collect(
        make_model(),
        make_loader(),
        tmp_path / "logits.npy",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(min(ROWS, BATCH * (i + 1)), ROWS) for i in range(11)]


def test_logits_are_not_kept_in_memory(tmp_path):
    resource = pytest.importorskip("resource")
    classes, rows, batches = 1000, 500, 100  # 200 MB of logits
    batch = torch.zeros(rows, classes)
    collect(lambda x: x, [batch], tmp_path / "warm.npy")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    collect(lambda x: x, (batch for _ in range(batches)), tmp_path / "logits.npy")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert (tmp_path / "logits.npy").stat().st_size == 128 + batches * rows * classes * 4
    # A few batches of 2 MB in float32 and float64 come and go; all of them would be 200 MB.
    assert grown < 40


def test_the_journal_is_text_that_people_can_read(tmp_path):
    interrupt(tmp_path / "logits.npy", 2)
    lines = [json.loads(line) for line in (tmp_path / "logits.npy.journal").open()]
    assert lines[0]["format"] == "credence-collect"
    assert [line["rows"] for line in lines[1:]] == [BATCH, BATCH]
