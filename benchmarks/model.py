"""Measure the file size of a full-size model, and the time to save and load it.

    python benchmarks/model.py

The model has random merges, with token lengths like those of a real model.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import results
import superword
from benchmark_text import parse_options
from harness import time_best
from superword.tokenizer import Tokenizer, TrainingConfig

VOCAB_SIZE = 131_072
MAX_LENGTH = 16
DELETE_EVERY = 60
REPEATS = 5


def invent_rules(vocab_size: int) -> list[superword.Rule]:
    """Invent rules for a vocabulary of a size: merges, a quarter supermerges, some deletes."""
    chance = random.Random(1)
    letters = [bytes([byte]) for byte in b"etaoinshrdlu cmfwypvbgkjqxz_'."]
    by_length = {1: letters} | {length: list[bytes]() for length in range(2, MAX_LENGTH)}
    known, rules, size = set(letters), list[superword.Rule](), 256
    while size < vocab_size:
        length = chance.randint(2, MAX_LENGTH)
        right_length = chance.randint(1, min(4, length - 1))
        lefts, rights = by_length[length - right_length], by_length[right_length]
        if not lefts or not rights:
            continue
        left, right = chance.choice(lefts), chance.choice(rights)
        if left + right in known:
            continue
        known.add(left + right)
        size += 1
        count = 40_000_000 // (len(rules) + 1) + 400
        if chance.random() < 0.25:
            rules.append(superword.Rule(len(rules), "supermerge", left, right, (), count))
            continue
        rules.append(superword.Rule(len(rules), "merge", left, right, (), count))
        if length < MAX_LENGTH:
            by_length[length].append(left + right)
        if chance.randrange(DELETE_EVERY) == 0 and len(left) > 1:
            parts = tuple(bytes([byte]) for byte in left)
            rules.append(superword.Rule(len(rules), "delete", left, None, parts))
            lefts.remove(left)
            size -= 1
    return rules


def main() -> None:
    """Measure and write `results/model`."""
    parse_options(argparse.ArgumentParser(description="Measure a model of 131,072 tokens."))
    rules = invent_rules(VOCAB_SIZE)
    tok = Tokenizer._from_rules(rules, TrainingConfig(vocab_size=VOCAB_SIZE))
    lengths = [len(tok.token_bytes(id)) for id in range(VOCAB_SIZE)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        seconds = {
            "save": time_best(REPEATS, lambda: tok.save(path))[0],
            "load": time_best(REPEATS, lambda: superword.load(path))[0],
            "truncate to half": time_best(REPEATS, lambda: tok.truncate(VOCAB_SIZE // 2))[0],
            "fingerprint": time_best(REPEATS, tok._model.fingerprint)[0],
        }
        size = path.stat().st_size
    rows = [["", "seconds"], *([name, f"{time:.3f}"] for name, time in seconds.items())]
    results.save(
        "model",
        "A model of 131,072 tokens",
        {"rules": len(rules), "bytes": size, "seconds": seconds},
        [
            f"{len(rules):,} random rules, {sum(lengths) / len(lengths):.1f} bytes per token. The "
            f"file has {size / 1e6:.2f} MB. Best of {REPEATS}. Target: at most 8 MB, loaded in at "
            "most 0.3 s.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
