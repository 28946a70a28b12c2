"""How much memory an encoder takes for what it remembers, if no word ever comes again.

    python benchmarks/remember.py --size 1000

Random letters with spaces between them are encoded on one thread, a few megabytes at a time, and
what the process has resident is looked at after each.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import results
import superword
from encode import models

# Megabytes in a text.
PIECE = 1
# Of 32 bytes, 26 are letters and 6 are spaces.
LETTERS = bytes(b"abcdefghijklmnopqrstuvwxyz      "[byte % 32] for byte in range(256))


def resident() -> float:
    """Megabytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def words() -> str:
    """Random words."""
    return os.urandom(PIECE * 1_000_000).translate(LETTERS).decode("ascii")


def main() -> None:
    """Measure and write `results/remember`."""
    parser = argparse.ArgumentParser(description="Measure what an encoder remembers.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="of random words")
    options = parser.parse_args()
    tok = superword.load(models(1000)[0])
    tok.encode("The first sentence.")
    text = words()
    before = resident()
    most, taken = 0.0, 0.0
    for _ in range(options.size // PIECE):
        start = time.perf_counter()
        tok.encode_batch_to_numpy([text], threads=1)
        taken += time.perf_counter() - start
        most = max(most, resident() - before)
        text = words()
    results.save(
        "remember",
        "What an encoder remembers",
        {"megabytes": options.size, "most": most, "seconds": taken},
        [
            f"{options.size} MB of random words that never repeat, encoded on one thread by a "
            f"model of 131,072 tokens: at most {most:.0f} MB more than before. A thread may "
            f"remember 64 MB. {options.size / taken:.1f} MB/s."
        ],
    )


if __name__ == "__main__":
    main()
