"""The patterns that split a document into pretokens, and the rule of eligibility.

A pattern is a name or a regex. The names stand for the regexes in `NAMED_PATTERNS`, which are the
listings of the paper's appendix; what they give is what PyPI's `regex` gives for them, and they
run on scanners written by hand. Any other string is a regex in the dialect of the Rust crate
`fancy-regex`: Unicode classes, look-around, possessive and lazy repetitions, back references.
"""

from __future__ import annotations

from functools import lru_cache

from superword import _core

__all__ = ["ELIGIBLE", "NAMED_PATTERNS", "SECOND_PATTERN", "is_eligible", "pretokenize"]

NAMED_PATTERNS = _core.NAMED_PATTERNS
ELIGIBLE = _core.ELIGIBLE
SECOND_PATTERN = _core.SECOND_PATTERN
"""The default pattern of SuperBPE's second stage, which runs on a scanner too."""

# Compiling a regex costs more than a short text; a program uses few of them.
compiled = lru_cache(maxsize=64)(_core.Pattern)
eligibility = lru_cache(maxsize=64)(_core.Eligibility)


def pretokenize(text: str, pattern: str = "boundless") -> list[str]:
    r"""Split a text into pretokens. Put together, they are the text.

    Args:
        text: The text.
        pattern: `gpt2`, `gpt4`, `gpt4o`, `punct`, `boundless`, or a regex. Each longest stretch
            that a regex leaves unmatched is a pretoken of its own, and empty matches are ignored.

    Raises:
        PatternError: If the regex is malformed, or backtracks more than a million steps.
        UnicodeEncodeError: If the text holds a lone surrogate, which no UTF-8 can.

    Example:
        >>> pretokenize("XMLHttpRequest isn't snake_case")
        ['XML', 'Http', 'Request', " isn't", ' snake', '_case']
        >>> pretokenize("1234567 or so", pattern="gpt4")
        ['123', '456', '7', ' or', ' so']
        >>> pretokenize("a-b-c", pattern=r"\p{L}")
        ['a', '-', 'b', '-', 'c']
    """
    return compiled(pattern).split(text)


def is_eligible(pretoken: str, eligible: str = ELIGIBLE) -> bool:
    """Say whether a pretoken may take part in a supermerge.

    Args:
        pretoken: The pretoken.
        eligible: The regex that the whole of an eligible pretoken matches. The default takes
            words, with spaces, underscores and apostrophes; a letter must stand after the first
            character.

    Raises:
        PatternError: If the regex is malformed, or backtracks more than a million steps.

    Example:
        >>> [is_eligible(pretoken) for pretoken in (" the", "_case", "a", " 42", "!")]
        [True, True, False, False, False]
    """
    return eligibility(eligible).has(pretoken)
