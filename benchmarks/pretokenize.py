"""Measure how fast the named patterns split text, compared with `regex.findall`.

    python benchmarks/pretokenize.py

One thread, texts in memory, ordinary and pathological. In every timed run, the spans must have the
same digest as the spans of `regex.findall`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TypeVar

import numpy as np
import regex

import results
from benchmark_text import parse_options
from harness import read_evaluation_texts, time_best
from superword._core import NAMED_PATTERNS, Pattern

T = TypeVar("T")


@dataclass
class PatternFigures:
    """The speeds of one pattern, in MB/s."""

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


def compute_digest(pretokens: list[str]) -> tuple[int, int]:
    """Return the result of `Pattern.digest` for a text with these pretokens."""
    sizes = np.fromiter((len(p.encode()) for p in pretokens), np.uint64, len(pretokens))
    mixed = np.cumsum(sizes) * np.uint64(0x9E3779B97F4A7C15)
    return len(pretokens), int((mixed ^ mixed >> np.uint64(32)).sum(dtype=np.uint64))


def time_splitting(
    split: Callable[[str], T], texts: list[str], repeats: int
) -> tuple[float, list[T]]:
    """Return the shortest time to split all texts, and the results."""
    return time_best(repeats, lambda: [split(text) for text in texts])


def measure(
    name: str, source: str, texts: list[str], repeats: int, regex_repeats: int
) -> PatternFigures:
    """Measure the speeds of one pattern."""
    pattern, findall = Pattern(name), regex.compile(source).findall
    size = sum(len(text.encode()) for text in texts)
    expected = [compute_digest(findall(text)) for text in texts]
    slow, _ = time_splitting(lambda text: len(findall(text)), texts, regex_repeats)
    fast, found = time_splitting(pattern.digest, texts, repeats)
    if found != expected:
        raise SystemExit(f"{name}: the timed run and regex split a text differently")
    hostile = {}
    for kind, piece in HOSTILE.items():
        text = piece * (HOSTILE_SIZE // len(piece.encode()))
        start = text[:3000]
        if pattern.digest(start) != compute_digest(findall(start)):
            raise SystemExit(f"{name}: {kind}: superword and regex split it differently")
        seconds, _ = time_splitting(pattern.digest, [text], repeats)
        hostile[kind] = HOSTILE_SIZE / seconds / 1e6
    return PatternFigures(size / slow / 1e6, size / fast / 1e6, slow / fast, hostile)


def main() -> None:
    """Measure and write `results/pretokenize`."""
    parser = argparse.ArgumentParser(description="Measure how fast the named patterns split text.")
    parser.add_argument("--repeats", type=int, default=15, help="runs of superword (default: 15)")
    parser.add_argument("--regex-repeats", type=int, default=3, help="runs of regex (default: 3)")
    options = parse_options(parser)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    texts = read_evaluation_texts()
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
            "corpus_bytes": size,
            "patterns": {name: asdict(f) for name, f in figures.items()},
        },
        [
            f"The evaluation corpus, {size:,} bytes in {len(texts):,} texts, compared with "
            f"`findall` of regex {version('regex')}; best of {options.repeats} and "
            f"{options.regex_repeats}. The spans of the timed runs have the digest of regex's.",
            results.format_table([["pattern", "regex MB/s", "superword MB/s", "ratio"], *speeds]),
            "MB/s on hostile input:",
            results.format_table([["input, 10 MB each", *NAMED_PATTERNS], *hostile]),
        ],
        peers={"regex": version("regex")},
    )


if __name__ == "__main__":
    main()
