"""The patterns that split a document into pretokens, and which pretokens are eligible.

A pattern is a name or a regex. The names stand for the regexes in `NAMED_PATTERNS`, the listings of
the paper's appendix, for the split of a published vocabulary (`superword.vocabularies`), or for
`SCRIPT_PATTERN`, which splits by script.
Hand-written scanners run them and split exactly as PyPI's `regex` does. Any other string is a regex
in the dialect of the Rust crate `fancy-regex`: Unicode classes, look-around, possessive and lazy
repetitions, back references. Several regexes in a row, each of which splits the pieces of the one
before it, are joined by `(?then)`. A string of letters, digits, `_`, `.` and `-` alone is a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache

from superword import _core
from superword.errors import PatternError
from superword.vocabularies import VOCABULARIES

__all__ = [
    "DEFAULT_PATTERN",
    "ELIGIBLE",
    "NAMED_PATTERNS",
    "PATTERN_NAMES",
    "SCRIPT_ELIGIBLE",
    "SCRIPT_PATTERN",
    "SECOND_PATTERN",
    "choose_eligible",
    "close_gaps",
    "find_known_pattern",
    "find_pattern_name",
    "find_regex",
    "is_eligible",
    "join_patterns",
    "pretokenize",
    "quote_regex",
    "resolve_pattern",
    "split_pattern",
]

NAMED_PATTERNS = _core.NAMED_PATTERNS
DEFAULT_PATTERN = _core.DEFAULT_PATTERN
ELIGIBLE = _core.ELIGIBLE
SCRIPT_PATTERN = _core.SCRIPT_PATTERN
"""The pattern that splits by script. It has a name, but no single regex is equivalent to it."""
SCRIPT_ELIGIBLE = _core.SCRIPT_ELIGIBLE
"""The default of `eligible` with `SCRIPT_PATTERN`."""
SECOND_PATTERN = _core.SECOND_PATTERN
"""The default pattern of SuperBPE's second stage. A scanner runs it too."""
PATTERN_NAMES = list(dict.fromkeys([*NAMED_PATTERNS, SCRIPT_PATTERN, *VOCABULARIES]))
"""The names of patterns: the named ones, and published vocabularies."""

# What separates several regexes in a row.
THEN = "(?then)"
NAME = re.compile(r"[A-Za-z0-9_.-]{2,}")

# Compiling a regex takes longer than splitting a short text, and a program uses few regexes.
compile_pattern = lru_cache(maxsize=64)(_core.Pattern)
compile_eligibility = lru_cache(maxsize=64)(_core.Eligibility)


def resolve_pattern(pattern: str) -> str:
    r"""Return the pattern that a name stands for; a regex is returned as it is.

    Models hold the result, so a model does not depend on the names of vocabularies.

    Raises:
        PatternError: If it is like a name, and there is no such name.

    Example:
        >>> resolve_pattern("o200k_base"), resolve_pattern(r"\p{L}+")
        ('gpt4o', '\\p{L}+')
    """
    if pattern in NAMED_PATTERNS or pattern == SCRIPT_PATTERN:
        return pattern
    if pattern in VOCABULARIES:
        return VOCABULARIES[pattern].pattern
    if NAME.fullmatch(pattern):
        near = get_close_matches(pattern.lower(), PATTERN_NAMES, cutoff=0.5) or PATTERN_NAMES
        raise PatternError(
            f"there is no pattern named {pattern!r}; is it one of {', '.join(near)}? "
            f"To split by this regex, write (?:{pattern})"
        )
    return pattern


def quote_regex(regex: str) -> str:
    """Return an equivalent regex that is not like a name.

    Example:
        >>> quote_regex("gpt4o"), quote_regex("a+")
        ('(?:gpt4o)', 'a+')
    """
    return f"(?:{regex})" if NAME.fullmatch(regex) else regex


def join_patterns(patterns: Sequence[str]) -> str:
    r"""Return the pattern that splits by several, one after the other.

    Each splits the pieces of the one before it, as if they were texts of their own.

    Example:
        >>> join_patterns(["gpt4"]), join_patterns([r"\p{N}", "[a-z]+"])
        ('gpt4', '\\p{N}(?then)[a-z]+')
    """
    first, *others = patterns
    return THEN.join(NAMED_PATTERNS.get(p, p) for p in patterns) if others else first


