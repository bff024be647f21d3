"""A calibrator as a module of PyTorch gives what the engine gives."""

from __future__ import annotations

import copy
import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import credence

torch = pytest.importorskip("torch", reason="PyTorch is not installed ('scripts/setup torch')")

from credence.torch import Calibrated, Calibration  # noqa: E402

METHODS = [
    "uncalibrated", "slts", "vs", "soft-platt", "dirichlet-soft", "ats", "ir-soft", "hist-bin",
    "dirichlet-soft then ts", "ts then ir-soft", "hist-bin then soft-platt", "ir-soft then ats",
    "vs then hist-bin",
]
# The engine computes in double precision, as the module does; float32 results are rounded.
EXACT = 1e-6


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return credence.demo_data(rows=1500)


def rows_to_try(logits: np.ndarray) -> np.ndarray:
    """Rows of the data, undecided and certain ones, ties, and classes ruled out."""
    rng = np.random.default_rng(3)
    wild = rng.normal(size=(400, logits.shape[1])) * np.geomspace(1e-3, 200, 400)[:, None]
    tied = np.zeros((3, logits.shape[1]))
    tied[1, 1:3] = tied[2, 0] = tied[2, 4] = 7
    impossible = rng.normal(size=(20, logits.shape[1]))
    impossible[:, 2] = -np.inf
    impossible[10:, 3] = -np.inf
    return np.concatenate([logits, wild, tied, impossible]).astype(np.float32)


def fitted(data: dict[str, Any], method: str, kind: str, gauge: str) -> Any:
    return credence.fit(method, scores_as(data["logits"], kind), data["votes"], input=kind,
                        gauge=gauge, classes=data["classes"])


def scores_as(logits: np.ndarray, kind: str) -> np.ndarray:
    if kind == "logits":
        return logits
    with np.errstate(divide="ignore"):
        z = logits.astype(np.float64)
        p = np.exp(z - z.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        found = p if kind == "probs" else np.log(p)
    return found.astype(np.float32)


@pytest.mark.parametrize("gauge", ["log_probs", "raw"])
@pytest.mark.parametrize("kind", ["logits", "log_probs", "probs"])
@pytest.mark.parametrize("method", METHODS)
def test_every_map_is_that_of_the_engine(
    data: dict[str, Any], method: str, kind: str, gauge: str
) -> None:
    model = fitted(data, method, kind, gauge)
    scores = scores_as(rows_to_try(data["logits"]), kind)
    wanted = model.predict_proba(scores.astype(np.float64), dtype=np.float64)
    found = Calibration(model)(torch.from_numpy(scores)).numpy()
    assert found.dtype == np.float32
    far = np.abs(found - wanted).max(axis=1)
    # Where one step function follows another map, a value may lie on an edge of the second up to
    # the last bit of a logarithm, which the two libraries round differently.
    assert (far > EXACT).sum() <= (2 if "then" in method else 0), far.max()
    log_probs = Calibration(model, result="log_probs")(torch.from_numpy(scores).double())
    assert np.abs(np.exp(log_probs.numpy()) - wanted)[far <= EXACT].max() < EXACT


def test_scripts_and_traces_compute_the_same(data: dict[str, Any]) -> None:
    body = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 5))
    x = torch.randn(64, 8, generator=torch.Generator().manual_seed(1))
    for method in METHODS:
        for gauge in ("log_probs", "raw"):
            service = Calibrated(body, fitted(data, method, "logits", gauge)).eval()
            wanted = service(x)
            scripted = torch.jit.script(service)
            assert torch.equal(scripted(x), wanted), method
            traced = torch.jit.trace(service, x[:2])
            assert torch.equal(traced(x), wanted), method
            stored = io.BytesIO()
            torch.jit.save(scripted, stored)
            stored.seek(0)
            assert torch.equal(torch.jit.load(stored)(x), wanted), method


@pytest.mark.skipif(not hasattr(torch, "export"), reason="this PyTorch has no torch.export")
def test_exported_programs_compute_the_same(data: dict[str, Any]) -> None:
    body, x = torch.nn.Linear(8, 5), torch.randn(64, 8)
    for method in METHODS:
        service = Calibrated(body, fitted(data, method, "logits", "log_probs")).eval()
        program = torch.export.export(service, (x,)).module()
        assert torch.allclose(program(x), service(x), atol=EXACT), method


@pytest.mark.parametrize("method", METHODS)
def test_onnx_runtime_computes_the_same(
    data: dict[str, Any], method: str, tmp_path: Path
) -> None:
    runtime = pytest.importorskip("onnxruntime")
    service = Calibrated(torch.nn.Linear(8, 5), fitted(data, method, "logits", "log_probs")).eval()
    x = torch.randn(64, 8, generator=torch.Generator().manual_seed(2))
    path = os.fspath(tmp_path / "service.onnx")
    torch.onnx.export(service, (x[:2],), path, opset_version=16, input_names=["x"],
                      dynamic_axes={"x": {0: "batch"}})
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"x": x.numpy()})
    assert np.abs(found - service(x).detach().numpy()).max() < EXACT


