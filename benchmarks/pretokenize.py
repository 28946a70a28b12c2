"""How fast the named patterns split text, against `regex.findall`, and on hostile input.

One thread, texts in memory. Every timed run is checked: the spans that it counted must have the
digest of the spans of `regex.findall`.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TypeVar

import numpy as np
import regex
import zstandard

import results
from superword._core import NAMED_PATTERNS, Pattern

T = TypeVar("T")


@dataclass
class Figures:
    """What was measured of one pattern, in MB/s."""

    regex: float
    superword: float
    ratio: float
    hostile: dict[str, float]


HOSTILE_SIZE = 10_000_000
HOSTILE = {
    "a single letter": "a",
    "digits": "1234567890",
    "newlines": "\n",
    "spaces": " ",
    "combining marks": "\u0301",
    "a'a'a'": "a'",
    "alternating case": "aB",
}


def read_corpus() -> list[str]:
    """The texts of the evaluation corpus."""
    with (results.SHARED / "corpus/eval.jsonl.zst").open("rb") as packed:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
        lines = io.TextIOWrapper(unpacked, encoding="utf-8")
        return [json.loads(line)["text"] for line in lines]


def digest_of(pretokens: list[str]) -> tuple[int, int]:
    """What `Pattern.digest` must give for a text that has these pretokens."""
    sizes = np.fromiter((len(p.encode()) for p in pretokens), np.uint64, len(pretokens))
    mixed = np.cumsum(sizes) * np.uint64(0x9E3779B97F4A7C15)
    return len(pretokens), int((mixed ^ mixed >> np.uint64(32)).sum(dtype=np.uint64))


def best_time(repeats: int, run: Callable[[], T]) -> tuple[float, T]:
    """The shortest of several times, in seconds, and what the last run gave."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return min(times), result


def splitting(split: Callable[[str], T], texts: list[str]) -> Callable[[], list[T]]:
    """A run over all texts."""
    return lambda: [split(text) for text in texts]


def measure(name: str, source: str, texts: list[str], repeats: int, regex_repeats: int) -> Figures:
    """The speeds of one pattern, in MB/s."""
    pattern, findall = Pattern(name), regex.compile(source).findall
    size = sum(len(text.encode()) for text in texts)
    expected = [digest_of(findall(text)) for text in texts]
    slow, _ = best_time(regex_repeats, splitting(lambda text: len(findall(text)), texts))
    fast, found = best_time(repeats, splitting(pattern.digest, texts))
    if found != expected:
        raise SystemExit(f"{name}: the timed run split a text in other places than regex")
    hostile = {}
    for kind, piece in HOSTILE.items():
        text = piece * (HOSTILE_SIZE // len(piece.encode()))
        start = text[:3000]
        if pattern.digest(start) != digest_of(findall(start)):
            raise SystemExit(f"{name}: {kind}: split in other places than by regex")
        seconds, _ = best_time(repeats, splitting(pattern.digest, [text]))
        hostile[kind] = HOSTILE_SIZE / seconds / 1e6
    return Figures(size / slow / 1e6, size / fast / 1e6, slow / fast, hostile)


def main() -> None:
    """Measure, check, write the results."""
    parser = argparse.ArgumentParser(description="Measure how fast the named patterns split text.")
    parser.add_argument("--repeats", type=int, default=15, help="runs of ours (default: 15)")
    parser.add_argument("--regex-repeats", type=int, default=3, help="runs of regex (default: 3)")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    texts = read_corpus()
    size = sum(len(text.encode()) for text in texts)
    figures = {
        name: measure(name, source, texts, options.repeats, options.regex_repeats)
        for name, source in NAMED_PATTERNS.items()
    }
    speeds = [
        [name, f"{f.regex:.1f}", f"{f.superword:.0f}", f"{f.ratio:.0f}"]
        for name, f in figures.items()
    ]
    hostile = [[kind, *(f"{f.hostile[kind]:.0f}" for f in figures.values())] for kind in HOSTILE]
    results.save(
        "pretokenize",
        "Pre-tokenization, one thread",
        {
            "regex": version("regex"),
            "corpus_bytes": size,
            "patterns": {name: asdict(f) for name, f in figures.items()},
        },
        [
            f"The evaluation corpus, {size:,} bytes in {len(texts):,} texts, against `findall` of "
            f"regex {version('regex')}; best of {options.repeats} and {options.regex_repeats}. "
            "The spans of the timed runs have the digest of regex's.",
            results.table([["pattern", "regex MB/s", "superword MB/s", "ratio"], *speeds]),
            "MB/s on hostile input:",
            results.table([["input, 10 MB each", *NAMED_PATTERNS], *hostile]),
        ],
    )


if __name__ == "__main__":
    main()
