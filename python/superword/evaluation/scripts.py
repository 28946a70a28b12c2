"""Sum up bytes and tokens by script: Latin, Cyrillic, Han and so on.

A character belongs to the script that Unicode assigns to it. Spaces, digits, punctuation and other
characters of no script belong with the next character that has one, or with the last one at the
end of a document. So the bytes of a script are the same for every tokenizer. A token belongs to
the script of the character in which it starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.evaluation.script_ranges import RANGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SCRIPTS", "ScriptTotals", "count_scripts", "name_scripts"]

# By their numbers in RANGES, from 1; Kana is Hiragana and Katakana. Documents without a character
# of any script are `other`, too.
SCRIPTS = (
    "Latin",
    "Cyrillic",
    "Greek",
    "Han",
    "Kana",
    "Hangul",
    "Arabic",
    "Thai",
    "Devanagari",
    "other",
)
OTHER = len(SCRIPTS)


class ScriptTotals(NamedTuple):
    """The bytes and tokens of one script."""

    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes per token; None if no token starts in the script."""
        return self.bytes / self.tokens if self.tokens else None


def count_scripts(texts: Sequence[str], token_ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the bytes and the tokens of each script: an array of a row each.

    Args:
        texts: The documents.
        token_ends: The end of each token in bytes, in the concatenated documents.

    Example:
        `to be| или| не|!|`, where spaces belong with the letters that follow:

        >>> name_scripts(count_scripts(["to be или не!"], np.array([5, 12, 17, 18])))
        {'Cyrillic': ScriptTotals(bytes=13, tokens=3), 'Latin': ScriptTotals(bytes=5, tokens=1)}
    """
    ends, scripts = find_script_runs(texts)
    token_starts = np.concatenate(([0], token_ends[:-1]))
    tokens = np.diff(np.searchsorted(token_starts, ends), prepend=0)
    sums = np.zeros((2, OTHER + 1), np.int64)
    np.add.at(sums[0], scripts, np.diff(ends, prepend=0))
    np.add.at(sums[1], scripts, tokens)
    return sums


def find_script_runs(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide texts into runs of one script; return the end of each in bytes, and its script.

    Example:
        >>> ends, scripts = find_script_runs(["no, да!", "1"])
        >>> ends.tolist(), [SCRIPTS[script - 1] for script in scripts]
        ([2, 9, 10], ['Latin', 'Cyrillic', 'other'])
    """
    characters = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    text_ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    script_of = load_script_table()[characters]
    owners = np.flatnonzero(script_of)
    scripts = script_of[owners].astype(np.int64)
    # A run ends with the last of several characters of one script, and at the end of a text.
    is_end = np.diff(scripts, append=0) != 0
    run_ends = owners + 1
    owned = np.searchsorted(owners, text_ends)
    has_script = np.diff(owned, prepend=0) > 0
    is_end[owned[has_script] - 1] = True
    run_ends[owned[has_script] - 1] = text_ends[has_script]
    # Texts without a character of any script are runs of their own.
    is_bare = ~has_script & (np.diff(text_ends, prepend=0) > 0)
    ends = np.concatenate((run_ends[is_end], text_ends[is_bare]))
    scripts = np.concatenate((scripts[is_end], np.full(np.count_nonzero(is_bare), OTHER)))
    order = np.argsort(ends)
    return find_byte_offsets(characters, ends[order]), scripts[order]


def find_byte_offsets(
    characters: NDArray[np.uint32], offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Turn offsets in characters into offsets in bytes of UTF-8."""
    extra = np.zeros(len(offsets), np.int64)
    for limit in (0x80, 0x800, 0x10000):
        extra += np.searchsorted(np.flatnonzero(characters >= limit), offsets)
    return offsets + extra


@cache
def load_script_table() -> NDArray[np.uint8]:
    """Return the script of each code point; 0 for none."""
    ranges = np.array(RANGES)
    sizes = np.diff(ranges >> 4, append=0x110000)
    return np.repeat((ranges & 15).astype(np.uint8), sizes)


def name_scripts(counts: NDArray[np.int64]) -> dict[str, ScriptTotals]:
    """Return the totals of each script that occurs, the one with most bytes first."""
    totals = map(ScriptTotals, *counts[:, 1:].tolist())
    named = zip(SCRIPTS, totals, strict=True)
    found = [(name, each) for name, each in named if each.bytes]
    return dict(sorted(found, key=lambda pair: -pair[1].bytes))
