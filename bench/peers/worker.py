"""One tool doing one job on one size, in a process of its own, beside Credence.

    python -m peers.worker '{"job": "ece", "peer": "NumPy", "folder": "...", ...}'

Says what it has to say as JSON lines on standard output. The tool and Credence take turns, so that
what slows the machine down for a while slows down both.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

LONG_ENOUGH, MOST_TIMES = 0.4, 25  # seconds, runs
WARM_UP_ROWS = 200  # enough for first-time set-up: imports, thread pools, lazily made tables


def say(**what: Any) -> None:
    print(json.dumps(what), file=PIPE, flush=True)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """How long it takes; a short job is done several times, or what ran before it would count: caches
    that another tool has filled, memory that the system gives for the first time. The first run does
    not count then, and no answer is kept while the next is made."""
    times: list[float] = []
    answer = None
    while not times or (sum(times) < LONG_ENOUGH and len(times) < MOST_TIMES):
        answer = None
        start = time.perf_counter()
        answer = run()
        times.append(time.perf_counter() - start)
    return median(times[1:] or times), answer


def work(spec: dict[str, Any]) -> None:
    from .jobs import JOBS
    from .problem import Problem

    job = JOBS[spec["job"]]
    peer = next((peer for peer in job.peers if peer.name == spec["peer"]), None)
    problem = Problem.load(Path(spec["folder"]))
    small = problem.head(WARM_UP_ROWS)
    with_ours = peer is None or spec["beside"]
    if with_ours:
        job.ours(small)()
    if peer is not None:
        peer.prepare(small)()
    problem = problem.only(job.given)
    runs = dict[str, Callable[[], Any]]()
    if peer is None:
        arrays = [getattr(problem, name) for name in job.summed]
        runs = {"seconds": job.ours(problem), "sums": lambda: [array.sum() for array in arrays]}
    else:
        # Whatever the tool needs beyond what it is given is made anew each time.
        runs = {"seconds": lambda: peer.prepare(problem.only(job.given))()}
        if with_ours:
            runs["ours"] = job.ours(problem)
    if job.ours_prepared is not None:
        if peer is None:
            runs["prepared"] = job.ours_prepared(problem)
        else:
            runs["prepared"] = peer.prepare(problem.only(job.given))
            if with_ours:
                runs["ours_prepared"] = job.ours_prepared(problem)
    say(ready=True)

    spent, done, answer = 0.0, 0, None
    while done < spec["repeats"] and (done == 0 or spent < spec["limit"]):
        times = dict[str, float]()
        for name, run in runs.items():
            if name == "seconds":
                answer = None
            times[name], found = timed(run)
            answer = found if name == "seconds" else answer
            del found
        say(**times)
        spent, done = spent + times["seconds"], done + 1
    say(judging=True)
    say(numbers=job.judge(problem, answer))


def main() -> None:
    warnings.simplefilter("ignore")
    try:
        work(json.loads(sys.argv[1]))
    except ImportError as error:
        say(absent=error.name or str(error))
    except Exception as error:
        traceback.print_exc()
        say(failed=f"{type(error).__name__}: {error}".splitlines()[0][:200])


if __name__ == "__main__":
    # Tools print to standard output as well; keep the pipe to ourselves.
    PIPE = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    main()
