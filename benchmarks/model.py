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

import superword
from superword.tokenizer import Parameters, Tokenizer

VOCAB_SIZE = 131_072
LONGEST = 16
DELETE_EVERY = 60


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
    """The shortest of five times, in seconds."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the numbers."""
    rules = made_up_rules(VOCAB_SIZE)
    tok = Tokenizer._from_rules(rules, Parameters(vocab_size=VOCAB_SIZE))
    lengths = [len(tok.token_bytes(id)) for id in range(VOCAB_SIZE)]
    print(f"{tok!r}, {sum(lengths) / len(lengths):.1f} bytes a token")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        print(f"save        {fastest(lambda: tok.save(path)):.3f} s")
        print(f"size        {path.stat().st_size / 1e6:.2f} MB")
        print(f"load        {fastest(lambda: superword.load(path)):.3f} s")
    print(f"truncate    {fastest(lambda: tok.truncate(VOCAB_SIZE // 2)):.3f} s")
    print(f"fingerprint {fastest(tok._model.fingerprint):.3f} s")


if __name__ == "__main__":
    main()
