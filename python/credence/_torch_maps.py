"""The maps of a calibrator as modules of PyTorch: scores u in, calibrated scores out.

Each gives what docs/calibrator-file.md says of its map: calibrated logits, or probabilities where
``gives_probabilities``. What they hold stays in the type it was stored in, whatever a model around
them is converted to: half-precision thresholds would be other thresholds. The classes are compiled
by TorchScript, which reads annotations as they stand here.
"""

import math
from typing import Any, Callable, Final

import torch
from torch import Tensor, nn


class Exact(nn.Module):  # type: ignore[misc]
    """Moves to other devices with its model, and keeps its types when that changes its own."""

    def _apply(self, fn: Callable[[Any], Any], *args: Any, **keywords: Any) -> Any:
        before = dict(self._buffers)
        super()._apply(fn, *args, **keywords)
        for name, value in before.items():
            moved = self._buffers[name]
            if value is not None and moved is not None and moved.dtype != value.dtype:
                self._buffers[name] = value.to(moved.device)
        return self


class Identity(Exact):
    gives_probabilities: Final[bool] = False

    def forward(self, u: Tensor) -> Tensor:
        return u


class Scale(Exact):
    """One inverse temperature, or one per class."""

    gives_probabilities: Final[bool] = False

    def __init__(self, inverse_temperatures: Tensor) -> None:
        super().__init__()
        self.register_buffer("inverse_temperatures", inverse_temperatures)

    def forward(self, u: Tensor) -> Tensor:
        return u * self.inverse_temperatures


