"""The data that everybody is given: over-confident logits and five votes per example."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

VOTES, SEED, BLOCK = 5, 20240601, 10_000


def make(folder: Path, rows: int, classes: int) -> None:
    """Writes logits.npy and labels.npy: the answer of each of five annotators.

    The annotators answer from softmax(u); the model sees u through some noise and shouts: its
    logits are 2.2 times too large. The boost of one class per example keeps answers to two or
    three distinct ones, for any number of classes.
    """
    rng = np.random.default_rng(SEED)
    logits = np.lib.format.open_memmap(
        folder / "logits.npy", mode="w+", dtype=np.float32, shape=(rows, classes)
    )
    labels = np.empty((rows, VOTES), np.uint16)
    for first in range(0, rows, BLOCK):
        size = min(BLOCK, rows - first)
        u = rng.standard_normal((size, classes), np.float32)
        u[np.arange(size), rng.integers(classes, size=size)] += np.float32(np.log(classes) + 1.5)
        edges = np.exp(u).cumsum(axis=1)
        edges /= edges[:, -1:]
        for vote in range(VOTES):
            drawn = (rng.random((size, 1), np.float32) > edges).sum(axis=1)
            labels[first : first + size, vote] = np.minimum(drawn, classes - 1)
        noise = rng.standard_normal((size, classes), np.float32)
        logits[first : first + size] = 2.2 * (u + 0.3 * noise)
    logits.flush()
    np.save(folder / "labels.npy", labels)


@dataclass
class Problem:
    """Logits and votes, in the forms that the tools want; each is made when first asked for."""

    logits: np.ndarray
    labels: np.ndarray

    @classmethod
    def load(cls, folder: Path) -> Problem:
        return cls(np.load(folder / "logits.npy"), np.load(folder / "labels.npy"))

    def head(self, rows: int) -> Problem:
        return Problem(self.logits[:rows].copy(), self.labels[:rows].copy())

    def only(self, given: tuple[str, ...]) -> Problem:
        """The same with these forms made, and no other."""
        fresh = Problem(self.logits, self.labels)
        for name in given:
            fresh.__dict__[name] = getattr(self, name)
        return fresh

    @property
    def rows(self) -> int:
        return self.logits.shape[0]

    @property
    def classes(self) -> int:
        return self.logits.shape[1]

    @cached_property
    def counts(self) -> np.ndarray:
        counts = np.zeros(self.logits.shape, np.float32)
        for vote in range(VOTES):
            counts[np.arange(self.rows), self.labels[:, vote]] += 1
        return counts

    @cached_property
    def shares(self) -> np.ndarray:
        return self.counts / np.float32(VOTES)

    @cached_property
    def voted(self) -> np.ndarray:
        return self.counts.argmax(axis=1)

    @cached_property
    def log_probs(self) -> np.ndarray:
        """log softmax in float32, by way of float64."""
        out = np.empty_like(self.logits)
        for rows in self.blocks():
            z = self.logits[rows].astype(np.float64)
            z -= z.max(axis=1, keepdims=True)
            out[rows] = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        return out

    @cached_property
    def probs(self) -> np.ndarray:
        return np.exp(self.log_probs)

    @cached_property
    def top(self) -> np.ndarray:
        return self.logits.argmax(axis=1)

    @cached_property
    def confidence(self) -> np.ndarray:
        return self.probs[np.arange(self.rows), self.top]

    @cached_property
    def top_share(self) -> np.ndarray:
        """The share of annotators who agree with the model."""
        return self.shares[np.arange(self.rows), self.top]

    def one_row_per_answer(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, classes and weights of the votes, for tools that know only hard labels."""
        row, label = np.nonzero(self.counts)
        return row, label, self.shares[row, label]

    def blocks(self) -> list[slice]:
        return [slice(i, min(i + BLOCK, self.rows)) for i in range(0, self.rows, BLOCK)]
