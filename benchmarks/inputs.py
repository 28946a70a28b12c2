"""Measure the time of training from every form of input, relative to training from memory.

    python benchmarks/inputs.py

Every input holds the same documents, so each must lead to the same model. The exception is the
text of all documents joined into one.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import results
from benchmark_text import find_work_folder, parse_options
from corpus import write_formats
from harness import measure_training, prepare_corpus
from trainers import read_texts

OPTIONS = {"pattern": "gpt4o", "max_superwords": None}
MEMORY = "in memory"
LIST = "list of str"


def main() -> None:
    """Measure and write `results/inputs`."""
    parser = argparse.ArgumentParser(description="Measure training from every form of input.")
    parser.add_argument("--size", type=int, default=300, metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parse_options(parser)
    lines = prepare_corpus(options.size)
    figures: dict[str, Any] = {}
    memory = measure_training(lines, OPTIONS, options.repeats, name="superword_in_memory")
    figures[MEMORY] = memory
    same = {"repeats": options.repeats, "expected": memory["sha256"]}
    figures[LIST] = measure_training(lines, {**OPTIONS, "source": "list"}, **same)
    figures["iterator of str"] = measure_training(lines, {**OPTIONS, "source": "iterator"}, **same)
    with tempfile.TemporaryDirectory(dir=find_work_folder()) as folder:
        documents = list(read_texts(str(lines)))
        files = write_formats(Path(folder), documents, ascii=False)
        del files["list of str"]
        for name, path in files.items():
            separated = {"separator": "\0"} if name == ".txt" else {}
            figures[name] = measure_training(path, {**OPTIONS, **separated}, **same)
        whole = Path(folder) / "whole.txt"
        whole.write_text("".join(documents), encoding="utf-8", newline="")
        figures[".txt, one document"] = measure_training(whole, OPTIONS, options.repeats)
    rows: list[list[object]] = [["input", "seconds", "/ in memory", "/ list", "GB"]]
    for name, found in figures.items():
        seconds = found["seconds"]
        ratios = [f"{seconds / figures[other]['seconds']:.2f}" for other in (MEMORY, LIST)]
        rows.append([name, f"{seconds:.2f}", *ratios, f"{found['gigabytes']:.2f}"])
    results.save(
        "inputs",
        "Training from every form of input, two threads, vocabulary 131,072",
        {"inputs": figures},
        [
            f"BoundlessBPE, gpt4o, {options.size} MB of text, best of {options.repeats}; `GB` is "
            f"peak resident memory. `{MEMORY}` times training alone, on documents that the core "
            f"already holds. The `{LIST}` is also built before the clock starts; the iterator "
            "reads JSON lines in Python. All lead to the same model, except the single document, "
            "which has no document boundaries. Target: plain and .zst JSON lines within 1.15 "
            "times.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
