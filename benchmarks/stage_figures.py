"""The figures of a stage, and what they say: what its limit is, and what would bring it nearer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# From so many instructions a cycle on, the processor is busy, and hides what misses there are.
BUSY = 2.0


@dataclass
class StageFigures:
    """One stage: its speed, its counts for each byte of text, and its distance from the limits."""

    megabytes_per_second: float
    memory_megabytes: float
    instructions: float
    misses: float
    mispredicted: float
    chase_nanoseconds: float
    instructions_per_cycle: float
    # How many times faster a copy is.
    copy_ratio: float
    # The share of its time that its misses take one after another, as in a pointer chase.
    misses_in_turn: float
    # The share that they take all at once, as in a copy.
    misses_at_once: float


class Remedy(NamedTuple):
    """What would save a stage instructions, and what would save it misses."""

    instructions: str
    misses: str


REMEDIES = {
    "count": Remedy(
        "a shorter lookup of each pretoken in the table",
        "a table that keeps frequent pretokens apart from those that occur once",
    ),
    "merges": Remedy(
        "counting all pairs anew less often, or fewer comparisons in the queue of pairs",
        "keeping the occurrences of a pair, and its count, in one place",
    ),
    "fragments": Remedy(
        "decoding several recorded numbers at once, with vectors",
        "numbering pretokens by frequency, so that frequent ones share cache lines",
    ),
    "supermerges": Remedy(
        "fewer comparisons in the queue of pairs",
        "keeping the occurrences of a pair, and its count, in one place",
    ),
    "pretokenize": Remedy(
        "fewer masks for blocks of letters, spaces and punctuation alone, which most are",
        "prefetching the text further ahead",
    ),
    "encode seen": Remedy(
        "one lookup for two frequent neighbours instead of one for each",
        "smaller entries in the table of pretokens",
    ),
    "encode unseen": Remedy(
        "starting new words from longer known prefixes than single characters",
        "a smaller table of merges, and smaller entries in that of pretokens",
    ),
    "decode": Remedy(
        "taking ids from an array instead of a list, and finding a token's bytes in fewer steps",
        "taking ids from an array instead of a list of Python's integers",
    ),
    "read .jsonl": Remedy(
        "looking for the end of a string with vectors instead of words of 8 bytes",
        "smaller blocks, which stay in the cache from one step to the next",
    ),
    "read .jsonl.zst": Remedy(
        "a faster decompressor, or text that is compressed less",
        "smaller blocks and a smaller window of zstd, which stay in the cache",
    ),
}


def describe_limit(stage: str, found: StageFigures) -> str:
    """Say what limits a stage, and what would bring it nearer to the limit."""
    remedy = REMEDIES[stage]
    rate = round(found.instructions_per_cycle, 1)
    if rate >= BUSY:
        return (
            f"the processor is busy, with {rate} instructions a cycle; what would save some of its "
            f"{found.instructions:.0f} instructions a byte: {remedy.instructions}."
        )
    return (
        f"the processor waits, with {rate} instructions a cycle, and its misses in turn would take "
        f"{found.misses_in_turn:.0%} of its time; what would save some of them: {remedy.misses}."
    )