def split_pattern(pattern: str) -> list[str]:
    r"""Return the regexes of a pattern, one after the other. Most patterns are one regex.

    Example:
        >>> split_pattern(r"\p{N}(?then)[a-z]+")
        ['\\p{N}', '[a-z]+']
    """
    return find_regex(pattern).split(THEN)


def find_known_pattern(pattern: str) -> str | None:
    """Return a named pattern or that of a published vocabulary; None for any other regex.

    Example:
        >>> find_known_pattern(NAMED_PATTERNS["gpt4"]), find_known_pattern("a+")
        ('gpt4', None)
    """
    names = {regex: name for name, regex in NAMED_PATTERNS.items()}
    pattern = names.get(pattern, pattern)
    known = {
        *NAMED_PATTERNS,
        SCRIPT_PATTERN,
        *(vocabulary.pattern for vocabulary in VOCABULARIES.values()),
    }
    return pattern if pattern in known else None


def find_pattern_name(pattern: str) -> str:
    """Return a name of a pattern, to show; the regex itself if it has none."""
    known = find_known_pattern(pattern)
    names = (name for name in PATTERN_NAMES if resolve_pattern(name) == known)
    return next(names, pattern)


def find_regex(pattern: str) -> str:
    """Return the regex of a pattern.

    Raises:
        PatternError: If the pattern splits by script, which no regex can do.

    Example:
        >>> find_regex("punct") == NAMED_PATTERNS["punct"], find_regex("a+")
        (True, 'a+')
    """
    if pattern == SCRIPT_PATTERN:
        raise PatternError(f"the pattern {SCRIPT_PATTERN} splits by script, which no regex can do")
    return NAMED_PATTERNS.get(pattern, pattern)


def pretokenize(text: str, pattern: str = DEFAULT_PATTERN) -> list[str]:
    r"""Split a text into pretokens. Joined, they are the text.

    Args:
        text: The text.
        pattern: `gpt2`, `gpt4`, `gpt4o`, `punct`, `boundless`, `gpt4o-scripts`, the name of a
            published vocabulary such as `cl100k_base`, `llama3` or `qwen2`, or a regex. Text
            between two matches of a regex is a pretoken too. Empty matches are ignored.

    Raises:
        PatternError: If the name is unknown, or the regex is malformed, or backtracks more than a
            million steps.
        UnicodeEncodeError: If the text holds a lone surrogate, which UTF-8 cannot encode.

    Example:
        >>> pretokenize("XMLHttpRequest isn't snake_case")
        ['XMLHttp', 'Request', " isn't", ' snake', '_case']
        >>> pretokenize("1234567 or so", pattern="gpt4")
        ['123', '456', '7', ' or', ' so']
        >>> pretokenize("a-b-c", pattern=r"\p{L}")
        ['a', '-', 'b', '-', 'c']
        >>> pretokenize("Made in 東京", pattern="gpt4o-scripts")
        ['Made', ' in', ' 東', '京']
    """
    return compile_pattern(resolve_pattern(pattern)).split(text)


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


def choose_eligible(pattern: str) -> str:
    """Return the default of `eligible` with a pattern.

    Example:
        >>> choose_eligible("gpt4o") == ELIGIBLE, choose_eligible("gpt4o-scripts") == ELIGIBLE
        (True, False)
    """
    return SCRIPT_ELIGIBLE if pattern == SCRIPT_PATTERN else ELIGIBLE


def close_gaps(pattern: str) -> str:
    r"""Return a regex that matches the text between the matches of a pattern too.

    superword makes that text a pretoken. tiktoken drops it.

    Raises:
        PatternError: If the pattern is several regexes in a row, which no single one expresses.

    Example:
        >>> close_gaps(r"\d+"), close_gaps("punct") == NAMED_PATTERNS["punct"]
        ('\\d+|(?:(?!\\d+)[\\s\\S])+', True)
    """
    regex, *others = split_pattern(pattern)
    if others:
        raise PatternError("several regexes in a row cannot be written as one")
    if compile_pattern(pattern).covers_all:
        return regex
    return rf"{regex}|(?:(?!{regex})[\s\S])+"
