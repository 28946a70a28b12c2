"""Tokens as people read them: printable, with visible blanks, in colors."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

__all__ = ["TOKEN_COLORS", "color_alternately", "quoted", "readable"]

TOKEN_COLORS = ["black on bright_cyan", "black on bright_yellow"]


def color_alternately(pieces: Iterable[str]) -> Text:
    """The pieces one after the other, coloured in turn."""
    return Text().join(Text(piece, TOKEN_COLORS[at % 2]) for at, piece in enumerate(pieces))


def readable(token: bytes) -> str:
    r"""Show a token as text: no line ends, and `\x` before bytes that are no UTF-8.

    Example:
        >>> readable(" of the\n".encode()), readable(b"\xe2\x80")
        (' of the\\n', '\\xe2\\x80')
    """
    text = token.decode("utf-8", errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def quoted(token: bytes) -> str:
    """A token with its blanks visible: ␣of␣the."""
    return readable(token).replace(" ", "␣")
