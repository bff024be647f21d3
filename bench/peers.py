#!/usr/bin/env python3
"""Credence beside the tools that people use today: time, and whose answer is right.

    make bench-peers                         # in an environment of its own, everything
    bench/peers.py --quick                   # small sizes, to see that it works
    bench/peers.py --tasks temperature,ece --sizes 10000x10,100000x100 --format markdown

Every tool gets the same data and one thread, runs in a process of its own, and takes turns with
Credence there. Tools that are not installed are left out and named. A tool whose single run takes
longer than --limit seconds is stopped and reported as such.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

try:
    import credence
except ImportError:
    sys.exit("peers: the Python package of Credence is not installed: 'pip install .'")

from peers import machine, page, problem
from peers.contract import Job, packages
from peers.jobs import JOBS
from peers.measure import HEAPS, Outcome, measure
from peers.table import FORMATS, cells, title

SIZES = [(10_000, 10), (1_000_000, 10), (100_000, 100), (50_000, 1_000)]
QUICK = [(2_000, 10), (1_000, 100)]


def size_of(text: str) -> tuple[int, int]:
    rows, _, classes = text.lower().replace("_", "").partition("x")
    try:
        size = int(rows), int(classes)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size like 10000x10") from None
    if size[0] < 1000 or size[1] < 2:
        raise argparse.ArgumentTypeError(f"'{text}': at least 1,000 rows and two classes")
    return size


def tasks_of(text: str) -> list[Job]:
    names = text.split(",")
    for name in names:
        if name not in JOBS:
            raise argparse.ArgumentTypeError(f"'{name}' is not one of {', '.join(JOBS)}")
    return [JOBS[name] for name in names]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    listed = ",".join(f"{rows}x{classes}" for rows, classes in SIZES)
    parser.add_argument(
        "--sizes",
        type=lambda text: [size_of(part) for part in text.split(",")],
        help=f"rows x classes, separated by commas ({listed})",
    )
    parser.add_argument(
        "--tasks", type=tasks_of, default=list(JOBS.values()), help=f"any of {','.join(JOBS)} (all)"
    )
    parser.add_argument("--peers", help="only tools whose name contains this")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each tool (5)")
    parser.add_argument("--limit", type=float, default=150, help="seconds for one run (150)")
    parser.add_argument(
        "--heap", choices=[*HEAPS, "both"], default="both", help="how malloc is set up (both)"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, two runs, 20 seconds")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("-o", "--output", type=Path, help="file to write to (standard output)")
    parser.add_argument(
        "--page", type=Path, help="a page with marks to write its tables between; the heap is kept"
    )
    args = parser.parse_args()
    if args.quick:
        args.repeats, args.limit = min(args.repeats, 2), min(args.limit, 20)
    args.asked = args.sizes is not None
    args.sizes = args.sizes or (QUICK if args.quick else SIZES)
    args.heaps = list(HEAPS) if args.heap == "both" else [args.heap]
    if args.page:
        args.heaps = [page.HEAP]
    if args.repeats < 1 or args.limit <= 0:
        parser.error("--repeats and --limit must be positive")
    return args


def run(args: argparse.Namespace, skipped: list[str]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for size in args.sizes:
        with tempfile.TemporaryDirectory(prefix="credence-peers-") as folder:
            jobs = []
            for job in args.tasks:
                if size in job.skip and not args.asked:
                    skipped.append(f"{job.title}, {size[0]:,} x {size[1]:,}: {job.skip[size]}")
                else:
                    jobs.append(job)
            if jobs:
                problem.make(Path(folder), *size)
            for job in jobs:
                group: list[Outcome] = []
                for peer in [None, *job.peers]:
                    if peer and args.peers and args.peers.lower() not in peer.name.lower():
                        continue
                    outcome = measure(
                        job,
                        peer,
                        Path(folder),
                        size,
                        heaps=args.heaps,
                        repeats=args.repeats,
                        limit=args.limit,
                        beside=bool(group and not group[0].problem),
                    )
                    group.append(outcome)
                    shown = " | ".join(cells(outcome, group)[:5])
                    print(f"peers: {title(outcome)}: {shown}", file=sys.stderr, flush=True)
                outcomes += group
    # One table per job, whatever the order of running.
    order = list(JOBS)
    return sorted(outcomes, key=lambda outcome: order.index(outcome.job))


def main() -> int:
    args = parse()
    modules = {module for job in args.tasks for peer in job.peers for module in packages(peer)}
    skipped: list[str] = []
    context = {
        "machine": machine.describe(),
        "versions": {"credence": credence.__version__, **machine.versions(sorted(modules))},
        "repeats": args.repeats,
        "limit": args.limit,
        "skipped": skipped,
    }
    outcomes = run(args, skipped)
    text = FORMATS[args.format](outcomes, context) + "\n"
    if args.page:
        page.update(args.page, outcomes, context)
    if args.output:
        args.output.write_text(text)
    else:
        sys.stdout.write(text)
    # A peer may be absent or fail. Credence may not.
    broken = [outcome for outcome in outcomes if outcome.tool == "credence" and outcome.problem]
    for outcome in broken:
        print(f"peers: credence: {title(outcome)}: {outcome.problem}", file=sys.stderr)
    return 1 if any(not o.problem.startswith("over") for o in broken) else 0


if __name__ == "__main__":
    sys.exit(main())
