"""How long training takes from every form of input, against training from memory.

    python benchmarks/inputs.py

The same documents in every form, so that all but one lead to the same model, which is checked: the
exception is the text of all of them as one document.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import results
from corpus import write_formats
from runs import WORK, checked, corpus
from trainers import texts

OPTIONS = {"pattern": "gpt4o"}
MEMORY = "in memory"
LIST = "list of str"


def main() -> None:
    """Measure and write `results/inputs`."""
    parser = argparse.ArgumentParser(description="Measure training from every form of input.")
    parser.add_argument("--size", type=int, default=300, metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parser.parse_args()
    lines = corpus(options.size)
    figures: dict[str, Any] = {}
    memory = checked(lines, OPTIONS, options.repeats, name="superword_in_memory")
    figures[MEMORY] = memory
    same = {"repeats": options.repeats, "expected": memory["sha256"]}
    figures[LIST] = checked(lines, {**OPTIONS, "source": "list"}, **same)
    figures["iterator of str"] = checked(lines, {**OPTIONS, "source": "iterator"}, **same)
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        documents = list(texts(str(lines)))
        files = write_formats(Path(folder), documents, ascii=False)
        del files["list of str"]
        for name, path in files.items():
            separated = {"separator": "\0"} if name == ".txt" else {}
            figures[name] = checked(path, {**OPTIONS, **separated}, **same)
        whole = Path(folder) / "whole.txt"
        whole.write_text("".join(documents), encoding="utf-8", newline="")
        figures[".txt, one document"] = checked(whole, OPTIONS, options.repeats)
    rows: list[list[object]] = [["input", "seconds", "of memory", "of a list", "GB"]]
    for name, found in figures.items():
        seconds = found["seconds"]
        ratios = [f"{seconds / figures[base]['seconds']:.2f}" for base in (MEMORY, LIST)]
        rows.append([name, f"{seconds:.2f}", *ratios, f"{found['gigabytes']:.2f}"])
    results.save(
        "inputs",
        "Training from every form of input, two threads, vocabulary 131,072",
        {"inputs": figures},
        [
            f"BoundlessBPE, gpt4o, {options.size} MB of text, best of {options.repeats}; `GB` is "
            f"peak resident memory. `{MEMORY}` is training alone, on documents that the core holds "
            f"already. The `{LIST}` is there before, too; the iterator reads JSON lines in Python "
            "as it goes. All lead to the same model, except the one document, inside which there "
            "are no bounds. The goal: plain and .zst JSON lines within 1.15 times.",
            results.table(rows),
        ],
    )


if __name__ == "__main__":
    main()
