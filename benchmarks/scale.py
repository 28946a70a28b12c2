"""How what is counted, and what the driver needs for it, grows with the corpus.

    python benchmarks/scale.py --sizes 100 300 1000 4000

Each step of training on counts is a process of its own, and the model is compared, by hash, with
that of `superword train`. The sizes are megabytes of text; 4000 is the corpus of `grow.py`. From
the growth, a power law, follows what 1 TB and 10 TB would take. The corpus of `grow.py` has no part
in that: it has no words that the text it was made of does not have.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute

import results
from grow import COPIES, grow
from runs import MODEL, WORK, Figures, corpus, digest, written
from superword.counts import key_counts
from superword.counts.cuts import Cut
from superword.counts.folders import complete

COMMAND = Path(sys.executable).parent / "superword"
VOCAB_SIZE = 131_072
TERABYTE = 1_000_000  # in megabytes
# What a row of a shuffle takes beside its key: the count, the kind, lengths. It is compressed.
ROW = 40
# How much text a task of Spark counts.
TASK = 1000
# The size of the corpus of `grow.py`.
GROWN = COPIES * 1000
# How many threads count.
CORES = 2


def step(*arguments: str | Path, code: int = 0) -> Figures:
    """Run a command, and give its seconds and its peak of memory."""
    start = time.monotonic()
    process = subprocess.Popen([COMMAND, *arguments, "--progress", "none"], stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != code:
        raise SystemExit(f"{arguments} failed:\n{said}")
    return {"seconds": time.monotonic() - start, "gigabytes": usage.ru_maxrss * 1024 / 1e9}


def key_bytes(path: Path) -> int:
    """How many bytes the keys of a file have."""
    lengths = (
        pyarrow.compute.binary_length(batch.column("key")) for batch in key_counts.read(path)
    )
    return sum(pyarrow.compute.sum(some).as_py() for some in lengths)


def measured(text: Path) -> Figures:
    """Train on counts, step by step, and say what there was."""
    counts = WORK / "counts"
    shutil.rmtree(counts, ignore_errors=True)
    train: list[str | Path] = ["train", "-o", MODEL, "--vocab-size", str(VOCAB_SIZE)]
    alone = step(*train, text)
    wanted = digest(MODEL)
    steps = {"count pretokens": step("count", text, "-o", counts)}
    steps["learn merges"] = step(*train, "--counts", counts, code=1)
    cut_file = counts / "cut.json"
    steps["count fragments"] = step("count", text, "-o", counts, "--cut", cut_file)
    steps["train"] = step(*train, "--counts", counts)
    if digest(MODEL) != wanted:
        raise SystemExit(f"{text.name}: counts led to another model")
    [first], [second] = complete(counts, "pretokens"), complete(counts, "fragments")
    cut = Cut.load(cut_file)
    files = {**first.files, **second.files}
    paths = {kind: counts / file.name for kind, file in files.items()}
    often = np.unpackbits(np.frombuffer(cut.often or b"", np.uint8))
    found = {
        "pretokens": first.seen.pretokens,
        "keys": {kind: file.keys for kind, file in files.items()},
        "key_bytes": {kind: key_bytes(path) for kind, path in paths.items()},
        "file_bytes": {kind: path.stat().st_size for kind, path in paths.items()},
        "bound": cut.bound,
        "words": len(cut.words),
        "places_that_reach_it": int(often.sum()),
        "steps": steps,
        "superword train": alone,
    }
    shutil.rmtree(counts)
    return found


def power_law(sizes: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """The factor and the exponent of a power law through the two largest sizes."""
    (x, y), (u, v) = list(zip(sizes, values, strict=True))[-2:]
    exponent = math.log(v / y) / math.log(u / x)
    return v / u**exponent, exponent


def extrapolated(found: dict[int, Figures]) -> dict[str, Any]:
    """What larger corpora take, if they grow on as they did."""
    sizes = sorted(size for size in found if size != GROWN)

    def seconds(size: int, *steps: str) -> float:
        return float(sum(found[size]["steps"][step]["seconds"] for step in steps))

    counting = seconds(sizes[-1], "count pretokens", "count fragments") / sizes[-1]
    learning = seconds(sizes[-1], "learn merges", "train")

    def at(size: int, kind: str, what: str) -> float:
        factor, exponent = power_law(sizes, [found[one][what][kind] for one in sizes])
        return float(factor * float(size) ** exponent)

    laws = {
        f"{what} of {kind}": power_law(sizes, [found[one][what][kind] for one in sizes])[1]
        for what in ("keys", "key_bytes")
        for kind in ("pretokens", "fragments")
    }
    learned = sum(found[sizes[-1]]["key_bytes"][kind] for kind in ("pretokens", "fragments"))
    estimates = {}
    for size in (TERABYTE, 10 * TERABYTE):
        keys = {kind: at(size, kind, "keys") for kind in ("pretokens", "fragments")}
        size_of = {kind: at(size, kind, "key_bytes") for kind in keys}
        tasks = size / TASK
        rows = tasks * (at(TASK, "pretokens", "keys") + 2**21)
        again = tasks * at(TASK, "fragments", "keys")
        pretoken, fragment = (size_of[kind] / keys[kind] for kind in ("pretokens", "fragments"))
        estimates[f"{size // TERABYTE} TB"] = {
            "distinct pretokens": keys["pretokens"],
            "distinct fragments": keys["fragments"],
            "rows shuffled, pretokens": rows,
            "rows shuffled, fragments": again,
            # Rows of bigrams have eight counts.
            "GB shuffled": (
                tasks * at(TASK, "pretokens", "keys") * (pretoken + ROW)
                + tasks * 2**21 * (64 + ROW)
                + again * (fragment + ROW)
            )
            / 1e9,
            # docs/training.md: bytes of memory for each byte or pretoken, and for each key.
            "driver GB, merges": 30 * (size_of["pretokens"] + keys["pretokens"]) / 1e9,
            "driver GB, supermerges": 32 * (size_of["fragments"] / 4 + keys["fragments"]) / 1e9,
            "core hours, counting": counting * CORES * size / 3600,
            "driver hours, learning": learning * sum(size_of.values()) / learned / 3600,
            "places of 2^32, merges": (size_of["pretokens"] + keys["pretokens"]) / 2**32,
            "places of 2^32, supermerges": (size_of["fragments"] / 4 + keys["fragments"]) / 2**32,
        }
    return {"exponents": laws, "estimates": estimates}


def main() -> None:
    """Measure and write `results/scale`."""
    parser = argparse.ArgumentParser(description="Measure how counts grow with the corpus.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300, 1000, 4000])
    options = parser.parse_args()
    found = {}
    for size in sorted(options.sizes):
        if size == GROWN:
            text = written("grown-1000.jsonl", lambda path: grow(corpus(1000), path))
        else:
            text = corpus(size)
        found[size] = measured(text)
        print(size, json.dumps(found[size]), file=sys.stderr)
    rows: list[list[object]] = [["", *(f"{size} MB" for size in found)]]
    for name in ("pretokens", "bound", "words", "places_that_reach_it"):
        rows.append([name.replace("_", " "), *(f"{one[name]:,}" for one in found.values())])
    for kind in ("pretokens", "bigrams", "fragments"):
        rows.append([f"distinct {kind}", *(f"{one['keys'][kind]:,}" for one in found.values())])
        rows.append(
            [
                f"MB, {kind} file",
                *(f"{one['file_bytes'][kind] / 1e6:.1f}" for one in found.values()),
            ]
        )
    for name in ("count pretokens", "learn merges", "count fragments", "train"):
        shown = (one["steps"][name] for one in found.values())
        rows.append(
            [f"s, GB: {name}", *(f"{s['seconds']:.1f}, {s['gigabytes']:.2f}" for s in shown)]
        )
    shown = (one["superword train"] for one in found.values())
    rows.append(
        ["s, GB: superword train", *(f"{s['seconds']:.1f}, {s['gigabytes']:.2f}" for s in shown)]
    )
    sections = [
        "`bound` is T. `train` learns the merges once more. All led to the model of "
        "`superword train`. `GB` is peak resident memory.",
        results.table(rows),
    ]
    figures: dict[str, Any] = {"sizes": found}
    if len(found) > 1:
        figures |= extrapolated(found)
        estimates = figures["estimates"]
        larger: list[list[object]] = [["", *estimates]]
        for name in next(iter(estimates.values())):
            larger.append([name, *(f"{one[name]:.3g}" for one in estimates.values())])
        powers = "; ".join(f"{name} {power:.2f}" for name, power in figures["exponents"].items())
        sections += [
            "Extrapolated by power laws through the two largest sizes of real text. The time to "
            "count is taken as proportional to the text, the time to learn as proportional to the "
            "keys, which is too much: some of it is not. Exponents: " + powers + ".",
            results.table(larger),
        ]
    title = "How counts grow with the corpus, boundless, vocabulary 131,072"
    results.save("scale", title, figures, sections)


if __name__ == "__main__":
    main()
