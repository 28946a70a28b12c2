"""Measure the memory of an encoder's caches on words that never repeat.

    python benchmarks/encoder_memory.py --size 1000

Random letters and spaces are encoded on one thread, one megabyte at a time. The resident memory of
the process is read after each.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import results
import superword
from benchmark_text import parse_options
from encode_runs import prepare_models

TEXT_MEGABYTES = 1
# Of 32 bytes, 26 are letters and 6 are spaces.
LETTERS = bytes(b"abcdefghijklmnopqrstuvwxyz      "[byte % 32] for byte in range(256))


def resident_megabytes() -> float:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def random_words() -> str:
    """Return a text of random words."""
    return os.urandom(TEXT_MEGABYTES * 1_000_000).translate(LETTERS).decode("ascii")


def main() -> None:
    """Measure and write `results/encoder_memory`."""
    parser = argparse.ArgumentParser(description="Measure the memory of an encoder's caches.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="random words")
    options = parse_options(parser)
    tok = superword.load(prepare_models(1000)[0])
    tok.encode("The first sentence.")
    text = random_words()
    before = resident_megabytes()
    most, taken = 0.0, 0.0
    for _ in range(options.size // TEXT_MEGABYTES):
        start = time.perf_counter()
        tok.encode_batch_to_numpy([text], threads=1)
        taken += time.perf_counter() - start
        most = max(most, resident_megabytes() - before)
        text = random_words()
    results.save(
        "encoder_memory",
        "Memory of an encoder's caches",
        {"megabytes": options.size, "most": most, "seconds": taken},
        [
            f"{options.size} MB of random words that never repeat, encoded on one thread by a "
            f"model of 131,072 tokens. Resident memory grew by at most {most:.0f} MB; the caches "
            f"of a thread are limited to 64 MB. {options.size / taken:.1f} MB/s."
        ],
    )


if __name__ == "__main__":
    main()
