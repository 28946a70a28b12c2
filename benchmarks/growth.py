"""Measure how time and memory of training grow from 1 GB to 4 GB.

    python benchmarks/growth.py

The larger corpus is four copies of the smaller one, with 5% of the words of each copy replaced by
words drawn from the corpus, so that it does not simply repeat itself. It is generated from a seed
and kept for the next run.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import results
from benchmark_text import parse_options
from harness import measure_training, prepare_corpus, write_once
from trainers import read_texts

COPIES = 4
SHARE = 0.05
SEED = 1
POOL_SIZE = 1_000_000
OPTIONS = {"pattern": "gpt4o", "max_superwords": None}


class WordSwapper:
    """Swaps some words of a stream for earlier words, kept in a pool.

    A replaced word goes into the pool in exchange for its replacement. So words are drawn as often
    as they occur in the corpus, and memory is bounded by the pool.
    """

    def __init__(self, pool: list[str], share: float, seed: int) -> None:
        self.pool = pool
        self.share = share
        self.random = random.Random(seed)
        self.next_swap = self.draw_gap()

    def draw_gap(self) -> int:
        """Draw the number of words until the next swap, from a geometric distribution."""
        return int(math.log(1 - self.random.random()) / math.log(1 - self.share))

    def swap(self, words: list[str]) -> None:
        """Swap some of the next words, in place."""
        index = self.next_swap
        while index < len(words):
            # Two adjacent spaces enclose an empty word.
            if words[index]:
                drawn = int(self.random.random() * len(self.pool))
                words[index], self.pool[drawn] = self.pool[drawn], words[index]
            index += 1 + self.draw_gap()
        self.next_swap = index - len(words)


def read_words(corpus: Path) -> Iterator[str]:
    """Yield the words of a corpus, separated by spaces."""
    for document in read_texts(str(corpus)):
        yield from filter(None, document.split(" "))


def write_grown_corpus(small: Path, large: Path) -> None:
    """Write several copies of a corpus, with words swapped."""
    # The documents are shuffled, so the first words represent all of them.
    swapper = WordSwapper(list(islice(read_words(small), POOL_SIZE)), SHARE, SEED)
    with large.open("w", encoding="utf-8") as file:
        for _ in range(COPIES):
            with small.open(encoding="utf-8") as lines:
                for line in lines:
                    document = json.loads(line)
                    words = document["text"].split(" ")
                    swapper.swap(words)
                    document["text"] = " ".join(words)
                    file.write(json.dumps(document, ensure_ascii=False) + "\n")


def prepare_grown_corpus(megabytes: int) -> Path:
    """Return the larger corpus made from the first megabytes of the training corpus."""
    small = prepare_corpus(megabytes)
    return write_once(f"grown-{megabytes}.jsonl", lambda path: write_grown_corpus(small, path))


def main() -> None:
    """Measure and write `results/growth`."""
    parser = argparse.ArgumentParser(description="Measure how training grows with the corpus.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="smaller corpus")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parse_options(parser)
    small, large = prepare_corpus(options.size), prepare_grown_corpus(options.size)
    figures = {
        f"{options.size * copies} MB": measure_training(text, OPTIONS, options.repeats)
        for copies, text in ((1, small), (COPIES, large))
    }
    rows: list[list[object]] = [["corpus", "seconds", "GB"]]
    for name, found in figures.items():
        rows.append([name, f"{found['seconds']:.1f}", f"{found['gigabytes']:.2f}"])
    first, last = figures.values()
    ratios = {key: last[key] / first[key] for key in ("seconds", "gigabytes")}
    rows.append(["ratio", *(f"{ratio:.2f}" for ratio in ratios.values())])
    results.save(
        "growth",
        "Training on four times the text, two threads, vocabulary 131,072",
        {"corpora": figures, "ratios": ratios},
        [
            f"BoundlessBPE, gpt4o, best of {options.repeats}. The larger corpus is {COPIES} copies "
            f"of the smaller one, with {SHARE:.0%} of the words of each copy replaced by words "
            "drawn from the corpus. `GB` is peak resident memory. Target: at most 4.0 times the "
            "time and 1.3 times the memory.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
