"""How time and memory of training grow from 1 GB to 4 GB.

    python benchmarks/grow.py

The larger corpus is the smaller one four times, with 5% of the words of each copy replaced by words
drawn from the corpus, so that it repeats itself no more than real text would. It is made from a
seed, and kept for the next time.
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
from runs import checked, corpus, written
from trainers import texts

COPIES = 4
SHARE = 0.05
SEED = 1
POOL = 1_000_000
OPTIONS = {"pattern": "gpt4o"}


class Exchange:
    """Exchanges some of the words that pass for others that have passed before.

    A word that is replaced goes into a pool, in the place of the one that replaces it. So words are
    drawn as often as the corpus has them, and the pool is all there is to remember.
    """

    def __init__(self, pool: list[str], share: float, seed: int) -> None:
        self.pool = pool
        self.share = share
        self.chance = random.Random(seed)
        self.left = self.gap()

    def gap(self) -> int:
        """How many words to leave as they are, when each is replaced with a fixed probability."""
        return int(math.log(1 - self.chance.random()) / math.log(1 - self.share))

    def __call__(self, words: list[str]) -> None:
        """Exchange some of these words."""
        place = self.left
        while place < len(words):
            # Between two spaces there is no word.
            if words[place]:
                drawn = int(self.chance.random() * len(self.pool))
                words[place], self.pool[drawn] = self.pool[drawn], words[place]
            place += 1 + self.gap()
        self.left = place - len(words)


def words_of(text: Path) -> Iterator[str]:
    """The words of a corpus: what is between spaces."""
    for document in texts(str(text)):
        yield from filter(None, document.split(" "))


def grow(small: Path, large: Path) -> None:
    """Write a corpus several times, with words exchanged."""
    # The documents are shuffled, so the first words stand for all.
    exchange = Exchange(list(islice(words_of(small), POOL)), SHARE, SEED)
    with large.open("w", encoding="utf-8") as file:
        for _ in range(COPIES):
            with small.open(encoding="utf-8") as lines:
                for line in lines:
                    document = json.loads(line)
                    words = document["text"].split(" ")
                    exchange(words)
                    document["text"] = " ".join(words)
                    file.write(json.dumps(document, ensure_ascii=False) + "\n")


def main() -> None:
    """Measure and write `results/grow`."""
    parser = argparse.ArgumentParser(description="Measure how training grows with the corpus.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="of the smaller one")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parser.parse_args()
    small = corpus(options.size)
    large = written(f"grown-{options.size}.jsonl", lambda path: grow(small, path))
    figures = {
        f"{options.size * copies} MB": checked(text, OPTIONS, options.repeats)
        for copies, text in ((1, small), (COPIES, large))
    }
    rows: list[list[object]] = [["corpus", "seconds", "GB"]]
    for name, found in figures.items():
        rows.append([name, f"{found['seconds']:.1f}", f"{found['gigabytes']:.2f}"])
    first, last = figures.values()
    ratios = {key: last[key] / first[key] for key in ("seconds", "gigabytes")}
    rows.append(["ratio", *(f"{ratio:.2f}" for ratio in ratios.values())])
    results.save(
        "grow",
        "Training on four times the text, two threads, vocabulary 131,072",
        {"corpora": figures, "ratios": ratios},
        [
            f"BoundlessBPE, gpt4o, best of {options.repeats}. The larger corpus is the smaller one "
            f"{COPIES} times, with {SHARE:.0%} of the words of each copy replaced by words drawn "
            "from the corpus. `GB` is peak resident memory. The goal: 4.4 times the time, 1.6 "
            "times the memory.",
            results.table(rows),
        ],
    )


if __name__ == "__main__":
    main()
