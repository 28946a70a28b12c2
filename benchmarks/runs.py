"""What the benchmarks of training share: the text on disk, and runs that are checked."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import zstandard

import results
from trainers import VOCAB_SIZE

Figures = dict[str, Any]

WORK = Path(os.environ.get("SUPERWORD_BENCH", results.FOLDER.parents[1] / "target/bench"))
MODEL = WORK / "model.json"


def corpus(megabytes: int) -> Path:
    """The first so many megabytes of text of the training corpus, as JSON lines on disk."""
    return written(f"train-{megabytes}.jsonl", lambda path: write_corpus(path, megabytes))


def written(name: str, write: Callable[[Path], object]) -> Path:
    """A file in the folder of the benchmarks, written if it is not there yet."""
    path = WORK / name
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{name}.part")
        write(part)
        part.rename(path)
    return path


def write_corpus(path: Path, megabytes: int) -> None:
    """Unpack the first so many megabytes of text of the training corpus."""
    left = megabytes * 1_000_000
    with path.open("w", encoding="utf-8") as file:
        for part in (0, 1):
            with (results.SHARED / f"corpus/train-{part}.jsonl.zst").open("rb") as packed:
                unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
                for line in io.TextIOWrapper(unpacked, encoding="utf-8"):
                    left -= len(json.loads(line)["text"].encode())
                    if left < 0:
                        return
                    file.write(line)


def run(
    name: str,
    text: Path,
    options: Mapping[str, object],
    *,
    python: Path | str = sys.executable,
    reach: int = VOCAB_SIZE,
) -> Figures:
    """Run a trainer in a process of its own; it must reach a vocabulary of a size."""
    script = Path(__file__).with_name("trainers.py")
    command = [str(python), str(script), name, str(text), json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    if figures["tokens"] < reach:
        raise SystemExit(f"{name} reached {figures['tokens']} tokens only")
    return figures


def checked(
    text: Path,
    options: Mapping[str, object],
    repeats: int,
    *,
    expected: str | None = None,
    name: str = "superword",
    reach: int = VOCAB_SIZE,
) -> Figures:
    """The best of several runs of ours on two threads, each of which must save the same model.

    Which model that is, an untimed run on one thread says, unless the caller does.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    options = {"output": str(MODEL), "threads": 2, **options}
    if expected is None:
        run(name, text, {**options, "threads": 1}, reach=reach)
        expected = digest(MODEL)
    runs = []
    for _ in range(repeats):
        runs.append(run(name, text, options, reach=reach))
        if digest(MODEL) != expected:
            raise SystemExit(f"{text.name}, {options}: a timed run saved another model")
    return {**fastest(runs), "model_bytes": MODEL.stat().st_size, "sha256": expected}


def digest(path: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fastest(runs: list[Figures]) -> Figures:
    """The run that took the least time."""
    return min(runs, key=lambda figures: float(figures["seconds"]))
