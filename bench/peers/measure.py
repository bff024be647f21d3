"""Runs the workers, one after the other, and holds them to the time limit."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from .contract import Job, Peer

# glibc gives large freed blocks back to the system and takes them anew, page fault by page fault;
# NumPy and PyTorch free and allocate all the time. "kept" tells it to keep them, the kinder figure
# to the others; "default" is what a user sees who has never heard of this.
HEAPS = {
    "kept": {"MALLOC_TRIM_THRESHOLD_": "8589934592", "MALLOC_MMAP_THRESHOLD_": "8589934592"},
    "default": {},
}
THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
SET_UP_SECONDS = 600  # for imports, loading, and bringing the data into the tool's form


@dataclass
class Outcome:
    """What one tool did with one job on one size."""

    job: str
    rows: int
    classes: int
    tool: str
    note: str = ""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Times per heap from the arrays that a user has; ours beside them, taken in turn."""
    ours: dict[str, list[float]] = field(default_factory=dict)
    prepared: dict[str, list[float]] = field(default_factory=dict)
    """The same with the data in the tool's own form beforehand."""
    ours_prepared: dict[str, list[float]] = field(default_factory=dict)
    sums: dict[str, list[float]] = field(default_factory=dict)
    """Times of one plain sum over the data."""
    numbers: dict[str, float] = field(default_factory=dict)
    problem: str = ""
    """Why there is no time: over the limit, absent, failed."""
    limit: float = 0.0

    def time(self, heap: str, prepared: bool = False) -> float | None:
        times = (self.prepared if prepared else self.seconds).get(heap)
        return median(times) if times else None

    def in_sums(self, heap: str, prepared: bool = False) -> float | None:
        """Our time as a multiple of one sum over the data."""
        mine, sums = self.time(heap, prepared), self.sums.get(heap)
        return mine / median(sums) if mine and sums else None

    def ratio(self, heap: str, prepared: bool = False) -> float | None:
        mine = (self.ours_prepared if prepared else self.ours).get(heap)
        theirs = self.time(heap, prepared)
        return theirs / median(mine) if mine and theirs else None


def measure(
    job: Job,
    peer: Peer | None,
    folder: Path,
    size: tuple[int, int],
    *,
    heaps: list[str],
    repeats: int,
    limit: float,
    beside: bool,
) -> Outcome:
    out = Outcome(
        job.name, *size, peer.name if peer else "credence", peer.note if peer else job.note
    )
    out.limit = limit
    for heap in heaps:
        spec = {
            "job": job.name,
            "peer": peer.name if peer else None,
            "folder": str(folder),
            "repeats": repeats,
            "limit": limit,
            "beside": beside,
        }
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
        environment |= THREADS | HEAPS[heap]
        environment["PYTHONPATH"] = os.pathsep.join(
            filter(None, [str(Path(__file__).parents[1]), environment.get("PYTHONPATH")])
        )
        # The folder of a failed import must not be ours: tools leave files where they run.
        with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(
                [sys.executable, "-m", "peers.worker", json.dumps(spec)],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=scratch,
            )
            try:
                _listen(child, out, heap, limit)
            finally:
                child.kill()
                child.wait()
        if out.problem:
            break
    return out


def _listen(child: subprocess.Popen[bytes], out: Outcome, heap: str, limit: float) -> None:
    """Takes in what a worker says until it is done or too slow."""
    assert child.stdout is not None
    pipe = child.stdout.fileno()
    deadline, timing = time.monotonic() + SET_UP_SECONDS, False
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                if not out.seconds.get(heap):
                    out.problem = "over the limit" if timing else "set-up took too long"
                return
            data = os.read(pipe, 65536)
            if not data:
                if not out.seconds.get(heap) and not out.problem:
                    out.problem = f"failed: the process ended with {child.wait()}"
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                said: dict[str, Any] = json.loads(line)
                for name in ("seconds", "prepared", "ours", "ours_prepared", "sums"):
                    if name in said:
                        getattr(out, name).setdefault(heap, []).append(said[name])
                out.numbers |= said.get("numbers", {})
                if "absent" in said:
                    out.problem = f"absent: {said['absent']}"
                if "failed" in said:
                    out.problem = f"failed: {said['failed']}"
                timing = "judging" not in said
                # A repeat may take the limit, once more with prepared data, and Credence beside it
                # has its own share of time.
                deadline = time.monotonic() + (3 * limit if timing else SET_UP_SECONDS)
