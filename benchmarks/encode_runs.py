"""Runs of encoders, each in a process of its own: their models, their texts, their figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import superword
from benchmark_text import find_work_folder
from harness import Figures, prepare_corpus, read_evaluation_texts, write_once
from train import PYTHON, install_peers

# A slower encoder, in MB/s, is run only once.
MIN_SPEED = 5
VOCAB_SIZE = 131_072
BOUNDLESS, PLAIN = "superword, BoundlessBPE", "superword, plain BPE"
SPEEDS = ["first", "unseen", "seen"]
PEERS = {
    "gigatoken": "plain.tokenizer.json",
    "fastokens": "plain.tokenizer.json",
    "tiktoken": "plain.tiktoken",
    "tokenizers": "plain.tokenizer.json",
}


class Encoder(NamedTuple):
    """The Python interpreter that runs an encoder, its name, and its model."""

    python: Path | str
    name: str
    model: Path


class Halves(NamedTuple):
    """Two files, each with a list of texts."""

    first: Path
    second: Path


def prepare_halves() -> Halves:
    """Return the evaluation corpus in two halves."""

    def write(path: Path) -> None:
        texts = read_evaluation_texts()
        half = len(texts) // 2
        chosen = texts[:half] if path.name.startswith("eval-0") else texts[half:]
        path.write_text(json.dumps(chosen), encoding="utf-8")

    return Halves(write_once("eval-0.json", write), write_once("eval-1.json", write))


def prepare_models(megabytes: int) -> tuple[Path, Path]:
    """Train both models, and export the plain one in the formats of the peers."""
    text = prepare_corpus(megabytes)

    def train(path: Path, **options: Any) -> None:
        superword.train(text, VOCAB_SIZE, pattern="gpt4o", **options).save(path)

    boundless = write_once(
        f"encode-{megabytes}.json", lambda path: train(path, max_superwords=None)
    )
    plain = write_once(
        f"encode-plain-{megabytes}.json",
        lambda path: train(path, supermerges=False, deletion=None),
    )
    tok = superword.load(plain)
    superword.export(tok, find_work_folder() / "plain.tokenizer.json", "tokenizer.json")
    superword.export(tok, find_work_folder() / "plain.tiktoken", "tiktoken")
    return boundless, plain


def line_up(
    megabytes: int, peers: Sequence[str] = tuple(PEERS)
) -> tuple[dict[str, Encoder], dict[str, str]]:
    """Return the encoders by name, superword's first, and the versions of the peers."""
    versions = install_peers(["numpy", *PEERS])
    boundless, plain = prepare_models(megabytes)
    encoders = {
        BOUNDLESS: Encoder(sys.executable, "superword", boundless),
        PLAIN: Encoder(sys.executable, "superword", plain),
    }
    for name in peers:
        encoders[f"{name} {versions[name]}"] = Encoder(
            PYTHON, name, find_work_folder() / PEERS[name]
        )
    return encoders, versions


def start_script(
    script: str, encoder: Encoder, *arguments: object, cores: int = 1
) -> subprocess.Popen[str]:
    """Start a script with an encoder, on a number of cores and with as many threads."""
    path = Path(__file__).with_name(script)
    command = [encoder.python, path, encoder.name, encoder.model, *arguments]
    limits = {"RAYON_NUM_THREADS": str(cores), "TOKENIZERS_PARALLELISM": str(cores > 1).lower()}
    return subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | limits,
        preexec_fn=lambda: os.sched_setaffinity(0, range(cores)),
    )


def start_encoder(encoder: Encoder, texts: Halves, cores: int = 1) -> subprocess.Popen[str]:
    """Start an encoder on two halves of texts."""
    return start_script("encoders.py", encoder, *texts, cores, cores=cores)


def wait_for_figures(process: subprocess.Popen[str]) -> Figures:
    """Wait for an encoder, and return its figures."""
    output, _ = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"{process.args!r} failed")
    figures: Figures = json.loads(output.strip().splitlines()[-1])
    return figures


def combine_runs(runs: Sequence[Figures]) -> Figures:
    """Return the best speeds of several runs, which must give the same ids."""
    if any(figures["sha256"] != runs[0]["sha256"] for figures in runs):
        raise SystemExit("two runs gave different ids")
    speeds = {speed: max(figures[speed] for figures in runs) for speed in SPEEDS}
    times = {name: min(figures[name] for figures in runs) for name in ("load", "10 KB")}
    return {**runs[0], **speeds, **times}


def measure_speeds(
    encoders: Mapping[str, Encoder], texts: Halves, repeats: int
) -> dict[str, Figures]:
    """Return the best speeds of encoders; they alternate, so that machine noise hits all alike.

    All plain BPEs must give the same ids.
    """
    runs: dict[str, list[Figures]] = {name: [] for name in encoders}
    for turn in range(repeats):
        for name, encoder in encoders.items():
            if turn == 0 or runs[name][0]["seen"] > MIN_SPEED:
                runs[name].append(wait_for_figures(start_encoder(encoder, texts)))
    measured = {name: combine_runs(found) for name, found in runs.items()}
    plain_ids = {str(found["sha256"]) for name, found in measured.items() if name != BOUNDLESS}
    if len(plain_ids) > 1:
        raise SystemExit("the plain BPEs give different ids")
    return measured