class Diagonal(Exact):
    gives_probabilities: Final[bool] = False

    def __init__(self, weights: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.register_buffer("weights", weights)
        self.register_buffer("bias", bias)

    def forward(self, u: Tensor) -> Tensor:
        return u * self.weights + self.bias


class Matrix(Diagonal):
    def forward(self, u: Tensor) -> Tensor:
        return torch.matmul(u, self.weights.t()) + self.bias


class Adaptive(Diagonal):
    """A temperature from four features of the scores; the first one depends on the gauge."""

    def __init__(self, weights: Tensor, bias: Tensor, classes: int, is_raw: bool) -> None:
        super().__init__(weights, bias)
        self.most_entropy: float = math.log(classes)
        self.is_raw: bool = is_raw

    def forward(self, u: Tensor) -> Tensor:
        log_p = torch.log_softmax(u, dim=-1)
        p = torch.exp(log_p)
        largest = torch.amax(u if self.is_raw else log_p, dim=-1, keepdim=True)
        entropy = -(p * log_p).sum(dim=-1, keepdim=True) / self.most_entropy
        first_two = torch.topk(p, 2, dim=-1)[0]
        first = first_two[..., 0:1]
        phi = torch.cat([largest, entropy, first - first_two[..., 1:2], first], dim=-1)
        a = (phi * self.weights).sum(dim=-1, keepdim=True) + self.bias
        softplus = torch.clamp(a, min=0.0) + torch.log1p(torch.exp(-torch.abs(a)))
        return u / (softplus + 0.1)


class Floored(Exact):
    """A temperature for each row, then a share of the uniform distribution mixed in."""

    gives_probabilities: Final[bool] = True

    def __init__(self, weights: Tensor, scale: Tensor, floor: Tensor, classes: int) -> None:
        super().__init__()
        self.register_buffer("weights", weights)
        self.register_buffer("scale", scale)
        self.register_buffer("floor", torch.sigmoid(floor))
        self.register_buffer("kept", torch.sigmoid(-floor))
        self.classes: int = classes
        self.most_entropy: float = math.log(classes)

    def forward(self, u: Tensor) -> Tensor:
        a = self.scale
        if self.weights.numel() > 0:
            log_p = torch.log_softmax(u, dim=-1)
            entropy = -(torch.exp(log_p) * log_p).sum(dim=-1, keepdim=True) / self.most_entropy
            first_two = torch.topk(u, 2, dim=-1)[0]
            margin = torch.log1p(first_two[..., 0:1] - first_two[..., 1:2])
            a = a + entropy * self.weights[0] + margin * self.weights[1]
        softplus = torch.clamp(a, min=0.0) + torch.log1p(torch.exp(-torch.abs(a)))
        return torch.softmax(u * (softplus + 0.001), dim=-1) * self.kept + self.floor / self.classes


class Ridge(Diagonal):
    """A matrix over log-probabilities, 4 p, and 4 p sharpened, as many as it has columns for."""

    def forward(self, u: Tensor) -> Tensor:
        classes = self.bias.numel()
        x = u
        if self.weights.size(1) > classes:
            x = torch.cat([x, 4.0 * torch.softmax(u, dim=-1)], dim=-1)
        if self.weights.size(1) > 2 * classes:
            x = torch.cat([x, 4.0 * torch.softmax(2.0 * u, dim=-1)], dim=-1)
        return torch.matmul(x, self.weights.t()) + self.bias


class Channel(Ridge):
    """A ridge map's probabilities times a table of what annotators say for each class."""

    gives_probabilities: Final[bool] = True  # type: ignore[misc]  # TorchScript wants Final

    def __init__(self, weights: Tensor, bias: Tensor, channel: Tensor) -> None:
        super().__init__(weights, bias)
        self.register_buffer("channel", channel)

    def forward(self, u: Tensor) -> Tensor:
        classes = self.bias.numel()
        x = u
        if self.weights.size(1) > classes:
            x = torch.cat([x, 4.0 * torch.softmax(u, dim=-1)], dim=-1)
        p = torch.softmax(torch.matmul(x, self.weights.t()) + self.bias, dim=-1)
        return torch.matmul(p, self.channel)


class Clip(Exact):
    """Probabilities raised to a least one, whose logarithms a temperature divides."""

    gives_probabilities: Final[bool] = False

    def __init__(self, scale: Tensor, floor: Tensor, classes: int) -> None:
        super().__init__()
        softplus = torch.clamp(scale, min=0.0) + torch.log1p(torch.exp(-torch.abs(scale)))
        self.register_buffer("inverse_temperature", softplus + 0.001)
        least = torch.finfo(torch.float32).tiny
        self.register_buffer("share", torch.clamp(torch.sigmoid(floor) / classes, min=least))
        self.register_buffer("kept", torch.sigmoid(-floor))

    def forward(self, u: Tensor) -> Tensor:
        raised = torch.softmax(u, dim=-1) * self.kept + self.share
        return torch.log(raised) * self.inverse_temperature


class Curves(Diagonal):
    """A broken line over the log-probability of each class."""

    def __init__(self, weights: Tensor, bias: Tensor) -> None:
        super().__init__(weights, bias)
        knots = [0.01, 0.05, 0.2, 0.7, 2.0, 5.0, 10.0, 20.0, 40.0]
        self.register_buffer("knots", torch.tensor(knots, dtype=weights.dtype))

    def forward(self, u: Tensor) -> Tensor:
        s = torch.log_softmax(u, dim=-1)
        bends = torch.maximum(s.unsqueeze(-1), -self.knots)
        return s * self.weights[:, 0] + (bends * self.weights[:, 1:]).sum(dim=-1) + self.bias


class Steps(Exact):
    """The largest probability is looked up, the others share the rest in proportion.

    ``belongs_above``: a confidence on an edge belongs to the step above it. A value below 0 leaves
    the confidence alone.
    """

    gives_probabilities: Final[bool] = True

    def __init__(self, edges: Tensor, values: Tensor, belongs_above: bool) -> None:
        super().__init__()
        self.register_buffer("edges", edges)
        self.register_buffer("values", values)
        self.belongs_above: bool = belongs_above

    def forward(self, u: Tensor) -> Tensor:
        top = torch.amax(u, dim=-1, keepdim=True)
        # Added in the order of the classes as the engine does: a confidence of exactly 1 may be a
        # step of its own, and another order would round to it in other rows.
        total = torch.cumsum(torch.exp(u - top), dim=-1)[..., -1:]
        confidence = (1.0 / total).contiguous()
        step = torch.bucketize(confidence, self.edges, right=self.belongs_above)
        found = self.values[step]
        value = torch.where(found < 0.0, confidence, found)
        is_top = u == top
        is_first = is_top & (torch.cumsum(is_top.to(torch.int64), dim=-1) == 1)
        others = torch.softmax(u.masked_fill(is_first, -math.inf), dim=-1)
        return torch.where(is_first, value, others * (1.0 - value))


def _bins(values: Tensor) -> Tensor:
    """The edges between equal bins of [0, 1]."""
    count = values.numel()
    return torch.tensor([b / count for b in range(1, count)], dtype=values.dtype)


def from_stage(stage: "dict[str, Any]", classes: int, is_raw: bool, dtype: Any) -> nn.Module:
    """The module of one stage of a calibrator file."""
    name, given = stage["map"]["name"], stage["parameters"]

    def block(key: str) -> Tensor:
        numbers = given[key]
        if isinstance(numbers, list):
            numbers = [-1.0 if number is None else number for number in numbers]
        return torch.tensor(numbers, dtype=dtype)

    if name == "identity":
        return Identity()
    if name == "temperature":
        return Scale(block("inverse_temperature"))
    if name == "class-temperatures":
        return Scale(block("inverse_temperatures"))
    if name == "diagonal":
        return Diagonal(block("weights"), block("bias"))
    if name == "matrix":
        return Matrix(block("weights"), block("bias"))
    if name == "adaptive":
        return Adaptive(block("weights"), block("bias"), classes, is_raw)
    if name == "floor":
        none = torch.empty(0, dtype=dtype)
        return Floored(none, block("scale"), block("floor_log_odds"), classes)
    if name == "adaptive-floor":
        return Floored(block("weights"), block("scale"), block("floor_log_odds"), classes)
    if name.startswith("ridge-"):
        return Ridge(block("weights"), block("bias"))
    if name.startswith("channel-"):
        return Channel(block("weights"), block("bias"), block("channel"))
    if name == "clip":
        return Clip(block("scale"), block("floor_log_odds"), classes)
    if name == "curves":
        return Curves(block("weights"), block("bias"))
    if name == "isotonic":
        return Steps(block("thresholds"), block("values"), True)
    if name == "histogram":
        return Steps(_bins(block("values")), block("values"), False)
    raise NotImplementedError(f"the map '{name}' is newer than this version of credence.torch")
