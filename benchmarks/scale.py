"""Measure how counts, and the resources to train on them, grow with the corpus.

    python benchmarks/scale.py --sizes 100 300 1000 4000

Each step of training on counts is a separate process, and the model must have the hash of that of
`superword train`. Sizes are in megabytes of text; 4000 is the corpus of `growth.py`. The resources
for 1 TB and 10 TB are extrapolated by a power law. The corpus of `growth.py` is left out of the
extrapolation, because it has no new words.
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
from benchmark_text import find_work_folder, parse_options
from growth import COPIES, prepare_grown_corpus
from harness import Figures, find_model_file, hash_file, prepare_corpus
from superword.counts import key_counts
from superword.counts.cuts import Cut
from superword.counts.folders import list_all_shards

COMMAND = Path(sys.executable).parent / "superword"
VOCAB_SIZE = 131_072
TERABYTE = 1_000_000  # in megabytes
# Bytes of a shuffled row without its key: the count, the kind, lengths.
ROW_OVERHEAD = 40
# Megabytes of text per Spark task.
TASK_SIZE = 1000
# Megabytes of the corpus of `growth.py`.
GROWN_SIZE = COPIES * 1000
# Threads that count.
CORES = 2
# Rows of the bigram table, and bytes of the eight counts in each.
BIGRAM_ROWS = 2**21
BIGRAM_ROW_SIZE = 64


def run_command(*arguments: str | Path, code: int = 0) -> Figures:
    """Run a superword command, and return its time and peak memory."""
    start = time.monotonic()
    process = subprocess.Popen([COMMAND, *arguments, "--progress", "none"], stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != code:
        raise SystemExit(f"{arguments} failed:\n{errors}")
    return {"seconds": time.monotonic() - start, "gigabytes": usage.ru_maxrss * 1024 / 1e9}


def sum_key_bytes(path: Path) -> int:
    """Return the total bytes of the keys in a counts file."""
    lengths = (
        pyarrow.compute.binary_length(batch.column("key"))
        for batch in key_counts.read(key_counts.CountsFile(path))
    )
    return sum(pyarrow.compute.sum(some).as_py() for some in lengths)


def measure(text: Path) -> Figures:
    """Train on counts, step by step, and return the sizes and times."""
    counts, model = find_work_folder() / "counts", find_model_file()
    shutil.rmtree(counts, ignore_errors=True)
    pattern = ("--pattern", "boundless")
    train: list[str | Path] = ["train", "-o", model, "--vocab-size", str(VOCAB_SIZE), *pattern]
    local = run_command(*train, text)
    expected = hash_file(model)
    steps = {"count pretokens": run_command("count", text, "-o", counts, *pattern)}
    steps["learn merges"] = run_command(*train, "--counts", counts, code=1)
    cut_file = counts / "cut.json"
    steps["count fragments"] = run_command("count", text, "-o", counts, "--cut", cut_file)
    steps["train"] = run_command(*train, "--counts", counts)
    if hash_file(model) != expected:
        raise SystemExit(f"{text.name}: training on counts led to a different model")
    [first], [second] = list_all_shards(counts, "pretokens"), list_all_shards(counts, "fragments")
    cut = Cut.load(cut_file)
    files = {**first.files, **second.files}
    paths = {kind: counts / file.name for kind, file in files.items()}
    frequent = np.unpackbits(np.frombuffer(cut.frequent_bigrams or b"", np.uint8))
    found = {
        "pretokens": first.seen.pretokens,
        "keys": {kind: file.keys for kind, file in files.items()},
        "key_bytes": {kind: sum_key_bytes(path) for kind, path in paths.items()},
        "file_bytes": {kind: path.stat().st_size for kind, path in paths.items()},
        "threshold": cut.threshold,
        "words": len(cut.words),
        "frequent_buckets": int(frequent.sum()),
        "steps": steps,
        "superword train": local,
    }
    shutil.rmtree(counts)
    return found


def fit_power_law(sizes: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """Fit a power law through the two largest sizes; return its factor and exponent."""
    (x, y), (u, v) = list(zip(sizes, values, strict=True))[-2:]
    exponent = math.log(v / y) / math.log(u / x)
    return v / u**exponent, exponent


def extrapolate(found: dict[int, Figures]) -> dict[str, Any]:
    """Estimate the resources for larger corpora."""
    sizes = sorted(size for size in found if size != GROWN_SIZE)

    def sum_seconds(size: int, *steps: str) -> float:
        return float(sum(found[size]["steps"][step]["seconds"] for step in steps))

    counting = sum_seconds(sizes[-1], "count pretokens", "count fragments") / sizes[-1]
    learning = sum_seconds(sizes[-1], "learn merges", "train")

    def fit(kind: str, quantity: str) -> tuple[float, float]:
        return fit_power_law(sizes, [found[size][quantity][kind] for size in sizes])

    def predict(size: int, kind: str, quantity: str) -> float:
        factor, exponent = fit(kind, quantity)
        return float(factor * float(size) ** exponent)

    kinds = ("pretokens", "fragments")
    exponents = {
        f"{quantity} of {kind}": fit(kind, quantity)[1]
        for quantity in ("keys", "key_bytes")
        for kind in kinds
    }
    learned = sum(found[sizes[-1]]["key_bytes"][kind] for kind in kinds)
    estimates = {}
    for size in (TERABYTE, 10 * TERABYTE):
        keys = {kind: predict(size, kind, "keys") for kind in kinds}
        key_bytes = {kind: predict(size, kind, "key_bytes") for kind in kinds}
        pretoken_bytes, fragment_bytes = (key_bytes[kind] / keys[kind] for kind in kinds)
        tasks = size / TASK_SIZE
        pretoken_rows, fragment_rows = (tasks * predict(TASK_SIZE, kind, "keys") for kind in kinds)
        bigram_rows = tasks * BIGRAM_ROWS
        shuffled = (
            pretoken_rows * (pretoken_bytes + ROW_OVERHEAD)
            + bigram_rows * (BIGRAM_ROW_SIZE + ROW_OVERHEAD)
            + fragment_rows * (fragment_bytes + ROW_OVERHEAD)
        )
        # Array elements in the driver: see docs/training.md, which also has the bytes of each.
        merges = key_bytes["pretokens"] + keys["pretokens"]
        supermerges = key_bytes["fragments"] / 4 + keys["fragments"]
        estimates[f"{size // TERABYTE} TB"] = {
            "distinct pretokens": keys["pretokens"],
            "distinct fragments": keys["fragments"],
            "rows shuffled, pretokens": pretoken_rows + bigram_rows,
            "rows shuffled, fragments": fragment_rows,
            "GB shuffled": shuffled / 1e9,
            "driver GB, merges": 30 * merges / 1e9,
            "driver GB, supermerges": 32 * supermerges / 1e9,
            "core hours, counting": counting * CORES * size / 3600,
            "driver hours, learning": learning * sum(key_bytes.values()) / learned / 3600,
            "elements / 2^32, merges": merges / 2**32,
            "elements / 2^32, supermerges": supermerges / 2**32,
        }
    return {"exponents": exponents, "estimates": estimates}


def main() -> None:
    """Measure and write `results/scale`."""
    parser = argparse.ArgumentParser(description="Measure how counts grow with the corpus.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300, 1000, 4000])
    options = parse_options(parser)
    found = {}
    for size in sorted(options.sizes):
        text = prepare_grown_corpus(1000) if size == GROWN_SIZE else prepare_corpus(size)
        found[size] = measure(text)
        print(size, json.dumps(found[size]), file=sys.stderr)
    rows: list[list[object]] = [["", *(f"{size} MB" for size in found)]]
    for name in ("pretokens", "threshold", "words", "frequent_buckets"):
        rows.append([name.replace("_", " "), *(f"{one[name]:,}" for one in found.values())])
    for kind in ("pretokens", "bigrams", "fragments"):
        rows.append([f"distinct {kind}", *(f"{one['keys'][kind]:,}" for one in found.values())])
        rows.append(
            [
                f"MB, {kind} file",
                *(f"{one['file_bytes'][kind] / 1e6:.1f}" for one in found.values()),
            ]
        )
    steps = {**next(iter(found.values()))["steps"], "superword train": None}
    for name in steps:
        taken = (one["steps"].get(name) or one[name] for one in found.values())
        cells = (f"{step['seconds']:.1f}, {step['gigabytes']:.2f}" for step in taken)
        rows.append([f"s, GB: {name}", *cells])
    sections = [
        "`threshold` is T, and `frequent buckets` are the bigram buckets that reach it. `train` "
        "learns the merges again. All led to the model of `superword train`. `GB` is peak resident "
        "memory.",
        results.format_table(rows),
    ]
    figures: dict[str, Any] = {"sizes": found}
    if len(found) > 1:
        figures |= extrapolate(found)
        estimates = figures["estimates"]
        larger: list[list[object]] = [["", *estimates]]
        for name in next(iter(estimates.values())):
            larger.append([name, *(f"{one[name]:.3g}" for one in estimates.values())])
        powers = "; ".join(f"{name} {power:.2f}" for name, power in figures["exponents"].items())
        sections += [
            "Extrapolated by power laws through the two largest sizes of real text. The time to "
            "count is assumed proportional to the text. The time to learn is assumed proportional "
            "to the keys, which overestimates it: a part is constant. Exponents: " + powers + ".",
            results.format_table(larger),
        ]
    title = "How counts grow with the corpus, boundless, vocabulary 131,072"
    results.save("scale", title, figures, sections)


if __name__ == "__main__":
    main()
