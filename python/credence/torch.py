"""Credence beside a PyTorch model: collect its logits, and calibrate what it returns.

    from credence.torch import Calibrated, collect

    collect(model, loader, "logits.npy", ids="id")   # once; then fit and compare as you like
    service = Calibrated(model, calibrator)          # returns calibrated probabilities

The logits are what every calibrator is fitted to, and the only thing worth keeping of an expensive
pass over the data. They are written batch by batch, never held in memory as a whole, and an
interrupted run goes on where it stopped. PyTorch is imported when it is needed, not before.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ._journal import GrowingArray

if TYPE_CHECKING:
    from ._torch_calibrated import Calibrated, Calibration

__all__ = ["Calibrated", "Calibration", "Collected", "collect"]

# Of every tensor that tells two runs apart, at most this many numbers are looked at: enough to
# notice other weights or another order of examples, and no second pass over a large model.
_SAMPLE = 16384

# The same model gives slightly different logits on another device or in half precision. More than
# this share of the largest logit is another model, or another way of asking it.
_SAME_LOGITS = 0.01


def __getattr__(name: str) -> Any:
    """Modules of PyTorch can be defined only where PyTorch is."""
    if name not in ("Calibrated", "Calibration"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _import_torch()
    from . import _torch_calibrated

    return getattr(_torch_calibrated, name)


@dataclass(frozen=True)
class Collected:
    """What :func:`collect` wrote."""

    path: Path
    ids_path: Path | None
    rows: int
    classes: int
    resumed_rows: int
    """Rows that an earlier, interrupted run had written already."""

    def __str__(self) -> str:
        ids = f", ids in {self.ids_path}" if self.ids_path else ""
        again = f" ({self.resumed_rows:,} of them by an earlier run)" if self.resumed_rows else ""
        return f"{self.path}: {self.rows:,} rows{again}, {self.classes:,} classes{ids}"


def collect(
    model: Any,
    loader: Iterable[Any],
    out: str | PathLike[str],
    *,
    ids: str | int | Sequence[Any] | Callable[[Any], Iterable[Any]] | None = None,
    device: Any = None,
    output: str | int | Callable[[Any], Any] | None = None,
    forward: Callable[[Any, Any], Any] | None = None,
    dtype: str = "float32",
    progress: bool | Callable[[int, int | None], None] = False,
    overwrite: bool = False,
    restart: bool = False,
) -> Collected:
    """Write the logits of a model for all batches of a loader to one ``.npy`` file.

    The model is switched to evaluation mode, run without gradients, and put back as it was. Rows
    stand in the order in which the loader gives them. Files get their names when they are complete;
    until then ``OUT.part`` and ``OUT.journal`` beside them hold what is done, and calling the
    function again with the same model and data goes on from there. A call that differs (other
    weights, other examples, other order) is refused rather than mixed in.

    :param model: a ``torch.nn.Module``, or anything that is called like one.
    :param loader: a ``DataLoader`` or any other iterable of batches. A batch is a tensor, a tuple
        whose first member is the input, or a mapping of keyword arguments (``label`` and ``labels``
        are left out).
    :param out: the ``.npy`` file. Ids, where asked for, go to a ``.ids.txt`` beside it, one per
        line.
    :param ids: names of the examples: a key or index into the batch, a function of the batch, or a
        sequence for all rows. Annotations can then be matched by id instead of by order.
    :param device: where to run; the model is moved there. Left alone, it runs where the model is.
    :param output: which part of the model's output is the logits: a name, an index or a function.
        Found by itself for a plain tensor and for outputs with ``logits`` (Hugging Face).
    :param forward: how to call the model, ``forward(model, batch)``, for batches of another form.
    :param dtype: ``"float32"`` or ``"float64"``. Half-precision outputs become float32, which holds
        them exactly.
    :param progress: ``True`` for a line on standard error, or a function of (rows done, rows in all
        or ``None``).
    :param overwrite: replace a finished file of that name.
    :param restart: throw away what an interrupted run left instead of going on from it.
    """
    torch = _import_torch()
    path = Path(out)
    _check_arguments(path, loader, ids, dtype)
    ids_path = path.with_suffix(".ids.txt") if ids is not None else None
    run = {
        "model": _model_digest(torch, model),
        "output": _name_of(output),
        "forward": _name_of(forward),
    }
    rows = GrowingArray(path, ids_path, run, np.dtype(dtype), restart=restart, fail=_fail)
    try:
        if not rows.complete:
            for final in (path, ids_path):
                if final is not None and final.exists() and not overwrite:
                    _fail(
                        f"{final}: exists", "say overwrite=True to replace it, or write elsewhere"
                    )
        resumed = rows.rows
        if not rows.complete:
            job = _Job(torch, model, _device_of(torch, model, device), ids, output, forward, dtype)
            show = _progress_line if progress is True else progress or None
            with _evaluating(torch, model):
                _run(job, loader, rows, _count_rows(loader), show)
        rows.finish()
        return Collected(path, ids_path, rows.rows, rows.classes or 0, resumed)
    finally:
        rows.close()


@dataclass(frozen=True)
class _Job:
    """From a batch to its ids and checked logits."""

    torch: Any
    model: Any
    device: Any
    ids: Any
    output: Any
    forward: Callable[[Any, Any], Any] | None
    dtype: str

    def ids_of(self, batch: Any, first: int, count: int | None) -> list[str] | None:
        """The ids of a batch. A sequence for all rows has to know how many of them are wanted."""
        if self.ids is None:
            return None
        if isinstance(self.ids, (str, int)):
            found = _pick(batch, self.ids, "the batch", "ids")
        elif callable(self.ids):
            found = self.ids(batch)
        else:
            if count is None:
                return None
            found = self.ids[first : first + count]
        if isinstance(found, self.torch.Tensor):
            found = found.reshape(-1).tolist()
        names = [str(name) for name in found]
        for name in names:
            if not name.strip() or "\n" in name or "\r" in name:
                _fail(
                    f"the id {name!r} is empty or has a line break",
                    "use one short word per example",
                )
        return names

    def logits_of(self, batch: Any, number: int) -> np.ndarray[Any, Any]:
        batch = _move(self.torch, batch, self.device)
        if self.forward is not None:
            found = self.forward(self.model, batch)
        elif isinstance(batch, Mapping):
            left_out = (
                {"label", "labels", self.ids} if isinstance(self.ids, str) else {"label", "labels"}
            )
            found = self.model(**{key: batch[key] for key in batch if key not in left_out})
        elif isinstance(batch, (tuple, list)):
            found = self.model(batch[0])
        else:
            found = self.model(batch)
        return _checked(
            self.torch, logits_in(self.torch, found, self.output), number, self.dtype
        )


def logits_in(torch: Any, found: Any, output: Any) -> Any:
    """The part of what a model returned that is its logits."""
    if callable(output):
        return output(found)
    if output is not None:
        return _pick(found, output, "the model's output", "output")
    if isinstance(found, torch.Tensor):
        return found
    if isinstance(found, Mapping) and "logits" in found:
        return found["logits"]
    if hasattr(found, "logits"):
        return found.logits
    _fail(
        f"the model returned a {type(found).__name__}, in which the logits are not obvious",
        "say where they are, e.g. output=0 or output=lambda result: result.scores",
    )


def _run(
    job: _Job,
    loader: Iterable[Any],
    rows: GrowingArray,
    total: int | None,
    show: Callable[[int, int | None], None] | None,
) -> None:
    done, finished = 0, list(rows.batches)
    for number, batch in enumerate(loader):
        if number < len(finished):
            known = finished[number]
            names = job.ids_of(batch, done, known.rows)
            if _batch_digest(job.torch, batch, names) != known.key:
                _fail(
                    f"batch {number} is not the one that the interrupted run saw",
                    "load the same examples in the same order and batch size (shuffle=False), "
                    "or say restart=True",
                )
            if number == len(finished) - 1:
                _compare_again(job.logits_of(batch, number), rows.last_batch())
            done += known.rows
        else:
            logits = job.logits_of(batch, number)
            names = job.ids_of(batch, done, len(logits))
            if names is not None and len(names) != len(logits):
                _fail(
                    f"batch {number} has {len(logits)} rows of logits and {len(names)} ids",
                    "each row needs one id",
                )
            if rows.classes not in (None, logits.shape[1]):
                _fail(
                    f"batch {number} has {logits.shape[1]} classes, not {rows.classes} as before",
                    "every batch has to have the same classes",
                )
            rows.append(logits, names, _batch_digest(job.torch, batch, names))
            done += len(logits)
        if show is not None:
            show(done, total)
    if done < rows.rows:
        _fail(
            f"the loader gave {done:,} rows, the interrupted run had {rows.rows:,} already",
            "load the same examples again, or say restart=True",
        )
    if done == 0:
        _fail(
            "the loader gave no batch", "an iterator can be gone through only once; pass a loader"
        )
    if not isinstance(job.ids, (str, int)) and hasattr(job.ids, "__len__") and len(job.ids) != done:
        _fail(f"{len(job.ids):,} ids for {done:,} rows", "each row needs one id")


def _checked(torch: Any, found: Any, number: int, dtype: str) -> np.ndarray[Any, Any]:
    """Logits as an array on this side, or an error that says which of them is at fault."""
    if not isinstance(found, torch.Tensor) or not found.is_floating_point():
        kind = found.dtype if isinstance(found, torch.Tensor) else type(found).__name__
        _fail(
            f"batch {number}: the logits are {kind}, not numbers with a fraction",
            "output= says which part of the model's output is the logits",
        )
    if found.ndim != 2 or found.shape[1] < 2:
        _fail(
            f"batch {number}: logits have the shape {tuple(found.shape)}, wanted (rows, classes)",
            "output= can be a function that makes it so, e.g. lambda r: r.logits[:, 0]",
        )
    # NumPy has no bfloat16, and float32 holds both half precisions exactly.
    wide = torch.float64 if found.dtype == torch.float64 else torch.float32
    with np.errstate(over="ignore"):  # what overflows float32 is found below
        logits: np.ndarray[Any, Any] = (
            found.detach().to("cpu", wide).numpy().astype(dtype, copy=False)
        )
    # A logit of -inf is a class ruled out; anything else that is not finite is an accident.
    bad = np.isnan(logits) | (logits == np.inf)
    bad |= np.all(logits == -np.inf, axis=1, keepdims=True)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        half = found.dtype in (torch.float16, torch.bfloat16)
        _fail(
            f"batch {number}, row {row}, class {column}: the logit is {logits[row, column]}",
            "the model overflows in half precision: run it in float32"
            if half
            else "look at this example and at the weights of the model",
            code="data",
        )
    return logits


def _compare_again(now: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> None:
    """The last finished batch is computed again: what no digest sees shows in the logits."""
    if now.shape == before.shape:
        finite = np.isfinite(before)
        if np.array_equal(finite, np.isfinite(now)):
            far = np.abs(now[finite] - before[finite]).max(initial=0.0)
            if far <= _SAME_LOGITS * np.abs(before[finite]).max(initial=1.0):
                return
    _fail(
        "the model answers differently than in the interrupted run",
        "use the same model in the same way, or say restart=True",
    )


def _check_arguments(path: Path, loader: Any, ids: Any, dtype: str) -> None:
    if path.suffix != ".npy":
        _fail(f"{path}: logits are written as .npy", "end the name in .npy")
    if dtype not in ("float32", "float64"):
        _fail(f"dtype {dtype!r} is not known", "wanted 'float32' or 'float64'")
    if getattr(loader, "drop_last", False):
        _fail("the loader leaves out the last examples", "make it with drop_last=False")
    shuffled = type(getattr(loader, "sampler", None)).__name__ == "RandomSampler"
    if shuffled and not (isinstance(ids, (str, int)) or callable(ids)):
        _fail(
            "the loader shuffles, and without ids from its batches no row can be matched again",
            "make it with shuffle=False, or say where the ids are: ids='id'",
        )


@contextmanager
def _evaluating(torch: Any, model: Any) -> Iterator[None]:
    """Evaluation mode without gradients; afterwards every part is in the mode it was in."""
    parts = list(model.modules()) if isinstance(model, torch.nn.Module) else []
    modes = [part.training for part in parts]
    try:
        if parts:
            model.eval()
        with torch.no_grad():
            yield
    finally:
        for part, mode in zip(parts, modes):
            part.training = mode


def _device_of(torch: Any, model: Any, device: Any) -> Any:
    if not isinstance(model, torch.nn.Module):
        return device
    if device is not None:
        model.to(device)
        return device
    first = next(model.parameters(), None)
    return None if first is None else first.device


def _move(torch: Any, batch: Any, device: Any) -> Any:
    if device is None:
        return batch
    if isinstance(batch, torch.Tensor):
        return batch.to(device)
    if isinstance(batch, Mapping):
        return {key: _move(torch, batch[key], device) for key in batch}
    if isinstance(batch, (list, tuple)):
        return [_move(torch, part, device) for part in batch]
    return batch


def _pick(source: Any, where: str | int, what: str, argument: str) -> Any:
    try:
        if isinstance(where, str) and not isinstance(source, Mapping):
            return getattr(source, where)
        return source[where]
    except (AttributeError, KeyError, IndexError, TypeError):
        has = f" with {', '.join(map(str, source))}" if isinstance(source, Mapping) else ""
        _fail(
            f"{what} has no {where!r}; it is a {type(source).__name__}{has}",
            f"{argument}= names a part that is there",
        )


def _model_digest(torch: Any, model: Any) -> str:
    digest = hashlib.blake2b(type(model).__qualname__.encode(), digest_size=16)
    if isinstance(model, torch.nn.Module):
        for name, value in model.state_dict().items():
            digest.update(name.encode())
            _add(torch, digest, value)
    return digest.hexdigest()


def _batch_digest(torch: Any, batch: Any, ids: list[str] | None) -> str:
    digest = hashlib.blake2b(digest_size=16)
    _add(torch, digest, batch)
    _add(torch, digest, ids)
    return digest.hexdigest()


def _add(torch: Any, digest: Any, value: Any) -> None:
    """Adds what tells two values apart; of tensors a sample spread over the whole."""
    if isinstance(value, torch.Tensor):
        digest.update(f"{value.dtype}{tuple(value.shape)}".encode())
        if value.layout != torch.strided or value.is_quantized:
            return
        flat = value.detach().reshape(-1)
        flat = flat[:: max(1, flat.numel() // _SAMPLE)]
        digest.update(flat.contiguous().cpu().view(torch.uint8).numpy().tobytes())
    elif isinstance(value, Mapping):
        for key in value:
            digest.update(repr(key).encode())
            _add(torch, digest, value[key])
    elif isinstance(value, (list, tuple)):
        digest.update(str(len(value)).encode())
        for part in value:
            _add(torch, digest, part)
    elif isinstance(value, np.ndarray):
        _add(torch, digest, torch.from_numpy(np.ascontiguousarray(value)))
    elif isinstance(value, (str, bytes, int, float, bool)) or value is None:
        digest.update(repr(value).encode())
    else:
        digest.update(type(value).__qualname__.encode())


def _count_rows(loader: Any) -> int | None:
    try:
        return len(loader.dataset)
    except (AttributeError, TypeError):
        return None


def _name_of(part: Any) -> str:
    return str(getattr(part, "__qualname__", part))


_shown = 0.0


def _progress_line(done: int, total: int | None) -> None:
    global _shown
    now = time.monotonic()
    if done != total and now - _shown < 0.5:
        return
    _shown = now
    of = "" if total is None else f" of {total:,}"
    sys.stderr.write(f"\rcollect: {done:,}{of} rows" + ("\n" if done == total else ""))
    sys.stderr.flush()


def _import_torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise ImportError(
            "credence.torch needs PyTorch, which is not installed: see https://pytorch.org, or "
            "'pip install torch'"
        ) from error


def _fail(message: str, hint: str, code: str = "usage") -> NoReturn:
    from . import CredenceError

    raise CredenceError(code, message, hint)
