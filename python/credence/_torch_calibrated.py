"""A calibrator as a module of PyTorch; users find it in credence.torch."""

import json
import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import torch
from torch import Tensor, nn

from ._calibrator import Calibrator
from ._errors import CredenceError
from ._torch_maps import Exact, from_stage
from .torch import logits_in

# What a probability of 0 stands for, as in score files.
_LEAST = float(np.finfo(np.float32).tiny)
_SEE_SHIFT = ("class-temperatures", "diagonal", "matrix")


class _Reader(Exact):
    """From what a model gives to what the first map reads, as the engine reads score files."""

    def __init__(self, kind: str, gauge: str, wide: bool) -> None:
        super().__init__()
        self.are_probabilities: bool = kind == "probs"
        self.is_raw: bool = gauge == "raw"
        self.wide: bool = wide
        # TorchScript reads no global names.
        self.least: float = _LEAST
        self.log_least: float = math.log(_LEAST)
        self.most: float = float(np.finfo(np.float32).max)

    def _widen(self, x: Tensor) -> Tensor:
        return x.to(torch.float64) if self.wide else x.to(torch.float32)

    def forward(self, scores: Tensor) -> Tensor:
        if self.are_probabilities:
            p = self._widen(scores)
            possible = torch.where(p == 0.0, torch.full_like(p, self.least), p)
            # The engine keeps scores in float32.
            u = self._widen(torch.log(possible).to(torch.float32))
        else:
            u = self._widen(scores.to(torch.float32))
            total = torch.logsumexp(u, dim=-1, keepdim=True)
            # A class ruled out gets the smallest probability there is; a row of nothing else, none.
            least = torch.clamp(total + self.log_least, min=-self.most).to(torch.float32)
            raised = torch.where(total == -math.inf, torch.full_like(total, math.nan),
                                 self._widen(least))
            u = torch.where(u == -math.inf, raised, u)
        return u if self.is_raw else torch.log_softmax(u, dim=-1)


