"""How large the file of a full-size model is, and how long saving and loading it take.

    python benchmarks/model.py

The model is made up: random merges with token lengths like those of a real one.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import results
import superword
from superword.tokenizer import Parameters, Tokenizer

VOCAB_SIZE = 131_072
LONGEST = 16
DELETE_EVERY = 60
REPEATS = 5


def made_up_rules(vocab_size: int) -> list[superword.Rule]:
    """Rules that lead to a vocabulary of a size: merges, a quarter supermerges, some deletes."""
    chance = random.Random(1)
    letters = [bytes([byte]) for byte in b"etaoinshrdlu cmfwypvbgkjqxz_'."]
    by_length = {1: letters} | {length: list[bytes]() for length in range(2, LONGEST)}
    known, rules, size = set(letters), list[superword.Rule](), 256
    while size < vocab_size:
        length = chance.randint(2, LONGEST)
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
        if length < LONGEST:
            by_length[length].append(left + right)
        if chance.randrange(DELETE_EVERY) == 0 and len(left) > 1:
            parts = tuple(bytes([byte]) for byte in left)
            rules.append(superword.Rule(len(rules), "delete", left, None, parts))
            lefts.remove(left)
            size -= 1
    return rules


def fastest(action: Callable[[], object]) -> float:
    """The shortest of several times, in seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Measure and write `results/model`."""
    rules = made_up_rules(VOCAB_SIZE)
    tok = Tokenizer._from_rules(rules, Parameters(vocab_size=VOCAB_SIZE))
    lengths = [len(tok.token_bytes(id)) for id in range(VOCAB_SIZE)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        seconds = {
            "save": fastest(lambda: tok.save(path)),
            "load": fastest(lambda: superword.load(path)),
            "truncate to half": fastest(lambda: tok.truncate(VOCAB_SIZE // 2)),
            "fingerprint": fastest(tok._model.fingerprint),
        }
        size = path.stat().st_size
    rows = [["", "seconds"], *([name, f"{time:.3f}"] for name, time in seconds.items())]
    results.save(
        "model",
        "A model of 131,072 tokens",
        {"rules": len(rules), "bytes": size, "seconds": seconds},
        [
            f"Made up: {len(rules):,} random rules, {sum(lengths) / len(lengths):.1f} bytes a "
            f"token. The file has {size / 1e6:.2f} MB. Best of {REPEATS}. The goal: at most 8 MB, "
            "loaded in at most 0.3 s.",
            results.table(rows),
        ],
    )


if __name__ == "__main__":
    main()
