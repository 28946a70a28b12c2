"""Shared by the benchmarks: the corpora, timing, and training runs whose models are checked."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from benchmark_text import find_work_folder, read_documents
from trainers import VOCAB_SIZE

T = TypeVar("T")
Figures = dict[str, Any]


def find_model_file() -> Path:
    """Return the file of the model that was trained last."""
    return find_work_folder() / "model.json"


def read_evaluation_texts() -> list[str]:
    """Read the documents of the evaluation corpus."""
    return list(read_documents("eval"))


def write_once(name: str, write: Callable[[Path], object]) -> Path:
    """Return a file in the work folder; write it if it does not exist yet."""
    path = find_work_folder() / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{name}.part")
        write(part)
        part.rename(path)
    return path


def prepare_corpus(megabytes: int) -> Path:
    """Return the first megabytes of the training corpus, as JSON lines on disk."""
    return write_once(f"train-{megabytes}.jsonl", lambda path: write_corpus(path, megabytes))


def write_corpus(path: Path, megabytes: int) -> None:
    """Write the first megabytes of text of the training corpus; fail if it has less."""
    left = megabytes * 1_000_000
    with path.open("w", encoding="utf-8") as file:
        for text in read_documents("corpus"):
            left -= len(text.encode())
            if left < 0:
                return
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    # Documents are whole, so our own corpus of 1 GB ends a few bytes before.
    if left > megabytes * 1000:
        found = megabytes - left / 1_000_000
        raise SystemExit(f"the training corpus has {found:.1f} MB, not {megabytes}; pass --size")


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
    model = find_model_file()
    model.parent.mkdir(parents=True, exist_ok=True)
    options = {"output": str(model), "threads": 2, **options}
    if expected is None:
        run_trainer(name, text, {**options, "threads": 1}, min_tokens=min_tokens)
        expected = hash_file(model)
    runs = []
    for _ in range(repeats):
        runs.append(run_trainer(name, text, options, min_tokens=min_tokens))
        if hash_file(model) != expected:
            raise SystemExit(f"{text.name}, {options}: a timed run saved a different model")
    return {**choose_fastest(runs), "model_bytes": model.stat().st_size, "sha256": expected}


def measure_stages(figures: Figures) -> dict[str, float]:
    """Return the seconds of each stage, and of saving the model with the last one."""
    begins = [*figures["begins"].items(), ("", figures["seconds"])]
    return {name: end - begin for (name, begin), (_, end) in pairwise(begins)}


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def choose_fastest(runs: list[Figures]) -> Figures:
    """Return the run with the shortest time."""
    return min(runs, key=lambda figures: float(figures["seconds"]))
