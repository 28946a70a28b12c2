"""How long training takes on text that is as unlike ordinary text as can be.

    python benchmarks/hostile.py

Ten megabytes of each kind, as one document in a text file, against as much ordinary text.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import results
from runs import WORK, Figures, checked, corpus

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


def hostile(size: int) -> dict[str, str]:
    """The texts, each of about so many bytes."""
    texts = {kind: piece * (size // len(piece.encode())) for kind, piece in PIECES.items()}
    # One pretoken in which hardly anything repeats.
    texts["random letters"] = "".join(random.Random(1).choices(LETTERS, k=size))
    return texts


def measure(text: Path, repeats: int) -> dict[str, Figures]:
    """The best runs on a text, by pattern."""
    # Most of these texts have no pairs for a vocabulary of that size.
    return {
        pattern: checked(text, {"pattern": pattern}, repeats, reach=256) for pattern in PATTERNS
    }


def main() -> None:
    """Measure and write `results/hostile`."""
    parser = argparse.ArgumentParser(description="Measure training on hostile text.")
    parser.add_argument("--size", type=int, default=10, metavar="MB")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parser.parse_args()
    figures = {"ordinary text": measure(corpus(options.size), options.repeats)}
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        for kind, text in hostile(options.size * 1_000_000).items():
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
            "text. The goal: within 10 times.",
            results.table(rows),
        ],
    )


if __name__ == "__main__":
    main()
