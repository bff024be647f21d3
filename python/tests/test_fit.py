from __future__ import annotations

import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import credence


def test_input_is_never_guessed(demo: dict[str, Any]) -> None:
    with pytest.raises(credence.CredenceError, match='input="logits"') as caught:
        credence.fit("ts", demo["logits"], demo["votes"])
    assert caught.value.code == "usage"
    with pytest.raises(credence.CredenceError, match="input is 'scores'"):
        credence.fit("ts", demo["logits"], demo["votes"], input="scores")


def test_errors_speak_python_and_are_value_errors(demo: dict[str, Any]) -> None:
    with pytest.raises(ValueError) as caught:
        credence.fit("slts", demo["logits"], labels=demo["votes"].argmax(1), input="logits")
    error = caught.value
    assert isinstance(error, credence.CredenceError)
    assert error.code == "evidence" and "ts" in error.hint
    bad = demo["logits"].copy()
    bad[7, 2] = np.nan
    with pytest.raises(credence.CredenceError, match="row 7, column 2") as caught:
        credence.fit("ts", bad, demo["votes"], input="logits")
    assert "--" not in caught.value.hint and "skip_rows=" in caught.value.hint
    assert credence.fit("ts", bad, demo["votes"], input="logits", skip_rows=[7]).report_[
        "rows"
    ] == len(bad) - 1


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_any_float_type_and_order_fits_the_same_rounded_scores(
    demo: dict[str, Any], dtype: type, order: str
) -> None:
    scores = np.array(demo["logits"].astype(np.float16), dtype=dtype, order=order)
    plain = np.ascontiguousarray(scores, dtype=np.float32)
    ours = credence.fit("dirichlet-soft", scores, demo["votes"], input="logits")
    assert ours == credence.fit("dirichlet-soft", plain, demo["votes"], input="logits")
    strided = np.repeat(scores, 2, axis=0)[::2][::-1]
    again = credence.fit("slts", strided, demo["votes"][::-1], input="logits")
    assert again == credence.fit("slts", plain[::-1].copy(), demo["votes"][::-1], input="logits")


def test_swapped_bytes_lists_and_read_only_arrays_are_read(demo: dict[str, Any]) -> None:
    wanted = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
    swapped = demo["logits"].astype(demo["logits"].dtype.newbyteorder())
    assert credence.fit("slts", swapped, demo["votes"], input="logits") == wanted
    locked = demo["logits"].copy()
    locked.flags.writeable = False
    assert credence.fit("slts", locked, demo["votes"], input="logits") == wanted
    assert credence.fit("slts", demo["logits"].tolist(), demo["votes"].tolist(), input="logits")


class OnlyDlpack:
    """What a tensor of another library shows."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


def test_dlpack_tensors_are_read_where_they_are(demo: dict[str, Any]) -> None:
    wanted = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
    given = OnlyDlpack(demo["logits"]), OnlyDlpack(demo["votes"])
    assert credence.fit("slts", *given, input="logits") == wanted


def test_torch_tensors_that_want_gradients_are_read(demo: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    wanted = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
    scores = torch.tensor(demo["logits"], requires_grad=True)
    assert credence.fit("slts", scores, torch.tensor(demo["votes"]), input="logits") == wanted


def test_logits_and_probabilities_of_one_model_agree(demo: dict[str, Any]) -> None:
    odds = np.exp(demo["logits"].astype(np.float64))
    probs = odds / odds.sum(axis=1, keepdims=True)
    a = credence.fit("slts", demo["logits"], demo["votes"], input="logits")
    b = credence.fit("slts", probs, demo["votes"], input="probs")
    # float32 scores carry 24 bits; the optimum moves by a few units of that.
    assert a.temperature_ == pytest.approx(b.temperature_, rel=1e-5)
    assert b.input == "probs"
    assert np.allclose(a.predict_proba(demo["logits"]), b.predict_proba(probs), atol=1e-5)


def test_calibrators_are_values(demo: dict[str, Any], tmp_path: Any) -> None:
    model = credence.fit("vs", demo["logits"], demo["votes"], input="logits")
    path = tmp_path / "model.json"
    model.save(path)
    assert path.read_text() == model.to_json()
    same = [credence.Calibrator.load(path), pickle.loads(pickle.dumps(model))]
    assert all(one == model and hash(one) == hash(model) for one in same)
    assert model != credence.fit("slts", demo["logits"], demo["votes"], input="logits")
    # The text of the calibrator is all that a pickle holds besides the function that reads it.
    assert model.__reduce__()[1] == (model.to_json(),)
    assert model.temperature_ is None and model.method == "vs"
    assert "vs" in repr(model) and "<table>" in model._repr_html_()


def test_prediction_follows_the_names_of_the_columns(demo: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    model = credence.fit(
        "vs", demo["logits"], demo["votes"], input="logits", classes=demo["classes"]
    )
    assert list(model.classes_) == demo["classes"]
    frame = pandas.DataFrame(demo["logits"], columns=demo["classes"])
    turned = frame[frame.columns[::-1]]
    straight = model.predict_proba(demo["logits"], dtype=np.float64)
    assert np.array_equal(model.predict_proba(turned), straight[:, ::-1])
    assert set(model.predict(demo["logits"])) <= set(demo["classes"])


def test_options_out_of_range_are_refused_by_name(demo: dict[str, Any]) -> None:
    data = (demo["logits"], demo["votes"])
    for option, value in [("seed", -1), ("threads", 5000), ("max_passes", 0), ("bins", 0)]:
        with pytest.raises(credence.CredenceError, match=option) as caught:
            credence.fit("annotators+histogram", *data, input="logits", **{option: value})
        assert caught.value.code == "usage"
    with pytest.raises(credence.CredenceError, match="no effect"):
        credence.fit("slts", *data, input="logits", draws=3)


def test_threads_change_no_bit(demo: dict[str, Any]) -> None:
    fits = [
        credence.fit("dirichlet-soft", demo["logits"], demo["votes"], input="logits", threads=n)
        for n in (1, 2, 5)
    ]
    assert fits[0] == fits[1] == fits[2]


def test_a_fit_that_reaches_no_optimum_is_warned_of_before_it_starts() -> None:
    rng = np.random.default_rng(1)
    logits = rng.standard_normal((2000, 1000)).astype(np.float32)
    labels = rng.integers(1000, size=2000)
    with (
        pytest.warns(UserWarning, match="1 minute of .*'auto' leaves such"),
        pytest.raises(credence.CredenceError, match="stopped"),
    ):
        credence.fit(
            "dirichlet-hard",
            logits,
            labels=labels,
            input="logits",
            progress=lambda share, text: False,
        )


def slow_work(progress: Any = None) -> None:
    big = credence.demo_data(rows=4000)
    credence.compare(
        big["logits"], big["votes"], input="logits", refits=400, progress=progress, threads=2
    )


# Stopping takes at most the work between two reports; all of it takes minutes. Of the processor's
# time: a busy machine may let it wait as long as it likes.
PROMPT = 30.0


def test_a_callback_that_raises_stops_the_work_and_is_raised() -> None:
    class Enough(Exception):
        pass

    def stop(share: Any, text: str) -> None:
        assert share is None or 0.0 <= share <= 1.0
        assert text
        raise Enough

    start = time.process_time()
    with pytest.raises(Enough):
        slow_work(stop)
    assert time.process_time() - start < PROMPT


def test_a_callback_that_returns_false_cancels() -> None:
    with pytest.raises(credence.CredenceError) as caught:
        slow_work(lambda share, text: False)
    assert caught.value.code == "cancelled"


@pytest.fixture()
def ctrl_c() -> Iterator[None]:
    """SIGINT as at a terminal: nohup and background jobs start with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_stops_the_work(ctrl_c: None) -> None:
    # Without a callback, whose Python code would notice the signal by itself.
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.process_time()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            slow_work()
    finally:
        timer.cancel()
    assert time.process_time() - start < PROMPT


