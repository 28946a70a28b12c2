"""Measure the time from files on disk to a saved model, and compare it with plain-BPE trainers.

    python benchmarks/train.py --size 1000 --repeats 3

Every run is a separate process, and its model must have the hash of that of an untimed run on one
thread. The peers are the newest releases, in a separate environment. Each trains a plain BPE of
the same size on the same text, and must reach that size. On a small text, the merges of plain BPE
are compared with theirs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import agreement
import results
from benchmark_text import WORK, parse_options
from harness import (
    Figures,
    choose_fastest,
    measure_stages,
    measure_training,
    prepare_corpus,
    run_trainer,
)
from superword.patterns import NAMED_PATTERNS

PEERS = WORK / "peers"
PYTHON = PEERS / "bin/python"
PEER_NAMES = ["gigatoken", "rustbpe", "tokenizers"]
# A peer that takes longer, in seconds, is run only once.
MAX_SECONDS = 100
OUR_RUNS: dict[str, dict[str, object]] = {
    "BoundlessBPE, gpt4o": {"pattern": "gpt4o", "max_superwords": None},
    "BoundlessBPE, boundless": {"pattern": "boundless", "max_superwords": None},
    "plain BPE, gpt4o": {"pattern": "gpt4o", "supermerges": False, "deletion": None},
    "plain BPE, gpt2": {"pattern": "gpt2", "supermerges": False, "deletion": None},
}


def install_peers(names: Sequence[str] = PEER_NAMES) -> dict[str, str]:
    """Install the peers, and return their versions."""
    if not PEERS.exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
    pip = [str(PYTHON), "-m", "pip"]
    subprocess.run([*pip, "install", "--quiet", "--upgrade", *names], check=True)
    listed = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True)
    found = {package["name"]: package["version"] for package in json.loads(listed.stdout)}
    return {name: found[name] for name in names}


def measure_peer(name: str, text: Path, repeats: int) -> Figures:
    """Return the best of several runs of a peer, and the number of runs."""
    options = {"regex": NAMED_PATTERNS["gpt4o"]}
    found: list[Figures] = []
    while len(found) < repeats and not (found and found[-1]["seconds"] > MAX_SECONDS):
        found.append(run_trainer(name, text, options, python=PYTHON))
    return choose_fastest(found) | {"runs": len(found)}


def format_stages(figures: Figures) -> str:
    """Format the seconds of each stage."""
    stages = measure_stages(figures)
    return ", ".join(f"{name} {seconds:.1f}" for name, seconds in stages.items())


def build_rows(measured: Mapping[str, Figures]) -> list[list[object]]:
    """Build the rows of the table."""
    gigatoken = next((f["seconds"] for n, f in measured.items() if n.startswith("gigatoken")), None)
    rows: list[list[object]] = [["trainer", "seconds", "/ gigatoken", "GB", "stages"]]
    for name, found in measured.items():
        ratio = "-" if gigatoken is None else f"{found['seconds'] / gigatoken:.2f}"
        detail = format_stages(found) if "begins" in found else ""
        seconds, memory = f"{found['seconds']:.1f}", f"{found['gigabytes']:.2f}"
        rows.append([name, seconds, ratio, memory, detail])
    return rows


def compare(size: int, names: Sequence[str], versions: Mapping[str, str]) -> dict[str, Figures]:
    """Compare our merges with those of the peers that expose theirs."""
    return {
        f"{name} {versions[name]}": agreement.compare_merges(prepare_corpus(size), name, PYTHON)
        for name in names
        if name in agreement.PATTERNS
    }


def main() -> None:
    """Measure and write `results/train-SIZE` and `results/agreement`."""
    parser = argparse.ArgumentParser(description="Measure training.")
    parser.add_argument("--size", type=int, nargs="+", default=[100, 300, 1000], metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--peers", nargs="*", default=PEER_NAMES, choices=PEER_NAMES)
    parser.add_argument(
        "--compare", type=int, default=20, metavar="MB", help="text to compare merges on"
    )
    options = parse_options(parser)
    versions = install_peers()
    compared = compare(options.compare, options.peers, versions)
    for size in options.size:
        text = prepare_corpus(size)
        measured = {
            name: measure_training(text, settings, options.repeats)
            for name, settings in OUR_RUNS.items()
        }
        for name in options.peers:
            measured[f"{name} {versions[name]}"] = measure_peer(name, text, options.repeats)
        results.save(
            f"train-{size}",
            f"Training on {size} MB, two threads, vocabulary 131,072",
            {"trainers": measured},
            [describe(options.repeats), results.format_table(build_rows(measured))],
            peers=versions,
        )
    if compared:
        results.save(
            "agreement",
            "The merges of plain BPE, compared with those of other trainers",
            {"agreement": compared},
            [agreement.build_section(options.compare, compared)],
            peers=versions,
        )


def describe(repeats: int) -> str:
    """Describe the table."""
    return (
        f"From JSON lines on disk to a saved model, best of {repeats}; a peer that takes longer "
        f"than {MAX_SECONDS} s is run once. The peers train a plain BPE: gigatoken with the "
        "pattern gpt2, the only one it supports, the others with gpt4o. gigatoken slows down when "
        "many pairs are equally frequent, as in smaller texts. Each of our models has the hash of "
        "one trained on one thread. `GB` is peak resident memory."
    )


if __name__ == "__main__":
    main()
