"""Tokens as people read them: printable, with visible spaces, in colors."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

__all__ = ["TOKEN_COLORS", "color_alternately", "quote", "readable"]

TOKEN_COLORS = ["black on bright_cyan", "black on bright_yellow"]


def color_alternately(pieces: Iterable[str]) -> Text:
    """Return the pieces in a row, in two alternating colors."""
    return Text().join(Text(piece, TOKEN_COLORS[at % 2]) for at, piece in enumerate(pieces))


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
