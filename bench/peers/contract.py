"""What a job says about itself, and about those who can do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .problem import Problem

Answer = dict[str, Any]
Run = Callable[[], Answer]

SCORES_AND_COUNTS = ("counts", "probs", "log_probs")
"""What a user has to fit with. Logits are always there; who wants probabilities is given them."""


@dataclass(frozen=True)
class Peer:
    """A tool and how it does the job.

    `prepare` brings the data into the tool's own form and returns what does the job. From arrays
    both are timed, prepared only the second.
    """

    name: str
    package: str
    prepare: Callable[[Problem], Run]
    note: str = ""


@dataclass(frozen=True)
class Job:
    name: str
    title: str
    given: tuple[str, ...]
    """The arrays that a user has; whatever else of the problem a tool needs it makes from these."""
    ours: Callable[[Problem], Run]
    """The arrays as they are, in one call."""
    ours_prepared: Callable[[Problem], Run] | None
    """The same with a Dataset; nothing where taking in the data is the job."""
    peers: list[Peer]
    judge: Callable[[Problem, Answer], dict[str, float]]
    """Numbers that say how good an answer is, computed in float64 by plain NumPy."""
    verdict: Callable[[dict[str, float], list[dict[str, float]]], str]
    """From the numbers of one answer and those of all to a few words."""
    note: str = ""
    """What to know about Credence's own time."""
    limit: str = ""
    """What keeps Credence from being faster."""
    summed: tuple[str, ...] = ("logits",)
    """The arrays whose plain sum is the yardstick: no job on them can be done in less time."""
    skip: dict[tuple[int, int], str] = field(default_factory=dict)
    """Sizes that are left out unless they are asked for, with the reason."""


def packages(peer: Peer) -> list[str]:
    """The modules that a peer imports."""
    return peer.package.split()
