"""Texts and tokens as people read them: printable, with visible spaces."""

from __future__ import annotations

import re

__all__ = ["count_noun", "escape_controls", "quote", "readable"]

# What moves the cursor, changes the terminal, reorders text or cannot be encoded. A tab and a line
# end stay.
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_controls(text: str) -> str:
    r"""Return a text with its control characters escaped, as it may be printed to a terminal.

    These are all but tabs and line ends, with the characters that override the direction of text,
    and lone surrogates.

    Example:
        >>> escape_controls("a\x1b[2J\tb\u202e\udcff")
        'a\\x1b[2J\tb\\u202e\\udcff'
    """
    return CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def readable(token: bytes) -> str:
    r"""Return a token as printable text: line ends escaped, and `\x` before bytes of no character.

    Example:
        >>> readable(" of the\n".encode()), readable(b"\xe2\x80")
        (' of the\\n', '\\xe2\\x80')
    """
    text = token.decode("utf-8", errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def quote(token: bytes) -> str:
    """Return a token as printable text with visible spaces.

    Example:
        >>> quote(b" of the")
        '␣of␣the'
    """
    return readable(token).replace(" ", "␣")


def count_noun(count: int, noun: str) -> str:
    """Return a number with a noun.

    Example:
        >>> count_noun(1, "token"), count_noun(2000, "token")
        ('1 token', '2,000 tokens')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
