"""Train on a local Spark cluster with two workers, and kill one of them during the job.

Prints as JSON what happened, and whether the model has the same bytes as one trained without Spark.

    python scripts/kill_a_worker.py --folder /tmp/kill --megabytes 20 > benchmarks/results/kill.json
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import superword
from superword import spark

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

FILES = 16
VOCAB_SIZE = 2000


def main() -> None:
    """Train, kill a worker, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--megabytes", type=int, default=20)
    given = parser.parse_args()
    corpus = write_corpus(given.folder, given.megabytes)
    expected = superword.train(corpus, VOCAB_SIZE)
    cluster = Cluster(given.folder)
    try:
        session = cluster.open_session()
        found = train_and_kill(session, cluster, corpus, expected)
        session.stop()
    finally:
        cluster.stop()
    print(json.dumps(found, indent=2))
    sys.exit(0 if found["killed"] and found["is_same_model"] else 1)


def write_corpus(folder: Path, megabytes: int) -> Path:
    """Write the bundled novels to several files, repeated up to a size."""
    documents = list(superword.sample())
    corpus = folder / "corpus"
    corpus.mkdir()
    size, number = 0, 0
    files = [(corpus / f"{index:02}.jsonl").open("w") for index in range(FILES)]
    while size < megabytes * 1_000_000:
        text = documents[number % len(documents)]
        files[number % FILES].write(json.dumps({"text": text}) + "\n")
        size += len(text)
        number += 1
    for file in files:
        file.close()
    return corpus


class Cluster:
    """A master and two workers on loopback, each in its own process group."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self._home = Path(pyspark.__file__).parent
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.url = f"spark://127.0.0.1:{self._port}"
        self._master = self._start("master.Master", "--port", str(self._port))
        self.workers = [
            self._start("worker.Worker", "--cores", "1", "--memory", "1g", self.url)
            for _ in range(2)
        ]

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / "cluster.log").open("ab")
        network = ["--host", "127.0.0.1", "--webui-port", "0"]
        folders = ["--work-dir", str(self._folder / "work")] if "Worker" in name else []
        command = [str(self._home / "bin/spark-class"), f"org.apache.spark.deploy.{name}"]
        return subprocess.Popen(
            [*command, *network, *folders, *arguments],
            env={**os.environ, "SPARK_HOME": str(self._home), "SPARK_LOCAL_IP": "127.0.0.1"},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def open_session(self) -> SparkSession:
        """Open a session, and wait until both workers have an executor."""
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        builder = SparkSession.builder.master(self.url).appName("kill a worker")
        for name, value in {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": "4",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        end = time.monotonic() + 120
        while count_executors(session.sparkContext) < 2:
            if time.monotonic() > end:
                raise SystemExit(f"the workers did not start; see {self._folder}/cluster.log")
            time.sleep(0.1)
        return session

    def stop(self) -> None:
        """Kill the master and the workers."""
        for process in [*self.workers, self._master]:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its process group, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def count_executors(context: SparkContext) -> int:
    """Return the number of executors, without the driver."""
    jvm: Any = context._jsc
    return len(jvm.sc().statusTracker().getExecutorInfos()) - 1


def train_and_kill(
    session: SparkSession, cluster: Cluster, corpus: Path, expected: superword.Tokenizer
) -> dict[str, Any]:
    """Train, kill a worker while a stage has finished some of its tasks, and compare the model."""
    context = session.sparkContext
    workers = count_executors(context)
    killed: dict[str, int] = {}
    is_done = threading.Event()

    def watch() -> None:
        tracker = context.statusTracker()
        while not is_done.wait(0.01):
            for number in tracker.getActiveStageIds():
                stage = tracker.getStageInfo(number)
                if stage and 0 < stage.numCompletedTasks < stage.numTasks and stage.numTasks > 4:
                    kill(cluster.workers[0])
                    killed.update(done=stage.numCompletedTasks, tasks=stage.numTasks)
                    return

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.monotonic()
    passed: list[spark.Passed] = []
    try:
        files = session.read.schema("text string").json(str(corpus))
        texts = files.repartition(FILES, "text")
        trained = spark.train(texts, VOCAB_SIZE, report=passed.append)
    finally:
        is_done.set()
        watcher.join()
    return {
        "bytes": passed[0].bytes,
        "pretokens": passed[0].pretokens,
        "rows_shuffled": {one.stage: one.rows for one in passed},
        "workers": workers,
        "killed": bool(killed),
        "killed_when": killed,
        "executors_in_the_end": count_executors(context),
        "seconds": round(time.monotonic() - start, 1),
        "is_same_model": trained._model.to_json() == expected._model.to_json(),
        "fingerprint": trained.fingerprint,
    }


if __name__ == "__main__":
    main()
