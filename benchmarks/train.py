"""How long training takes, from files on disk to a saved model, beside plain-BPE trainers.

    python benchmarks/train.py --size 1000 --repeats 3

Every run is a process of its own, and what it saves is compared, by hash, with what an untimed run
on one thread saved. The peers are the newest releases, in an environment of the benchmark's own;
each trains a plain BPE of the same size on the same text, and must reach that size. On a small
text, the merges of plain BPE are compared with theirs.
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
from runs import WORK, Figures, checked, corpus, fastest, run
from superword.patterns import NAMED_PATTERNS

PEERS = WORK / "peers"
PYTHON = PEERS / "bin/python"
PEER_NAMES = ["gigatoken", "rustbpe", "tokenizers"]
# A peer that takes longer than so many seconds is not run again.
PATIENCE = 100
OUR_RUNS: dict[str, dict[str, object]] = {
    "BoundlessBPE, gpt4o": {"pattern": "gpt4o"},
    "BoundlessBPE, boundless": {"pattern": "boundless"},
    "plain BPE, gpt4o": {"pattern": "gpt4o", "supermerges": False, "deletion": None},
    "plain BPE, gpt2": {"pattern": "gpt2", "supermerges": False, "deletion": None},
}


def peers(names: Sequence[str] = PEER_NAMES) -> dict[str, str]:
    """Install peers, and give their versions."""
    if not PEERS.exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
    pip = [str(PYTHON), "-m", "pip"]
    subprocess.run([*pip, "install", "--quiet", "--upgrade", *names], check=True)
    listed = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True)
    found = {package["name"]: package["version"] for package in json.loads(listed.stdout)}
    return {name: found[name] for name in names}


def peer(name: str, text: Path, repeats: int) -> Figures:
    """The best of several runs of a peer, and how many there were."""
    options = {"regex": NAMED_PATTERNS["gpt4o"]}
    found: list[Figures] = []
    while len(found) < repeats and not (found and found[-1]["seconds"] > PATIENCE):
        found.append(run(name, text, options, python=PYTHON))
    return fastest(found) | {"runs": len(found)}


def stages(figures: Figures) -> str:
    """How long each stage took."""
    begins = [*figures["begins"].items(), ("", figures["seconds"])]
    pairs = zip(begins, begins[1:], strict=False)
    return ", ".join(f"{name} {end - begin:.1f}" for (name, begin), (_, end) in pairs)


def times(measured: Mapping[str, Figures]) -> list[list[object]]:
    """The rows of a table."""
    base = next((f["seconds"] for n, f in measured.items() if n.startswith("gigatoken")), None)
    rows: list[list[object]] = [["trainer", "seconds", "of gigatoken", "GB", "stages"]]
    for name, found in measured.items():
        ratio = "-" if base is None else f"{found['seconds'] / base:.2f}"
        detail = stages(found) if "begins" in found else ""
        seconds, memory = f"{found['seconds']:.1f}", f"{found['gigabytes']:.2f}"
        rows.append([name, seconds, ratio, memory, detail])
    return rows


def compare(size: int, names: Sequence[str], versions: Mapping[str, str]) -> dict[str, Figures]:
    """Compare our merges with those of the peers that tell theirs."""
    return {
        f"{name} {versions[name]}": agreement.agreement(corpus(size), name, PYTHON)
        for name in names
        if name in agreement.PATTERNS
    }


def main() -> None:
    """Measure, check, write the results."""
    parser = argparse.ArgumentParser(description="Measure training.")
    parser.add_argument("--size", type=int, nargs="+", default=[100, 300, 1000], metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--peers", nargs="*", default=PEER_NAMES, choices=PEER_NAMES)
    parser.add_argument(
        "--compare", type=int, default=20, metavar="MB", help="text to compare merges on"
    )
    options = parser.parse_args()
    versions = peers()
    compared = compare(options.compare, options.peers, versions)
    for size in options.size:
        text = corpus(size)
        measured = {
            name: checked(text, settings, options.repeats) for name, settings in OUR_RUNS.items()
        }
        for name in options.peers:
            measured[f"{name} {versions[name]}"] = peer(name, text, options.repeats)
        results.save(
            f"train-{size}",
            f"Training on {size} MB, two threads, vocabulary 131,072",
            {"peers": versions, "trainers": measured},
            [words(options.repeats), results.table(times(measured))],
        )
    if compared:
        results.save(
            "agreement",
            "The merges of plain BPE, beside those of other trainers",
            {"peers": versions, "agreement": compared},
            [agreement.section(options.compare, compared)],
        )


def words(repeats: int) -> str:
    """What the table holds."""
    return (
        f"From JSON lines on disk to a saved model, best of {repeats}; a peer that takes longer "
        f"than {PATIENCE} s is run once. The peers train a plain BPE: gigatoken with the pattern "
        "gpt2, the only one it trains with, the others with gpt4o. gigatoken slows down where many "
        "pairs are equally frequent, as in smaller texts. What ours saved is, by hash, what a run "
        "on one thread saved. `GB` is peak resident memory."
    )


if __name__ == "__main__":
    main()
