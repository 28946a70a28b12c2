"""Measure the time of training on pathological text.

    python benchmarks/hostile.py

Each text has ten megabytes and is one document in a text file. Times are relative to ordinary text
of the same size.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import results
from benchmark_text import find_work_folder, parse_options
from harness import Figures, measure_training, prepare_corpus

LINE = "It is a truth universally acknowledged, that a single man in possession of a fortune\n"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PIECES = {
    "one word": "word ",
    "one letter": "a",
    "digits": "1234567890",
    "newlines": "\n",
    "marks": "\u0301",
    "one line": LINE,
    "abab": "ab",
}
PATTERNS = ["gpt4o", "boundless"]


def make_texts(size: int) -> dict[str, str]:
    """Return the texts, each of about this many bytes."""
    texts = {kind: piece * (size // len(piece.encode())) for kind, piece in PIECES.items()}
    # One long pretoken with little repetition.
    texts["random letters"] = "".join(random.Random(1).choices(LETTERS, k=size))
    return texts


def measure(text: Path, repeats: int) -> dict[str, Figures]:
    """Return the best run on a text for each pattern."""
    # Most of these texts have too few pairs for a full vocabulary.
    return {
        pattern: measure_training(text, {"pattern": pattern}, repeats, min_tokens=256)
        for pattern in PATTERNS
    }


def main() -> None:
    """Measure and write `results/hostile`."""
    parser = argparse.ArgumentParser(description="Measure training on hostile text.")
    parser.add_argument("--size", type=int, default=10, metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parse_options(parser)
    figures = {"ordinary text": measure(prepare_corpus(options.size), options.repeats)}
    with tempfile.TemporaryDirectory(dir=find_work_folder()) as folder:
        for kind, text in make_texts(options.size * 1_000_000).items():
            path = Path(folder) / "text.txt"
            path.write_bytes(text.encode())
            figures[kind] = measure(path, options.repeats)
    rows: list[list[object]] = [["text", *(f"{p}, {u}" for p in PATTERNS for u in ("s", "ratio"))]]
    for kind, found in figures.items():
        row: list[object] = [kind]
        for pattern, best in found.items():
            ordinary = figures["ordinary text"][pattern]
            row += [f"{best['seconds']:.2f}", f"{best['seconds'] / ordinary['seconds']:.2f}"]
        rows.append(row)
    results.save(
        "hostile",
        "Training on hostile text, two threads, vocabulary 131,072",
        {"texts": figures},
        [
            f"{options.size} MB of each, best of {options.repeats}, and the ratio to ordinary "
            "text. Target: at most 10 times.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
