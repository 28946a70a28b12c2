"""Shared by the benchmarks: the corpora, timing, and training runs whose models are checked."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import zstandard

import results
from trainers import VOCAB_SIZE

T = TypeVar("T")
Figures = dict[str, Any]

WORK = Path(os.environ.get("SUPERWORD_BENCH", results.FOLDER.parents[1] / "target/bench"))
MODEL = WORK / "model.json"


def read_lines(name: str) -> Iterator[str]:
    """Yield the JSON lines of a file of the shared corpus."""
    with (results.SHARED / f"corpus/{name}.jsonl.zst").open("rb") as packed:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
        yield from io.TextIOWrapper(unpacked, encoding="utf-8")


def read_evaluation_texts() -> list[str]:
    """Read the documents of the evaluation corpus."""
    return [json.loads(line)["text"] for line in read_lines("eval")]


def write_once(name: str, write: Callable[[Path], object]) -> Path:
    """Return a file in the work folder; write it if it does not exist yet."""
    path = WORK / name
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{name}.part")
        write(part)
        part.rename(path)
    return path


def prepare_corpus(megabytes: int) -> Path:
    """Return the first megabytes of the training corpus, as JSON lines on disk."""
    return write_once(f"train-{megabytes}.jsonl", lambda path: write_corpus(path, megabytes))


def write_corpus(path: Path, megabytes: int) -> None:
    """Decompress the first megabytes of text of the training corpus."""
    left = megabytes * 1_000_000
    with path.open("w", encoding="utf-8") as file:
        for name in ("train-0", "train-1"):
            for line in read_lines(name):
                left -= len(json.loads(line)["text"].encode())
                if left < 0:
                    return
                file.write(line)


def time_best(repeats: int, run: Callable[[], T]) -> tuple[float, T]:
    """Return the shortest time of several runs, in seconds, and the result of the last run."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return min(times), result


def run_trainer(
    name: str,
    text: Path,
    options: Mapping[str, object],
    *,
    python: Path | str = sys.executable,
    min_tokens: int = VOCAB_SIZE,
) -> Figures:
    """Run a trainer in a separate process; fail if it ends with fewer tokens."""
    script = Path(__file__).with_name("trainers.py")
    command = [str(python), str(script), name, str(text), json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    if figures["tokens"] < min_tokens:
        raise SystemExit(f"{name} reached only {figures['tokens']} tokens")
    return figures


def measure_training(
    text: Path,
    options: Mapping[str, object],
    repeats: int,
    *,
    expected: str | None = None,
    name: str = "superword",
    min_tokens: int = VOCAB_SIZE,
) -> Figures:
    """Return the best of several runs of superword on two threads.

    Each run must save the expected model. Without an expected hash, an untimed run on one thread
    provides it.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    options = {"output": str(MODEL), "threads": 2, **options}
    if expected is None:
        run_trainer(name, text, {**options, "threads": 1}, min_tokens=min_tokens)
        expected = hash_file(MODEL)
    runs = []
    for _ in range(repeats):
        runs.append(run_trainer(name, text, options, min_tokens=min_tokens))
        if hash_file(MODEL) != expected:
            raise SystemExit(f"{text.name}, {options}: a timed run saved a different model")
    return {**choose_fastest(runs), "model_bytes": MODEL.stat().st_size, "sha256": expected}


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def choose_fastest(runs: list[Figures]) -> Figures:
    """Return the run with the shortest time."""
    return min(runs, key=lambda figures: float(figures["seconds"]))