def test_types_and_devices_are_those_of_the_scores(data: dict[str, Any]) -> None:
    model = fitted(data, "ir-soft", "logits", "log_probs")
    scores = torch.from_numpy(data["logits"])
    wanted = model.predict_proba(data["logits"])
    for dtype, tolerance in [(torch.float16, 1e-3), (torch.bfloat16, 8e-3), (torch.float64, 1e-6)]:
        found = Calibration(model)(scores.to(dtype))
        assert found.dtype == dtype
        same = model.predict_proba(scores.to(dtype).float().numpy())
        assert np.abs(found.double().numpy() - same).max() < tolerance
    # A model that becomes half precision keeps the calibrator's own numbers.
    service = Calibrated(torch.nn.Identity(), model).half().float()
    assert np.abs(service(scores).numpy() - wanted).max() < EXACT
    assert {b.dtype for b in service.buffers()} == {torch.float64, torch.int64}
    assert all(b.device.type == "meta" for b in service.to("meta").buffers())


def test_float32_arithmetic_needs_no_float64(data: dict[str, Any]) -> None:
    model = fitted(data, "soft-platt", "logits", "log_probs")
    service = Calibration(model, arithmetic="float32")
    assert torch.float64 not in {b.dtype for b in service.buffers()}
    found = service(torch.from_numpy(data["logits"])).numpy()
    assert np.abs(found - model.predict_proba(data["logits"])).max() < 1e-5


def test_state_is_saved_and_loaded(data: dict[str, Any]) -> None:
    first, second = (credence.fit("dirichlet-soft", data["logits"][part], data["votes"][part],
                                  input="logits")
                     for part in (slice(0, 700), slice(700, 1500)))
    scores = torch.from_numpy(data["logits"])
    one, other = Calibration(first), Calibration(second)
    assert not torch.equal(one(scores), other(scores))
    other.load_state_dict(one.state_dict())
    assert torch.equal(one(scores), other(scores))
    for copied in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert torch.equal(copied(scores), one(scores))
    assert not list(Calibrated(torch.nn.Identity(), first).parameters())


def test_classes_may_stand_on_any_axis_of_any_number(data: dict[str, Any]) -> None:
    model = fitted(data, "vs", "logits", "log_probs")
    scores = torch.from_numpy(data["logits"][:24])
    wanted = Calibration(model)(scores)
    block = scores.reshape(2, 3, 4, 5)
    assert torch.equal(Calibration(model)(block), wanted.reshape(2, 3, 4, 5))
    image = block.permute(0, 3, 1, 2)
    found = Calibration(model, class_axis=1)(image)
    assert torch.equal(found, wanted.reshape(2, 3, 4, 5).permute(0, 3, 1, 2))
    assert Calibration(model)(scores[0]).shape == (5,)
    with pytest.raises(ValueError, match="scores of 4 classes; the calibrator is for 5"):
        Calibration(model)(scores[:, :4])


def test_classes_are_matched_by_name(data: dict[str, Any]) -> None:
    model = fitted(data, "dirichlet-soft", "logits", "log_probs")
    order = [3, 1, 4, 0, 2]
    names = [data["classes"][k].upper() for k in order]
    scores = torch.from_numpy(data["logits"])
    found = Calibration(model, classes=names)(scores[:, order])
    assert torch.equal(found, Calibration(model)(scores)[:, order])

    class Labelled(torch.nn.Identity):
        class config:  # noqa: N801  (as Hugging Face has it)
            id2label = dict(enumerate(names))  # noqa: RUF012

    assert torch.equal(Calibrated(Labelled(), model)(scores[:, order]), found)
    with pytest.raises(credence.CredenceError, match="the model's classes are"):
        Calibration(model, classes=["a", "b", "c", "d", "e"])


def test_outputs_with_logits_are_understood_and_gradients_reach_the_model(
    data: dict[str, Any],
) -> None:
    class Answer:
        def __init__(self, logits: Any) -> None:
            self.logits = logits

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(8, 5)

        def forward(self, input_ids: Any, attention_mask: Any = None) -> Answer:
            return Answer(self.line(input_ids))

    service = Calibrated(Network(), fitted(data, "slts", "logits", "log_probs"))
    x = torch.randn(4, 8)
    p = service(input_ids=x, attention_mask=None)
    assert torch.allclose(p.sum(dim=1), torch.ones(4))
    p[:, 0].sum().backward()
    assert service.model.line.weight.grad.abs().sum() > 0
    named = Calibrated(Network(), fitted(data, "slts", "logits", "log_probs"), output="logits")
    assert named(x).shape == (4, 5)
    with pytest.raises(credence.CredenceError, match="TorchScript"):
        torch.jit.script(named)


def test_what_is_not_a_number_stays_visible(data: dict[str, Any]) -> None:
    scores = torch.from_numpy(data["logits"][:3].copy())
    scores[0, 1] = float("nan")
    scores[1, :] = -float("inf")
    for method in METHODS:
        found = Calibration(fitted(data, method, "logits", "log_probs"))(scores)
        assert torch.isnan(found[:2]).any(dim=1).all(), method
        assert not torch.isnan(found[2]).any(), method


def test_arguments_that_contradict_the_calibrator_are_refused(data: dict[str, Any]) -> None:
    model = fitted(data, "vs", "logits", "raw")
    with pytest.raises(credence.CredenceError, match="fitted to raw logits"):
        Calibration(model, input="probs")
    for options in ({"input": "scores"}, {"result": "logits"}, {"arithmetic": "float16"}):
        with pytest.raises(credence.CredenceError):
            Calibration(model, **options)