IGNORED = """
import os, signal
import credence

signal.signal(signal.SIGINT, signal.SIG_IGN)
data = credence.demo_data(rows=400)
pressed = []

def press(share, text):
    pressed.append(os.kill(os.getpid(), signal.SIGINT))

credence.compare(data["logits"], data["votes"], input="logits", resamples=20, progress=press)
assert pressed
assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
"""


def test_ctrl_c_that_the_caller_ignores_stays_ignored() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IGNORED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_other_threads_run_meanwhile(demo: dict[str, Any]) -> None:
    counted = [0]
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    credence.compare(demo["logits"], demo["votes"], input="logits", resamples=200)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 10


def test_a_dataset_gives_what_its_arrays_give(demo: dict[str, Any]) -> None:
    data = credence.Dataset(demo["logits"], demo["votes"], input="logits")
    for method in ("slts", "dirichlet-soft", "ir-soft"):
        direct = credence.fit(method, demo["logits"], demo["votes"], input="logits")
        assert credence.fit(method, data).to_json() == direct.to_json()
    same = {"methods": ["slts"], "resamples": 20}
    direct = credence.compare(demo["logits"], demo["votes"], input="logits", **same)
    assert credence.compare(data, **same).to_json() == direct.to_json()
    assert data.fingerprint in direct.to_json()


def test_a_dataset_refuses_bad_data_at_once_and_more_data_beside_it(demo: dict[str, Any]) -> None:
    with pytest.raises(credence.CredenceError, match="row 0"):
        credence.Dataset([[np.nan, 0.0]], [[1, 2]], input="logits")
    data = credence.Dataset(demo["logits"], demo["votes"], input="logits")
    with pytest.raises(credence.CredenceError, match="beside it"):
        credence.fit("slts", data, demo["votes"])
    with pytest.raises(credence.CredenceError, match="beside it"):
        credence.fit("slts", data, input="probs")


def test_simulate_takes_the_kinds_of_the_command_line() -> None:
    confusion = [[0.9, 0.1], [0.2, 0.8]]
    answers = credence.simulate("annotators", [0, 1], confusion, annotators=3, seed=7)
    again = credence.simulate_annotators([0, 1], confusion, annotators=3, seed=7)
    assert (answers == again).all()
    with pytest.raises(credence.CredenceError, match="cannot simulate"):
        credence.simulate("weather")


def test_a_misspelt_keyword_is_told_by_the_function_that_was_called() -> None:
    with pytest.raises(TypeError, match=r"fit\(\) got an unexpected keyword argument 'clases'"):
        credence.fit("ts", [[1.0, 0.0]], [[1, 0]], input="logits", clases="a,b")
    with pytest.raises(TypeError, match=r"plan\(\) got an unexpected keyword argument 'clases'"):
        credence.plan([[1.0, 0.0]], [[1, 0]], input="logits", clases="a,b")


def test_every_function_that_reads_data_shows_the_keywords_about_them() -> None:
    shown = [set(inspect.signature(f).parameters) for f in (credence.Dataset, credence.ablate)]
    assert {"classes", "ids", "groups", "rows", "allow_unmatched"} <= shown[0] & shown[1]