class _Stages(nn.Module):  # type: ignore[misc]
    """The maps of a calibrator, or of a member of a pool, one behind the other."""

    def __init__(
        self,
        stages: list[dict[str, Any]],
        weight: float,
        class_count: int,
        raw: bool,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.weight: float = weight
        self.least: float = _LEAST
        self.stages = nn.ModuleList(
            from_stage(stage, class_count, raw and i == 0, dtype) for i, stage in enumerate(stages)
        )
        # Whether the next map depends on what is added to a row; as the engine, which leaves out a
        # logarithm that changes nothing but rounding.
        following = [stage["map"]["name"] for stage in stages[1:]]
        self.normalises: list[bool] = [name in _SEE_SHIFT for name in following] + [False]

    def forward(self, u: Tensor) -> tuple[Tensor, Tensor]:
        p = u
        log_p = u
        for i, stage in enumerate(self.stages):
            found = stage(u)
            if stage.gives_probabilities:
                p = found
                log_p = torch.log(torch.clamp(found, min=self.least))
                u = log_p
            else:
                p = torch.softmax(found, dim=-1)
                log_p = torch.log_softmax(found, dim=-1)
                u = log_p if self.normalises[i] else found
        return p, log_p


class Calibration(nn.Module):  # type: ignore[misc]
    """A calibrator as a module: scores in, calibrated probabilities out.

    For the end of a network of your own, or to script and export alone; :class:`Calibrated` wraps
    a whole model and explains the arguments.
    """

    def __init__(
        self,
        calibrator: Calibrator,
        *,
        input: Optional[str] = None,
        result: str = "probs",
        classes: Optional[Sequence[str]] = None,
        class_axis: int = -1,
        arithmetic: str = "float64",
    ) -> None:
        super().__init__()
        if result not in ("probs", "log_probs"):
            raise CredenceError("usage", f"result is '{result}'", 'wanted "probs" or "log_probs"')
        if arithmetic not in ("float32", "float64"):
            raise CredenceError(
                "usage", f"arithmetic is '{arithmetic}'", 'wanted "float64" or "float32"'
            )
        stored = json.loads(calibrator.to_json())
        kind = _kind_of(calibrator, input, stored["gauge"])
        wide = arithmetic == "float64"
        self.class_count: int = int(stored["class_count"])
        self.class_axis: int = class_axis
        self.gives_logarithms: bool = result == "log_probs"
        self.reader = _Reader(kind, stored["gauge"], wide)
        dtype = torch.float64 if wide else torch.float32
        members = stored.get("members") or [{"weight": 1.0, "stages": stored["stages"]}]
        raw = stored["gauge"] == "raw"
        self.is_pool: bool = "members" in stored
        self.members = nn.ModuleList(
            _Stages(member["stages"], member["weight"], self.class_count, raw, dtype)
            for member in members
        )
        place = _places(calibrator, classes)
        self.reorders: bool = place is not None
        order = list(range(self.class_count)) if place is None else place
        self.register_buffer("order", torch.tensor(order))
        self.register_buffer("back", torch.tensor(np.argsort(order)))

    def forward(self, scores: Tensor) -> Tensor:
        x = torch.transpose(scores, self.class_axis, -1)
        if not torch.jit.is_tracing() and x.size(-1) != self.class_count:
            raise ValueError(
                f"scores of {x.size(-1)} classes; the calibrator is for {self.class_count}"
            )
        if self.reorders:
            x = torch.index_select(x, -1, self.order)
        u = self.reader(x)
        p = torch.zeros_like(u)
        log_p = u
        for member in self.members:
            own, log_p = member(u)
            p = p + member.weight * own if self.is_pool else own
        if self.is_pool:
            log_p = torch.log(torch.clamp(p, min=self.reader.least))
        given = log_p if self.gives_logarithms else p
        if self.reorders:
            given = torch.index_select(given, -1, self.back)
        dtype = scores.dtype if scores.is_floating_point() else torch.float32
        return torch.transpose(given, self.class_axis, -1).to(dtype)


class _Chain(nn.Module):  # type: ignore[misc]
    """What TorchScript compiles of :class:`Calibrated`: one tensor in, scores out of the model."""

    def __init__(self, model: Any, calibration: Calibration) -> None:
        super().__init__()
        self.model = model
        self.calibration = calibration

    def forward(self, x: Tensor) -> Tensor:
        return self.calibration(self.model(x))


class Calibrated(nn.Module):  # type: ignore[misc]
    """A model whose output is calibrated: an ``nn.Module`` that returns probabilities.

        from credence.torch import Calibrated

        service = Calibrated(model, credence.Calibrator.load("calibrator.json")).eval()
        probabilities = service(images)

    It is called as the model is. The result is within 1e-6 of ``calibrator.predict_proba`` for
    every map, in the type and on the device of the model's scores. The calibrator's numbers are
    buffers: they are saved in the ``state_dict``, move with ``to()``, stay float64 when the model
    becomes half precision, and are no parameters, so an optimiser leaves them alone. Gradients
    reach the model. ``torch.jit.script`` compiles it where it compiles the model and that takes
    one tensor; ``torch.jit.trace``, ``torch.onnx.export`` and ``torch.export`` take any model that
    they take alone. (Once scripted or exported, do not convert it to half precision: only the
    module itself protects its numbers.) Scores are not checked here: a NaN among them gives a row
    of NaN.

    :param model: a module that returns scores, or an output that has ``logits`` (Hugging Face).
    :param calibrator: the fitted calibrator.
    :param input: what the model returns: "logits", "log_probs" or "probs"; without it, what the
        calibrator was fitted to.
    :param result: "probs", or "log_probs" for code that takes logarithms.
    :param classes: names of the model's classes in their order. They are matched with the
        calibrator's by name. Without them, ``model.config.id2label`` where those are the same
        names, and otherwise the order is taken to be the same.
    :param class_axis: where the classes are; the last axis, or 1 for images of (batch, classes,
        height, width). There may be any number of other axes.
    :param output: which part of the model's output is the scores: a name, an index or a function.
    :param arithmetic: "float64", or "float32" for devices that lack it: smooth maps then differ by
        some 1e-6, and step functions take another step where float32 cannot tell.
    """

    def __init__(
        self,
        model: Any,
        calibrator: Calibrator,
        *,
        input: Optional[str] = None,
        result: str = "probs",
        classes: Optional[Sequence[str]] = None,
        class_axis: int = -1,
        output: Any = None,
        arithmetic: str = "float64",
    ) -> None:
        super().__init__()
        self.model = model
        self.output = output
        self.calibration = Calibration(
            calibrator,
            input=input,
            result=result,
            classes=_known_names(model, calibrator) if classes is None else classes,
            class_axis=class_axis,
            arithmetic=arithmetic,
        )

    def forward(self, *inputs: Any, **keywords: Any) -> Any:
        return self.calibration(logits_in(torch, self.model(*inputs, **keywords), self.output))

    def __prepare_scriptable__(self) -> nn.Module:  # what torch.jit.script asks for
        if self.output is not None:
            raise CredenceError(
                "usage",
                "TorchScript cannot compile a choice among the model's outputs",
                "script a model that returns the scores alone, or use torch.jit.trace",
            )
        chain = _Chain(self.model, self.calibration)
        chain.train(self.training)
        return chain


def _kind_of(calibrator: Calibrator, wanted: Optional[str], gauge: str) -> str:
    kind = calibrator.input if wanted is None else wanted
    if kind not in ("logits", "log_probs", "probs"):
        raise CredenceError(
            "usage", f"input is '{kind}'", 'wanted "logits", "log_probs" or "probs"'
        )
    if gauge == "raw" and kind != calibrator.input:
        raise CredenceError(
            "model",
            f"the calibrator was fitted to raw {calibrator.input}; "
            "other scores would give other results",
            "leave out input=, or fit again without gauge=",
        )
    return kind


def _plain(names: Any) -> list[str]:
    return [str(name).strip().lower() for name in names]


def _known_names(model: Any, calibrator: Calibrator) -> Optional[list[str]]:
    """The names in the configuration of a Hugging Face model, where they are the calibrator's."""
    labels = getattr(getattr(model, "config", None), "id2label", None)
    if not isinstance(labels, dict) or len(labels) != len(calibrator.classes_):
        return None
    ours = [str(labels.get(k, labels.get(str(k)))) for k in range(len(labels))]
    return ours if sorted(_plain(ours)) == sorted(_plain(calibrator.classes_)) else None


def _places(calibrator: Calibrator, classes: Optional[Sequence[str]]) -> Optional[list[int]]:
    """Where the calibrator's classes stand in the model's output; None where they stand alike."""
    if classes is None:
        return None
    ours, theirs = _plain(classes), _plain(calibrator.classes_)
    if sorted(ours) != sorted(theirs) or len(set(ours)) != len(ours):
        raise CredenceError(
            "model",
            f"the model's classes are {', '.join(map(str, classes))}; "
            f"the calibrator's are {', '.join(map(str, calibrator.classes_))}",
            "a calibrator belongs to one model: fit one for these classes",
        )
    return None if ours == theirs else [ours.index(name) for name in theirs]
