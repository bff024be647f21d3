"""A Spark cluster on this machine: a master and two workers, each with executors of its own.

All of it listens on the loopback device only, and is gone after the tests.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import SparkSession

import credence

ROWS = int(os.environ.get("CREDENCE_SPARK_ROWS", "1000000"))
CLASSES = 10
FILES = 8
HOST = "127.0.0.1"
# Every method of the table, and two stages; auto, which is many fits, is for fewer rows.
METHODS = [one["id"] for one in credence.methods() if not one["id"].startswith("auto")]
METHODS.append("dirichlet-soft then ts")
# Those that ask more often than this are fitted in one of the divisions alone, unless
# CREDENCE_SPARK_SLOW says that there is time: all methods share passes, so the slowest counts.
QUICK_PASSES = 30
SLOW_EVERYWHERE = os.environ.get("CREDENCE_SPARK_SLOW") == "1"


def end_with_parent() -> None:
    """No daemon stays behind when the tests are killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Cluster:
    """Daemons that were started here, and nothing else, are stopped or killed here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"spark://{HOST}:{free_port()}"
        self.processes: list[subprocess.Popen[bytes]] = []
        port = self.url.rsplit(":", 1)[1]
        self.start("master", "Master", "--host", HOST, "--port", port, "--webui-port", "0")
        self.workers = [
            self.start(
                f"worker{i}",
                "Worker",
                *("--host", HOST, "--webui-port", "0", "--cores", "1", "--memory", "1g"),
                *("--work-dir", str(folder / f"work{i}"), self.url),
            )
            for i in range(2)
        ]

    def start(self, name: str, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        home = Path(pyspark.__file__).parent
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_DAEMON_MEMORY": "192m",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
        }
        program = [
            str(home / "bin" / "spark-class"),
            f"org.apache.spark.deploy.{kind.lower()}.{kind}",
        ]
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                [*program, *arguments],
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        self.processes.append(process)
        return process

    def executors(self) -> list[int]:
        """Processes of executors, children of our workers."""
        ours = {worker.pid for worker in self.workers}
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                words = (entry / "cmdline").read_bytes()
            except OSError:  # it has ended
                continue
            if parent in ours and b"CoarseGrainedExecutorBackend" in words:
                found.append(int(entry.name))
        return found

    def kill_executor(self) -> int:
        pid = self.executors()[0]
        os.kill(pid, signal.SIGKILL)
        return pid

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def spark(cluster):
    os.environ["SPARK_LOCAL_IP"] = HOST
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master(cluster.url)
        .config("spark.driver.host", HOST)
        .config("spark.driver.bindAddress", HOST)
        .config("spark.driver.memory", "1g")
        .config("spark.executor.memory", "640m")
        .config("spark.executor.cores", "1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.files.maxPartitionBytes", "16m")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    for _ in range(100):
        if len(cluster.executors()) == 2:
            break
        time.sleep(0.2)
    yield session
    session.stop()


def lists(matrix):
    rows, width = matrix.shape
    offsets = pa.array(np.arange(rows + 1) * width, pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(matrix.reshape(-1)))


class Data:
    """Logits and the votes of eight annotators, in order here, and shuffled in files."""

    def __init__(self, rows: int, folder: Path) -> None:
        source = np.random.default_rng(20240607)
        self.logits = (3 * source.normal(size=(rows, CLASSES))).astype(np.float32)
        chances = np.exp(self.logits / 2 + source.normal(size=CLASSES) / 2)
        chances = np.cumsum(chances / chances.sum(1, keepdims=True), axis=1)
        self.votes = np.zeros((rows, CLASSES), np.int32)
        for _ in range(8):
            drawn = (source.random((rows, 1)) > chances).sum(1).clip(0, CLASSES - 1)
            self.votes[np.arange(rows), drawn] += 1
        self.folder = folder
        shuffled = source.permutation(rows)
        for i, part in enumerate(np.array_split(shuffled, FILES)):
            table = pa.table(
                {
                    "row": pa.array(part),
                    "logits": lists(self.logits[part]),
                    "counts": lists(self.votes[part]),
                }
            )
            pq.write_table(table, folder / f"{i}.parquet")


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    return Data(ROWS, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    return Data(5000, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def local(data):
    """The calibrators of the local program, by method."""
    dataset = credence.Dataset(data.logits, data.votes, input="logits")
    return {method: credence.fit(method, dataset).to_json() for method in METHODS}


def quick(local):
    """The methods that need few passes."""
    stages = {method: json.loads(local[method])["stages"] for method in METHODS}
    passes = {method: sum(one["report"]["passes"] for one in stages[method]) for method in METHODS}
    return [method for method in METHODS if passes[method] <= QUICK_PASSES]
