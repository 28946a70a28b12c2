"""The patterns that split a document into pretokens, and which pretokens are eligible.

A pattern is a name or a regex. The names stand for the regexes in `NAMED_PATTERNS`, the listings of
the paper's appendix. Hand-written scanners run them and split exactly as PyPI's `regex` does. Any
other string is a regex in the dialect of the Rust crate `fancy-regex`: Unicode classes,
look-around, possessive and lazy repetitions, back references.
"""

from __future__ import annotations

from functools import lru_cache

from superword import _core

__all__ = [
    "DEFAULT_PATTERN",
    "ELIGIBLE",
    "NAMED_PATTERNS",
    "SECOND_PATTERN",
    "close_gaps",
    "is_eligible",
    "pretokenize",
]

NAMED_PATTERNS = _core.NAMED_PATTERNS
DEFAULT_PATTERN = "boundless"
ELIGIBLE = _core.ELIGIBLE
SECOND_PATTERN = _core.SECOND_PATTERN
"""The default pattern of SuperBPE's second stage. A scanner runs it too."""

# Compiling a regex takes longer than splitting a short text, and a program uses few regexes.
compile_pattern = lru_cache(maxsize=64)(_core.Pattern)
compile_eligibility = lru_cache(maxsize=64)(_core.Eligibility)


def pretokenize(text: str, pattern: str = DEFAULT_PATTERN) -> list[str]:
    r"""Split a text into pretokens. Joined, they are the text.

    Args:
        text: The text.
        pattern: `gpt2`, `gpt4`, `gpt4o`, `punct`, `boundless`, or a regex. Text between two matches
            of a regex is a pretoken too. Empty matches are ignored.

    Raises:
        PatternError: If the regex is malformed, or backtracks more than a million steps.
        UnicodeEncodeError: If the text holds a lone surrogate, which UTF-8 cannot encode.

    Example:
        >>> pretokenize("XMLHttpRequest isn't snake_case")
        ['XML', 'Http', 'Request', " isn't", ' snake', '_case']
        >>> pretokenize("1234567 or so", pattern="gpt4")
        ['123', '456', '7', ' or', ' so']
        >>> pretokenize("a-b-c", pattern=r"\p{L}")
        ['a', '-', 'b', '-', 'c']
    """
    return compile_pattern(pattern).split(text)


def is_eligible(pretoken: str, eligible: str = ELIGIBLE) -> bool:
    """Return whether a pretoken may take part in a supermerge.

    Args:
        pretoken: The pretoken.
        eligible: The regex that the whole pretoken must match. The default matches words with
            spaces, underscores and apostrophes, and requires a letter after the first character.

    Raises:
        PatternError: If the regex is malformed, or backtracks more than a million steps.

    Example:
        >>> [is_eligible(pretoken) for pretoken in (" the", "_case", "a", " 42", "!")]
        [True, True, False, False, False]
    """
    return compile_eligibility(eligible).has(pretoken)


def close_gaps(pattern: str) -> str:
    r"""Return a regex that matches the text between the matches of a pattern too.

    superword makes that text a pretoken. tiktoken drops it.

    Example:
        >>> close_gaps(r"\d+"), close_gaps("punct") == NAMED_PATTERNS["punct"]
        ('\\d+|(?:(?!\\d+)[\\s\\S])+', True)
    """
    regex = NAMED_PATTERNS.get(pattern, pattern)
    if compile_pattern(pattern).covers_all:
        return regex
    return rf"{regex}|(?:(?!{regex})[\s\S])+"
