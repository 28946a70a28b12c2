"""How long training takes, from files on disk to a saved model, beside plain-BPE trainers.

    python benchmarks/train.py --size 1000 --repeats 3

Every run is a process of its own, and what it saves is compared, by hash, with what an untimed run
on one thread saved. The peers are the newest releases, in an environment of the benchmark's own;
each trains a plain BPE of the same size on the same text, and must reach that size.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zstandard

import results
from superword.patterns import NAMED_PATTERNS
from trainers import VOCAB_SIZE

Figures = dict[str, Any]

WORK = Path(os.environ.get("SUPERWORD_BENCH", results.FOLDER.parents[1] / "target/bench"))
PEERS = WORK / "peers"
PEER_NAMES = ["gigatoken", "rustbpe", "tokenizers"]
OUR_RUNS: dict[str, dict[str, object]] = {
    "BoundlessBPE, gpt4o": {"pattern": "gpt4o"},
    "BoundlessBPE, boundless": {"pattern": "boundless"},
    "plain BPE, gpt4o": {"pattern": "gpt4o", "supermerges": False, "deletion": None},
}


def corpus(megabytes: int) -> Path:
    """The first so many megabytes of text of the training corpus, as JSON lines on disk."""
    path = WORK / f"train-{megabytes}.jsonl"
    if path.exists():
        return path
    WORK.mkdir(parents=True, exist_ok=True)
    left = megabytes * 1_000_000
    with path.with_suffix(".part").open("w", encoding="utf-8") as file:
        for part in (0, 1):
            with (results.SHARED / f"corpus/train-{part}.jsonl.zst").open("rb") as packed:
                unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
                for line in io.TextIOWrapper(unpacked, encoding="utf-8"):
                    left -= len(json.loads(line)["text"].encode())
                    if left >= 0:
                        file.write(line)
    path.with_suffix(".part").rename(path)
    return path


def run(python: Path | str, name: str, text: Path, options: Mapping[str, object]) -> Figures:
    """Run a trainer in a process of its own."""
    script = Path(__file__).with_name("trainers.py")
    command = [str(python), str(script), name, str(text), json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    if figures["tokens"] < VOCAB_SIZE:
        raise SystemExit(f"{name} reached {figures['tokens']} tokens only")
    return figures


def peers() -> dict[str, str]:
    """Install the peers, and give their versions."""
    if not PEERS.exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
    pip = [str(PEERS / "bin/python"), "-m", "pip"]
    subprocess.run([*pip, "install", "--quiet", "--upgrade", *PEER_NAMES], check=True)
    listed = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True)
    found = {package["name"]: package["version"] for package in json.loads(listed.stdout)}
    return {name: found[name] for name in PEER_NAMES}


def digest(path: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ours(name: str, text: Path, repeats: int) -> Figures:
    """The best of several runs of one kind of training, each checked."""
    model = WORK / "model.json"
    options = {**OUR_RUNS[name], "output": str(model)}
    run(sys.executable, "superword", text, {**options, "threads": 1})
    expected = digest(model)
    runs = []
    for _ in range(repeats):
        runs.append(run(sys.executable, "superword", text, {**options, "threads": 2}))
        if digest(model) != expected:
            raise SystemExit(f"{name}: a timed run saved another model")
    return {**fastest(runs), "model_bytes": model.stat().st_size, "sha256": expected}


def fastest(runs: list[Figures]) -> Figures:
    """The run that took the least time."""
    return min(runs, key=lambda figures: float(figures["seconds"]))


def stages(figures: Figures) -> str:
    """How long each stage took."""
    begins = [*figures["begins"].items(), ("", figures["seconds"])]
    pairs = zip(begins, begins[1:], strict=False)
    return ", ".join(f"{name} {end - begin:.1f}" for (name, begin), (_, end) in pairs)


def main() -> None:
    """Measure, check, write the results."""
    parser = argparse.ArgumentParser(description="Measure training.")
    parser.add_argument("--size", type=int, nargs="+", default=[100, 300, 1000], metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--peers", nargs="*", default=PEER_NAMES, choices=PEER_NAMES)
    options = parser.parse_args()
    versions = peers()
    figures: dict[str, Any] = {}
    rows: list[list[object]] = [["corpus", "trainer", "seconds", "of gigatoken", "GB", "stages"]]
    for size in options.size:
        text = corpus(size)
        measured = {name: ours(name, text, options.repeats) for name in OUR_RUNS}
        for name in options.peers:
            python = PEERS / "bin/python"
            regex = {"regex": NAMED_PATTERNS["gpt4o"]}
            runs = [run(python, name, text, regex) for _ in range(options.repeats)]
            measured[f"{name} {versions[name]}"] = fastest(runs)
        figures[f"{size} MB"] = measured
        base = next((f["seconds"] for n, f in measured.items() if n.startswith("gigatoken")), None)
        for name, found in measured.items():
            ratio = "-" if base is None else f"{found['seconds'] / base:.2f}"
            detail = stages(found) if "begins" in found else ""
            seconds, memory = f"{found['seconds']:.1f}", f"{found['gigabytes']:.2f}"
            rows.append([f"{size} MB", name, seconds, ratio, memory, detail])
    results.save(
        "train",
        "Training, two threads, vocabulary 131,072",
        {"peers": versions, "sizes": figures},
        [
            f"From JSON lines on disk to a saved model, best of {options.repeats}; the peers train "
            "a plain BPE with the pattern of their fastest way in. `GB` is peak resident memory.",
            results.table(rows),
        ],
    )


if __name__ == "__main__":
    main()
