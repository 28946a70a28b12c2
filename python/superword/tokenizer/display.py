"""Tokens as people read them: printable, with visible spaces, in colors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from rich.console import Console
from rich.text import Text

__all__ = [
    "TOKEN_COLORS",
    "color_alternately",
    "count_colors",
    "count_noun",
    "quote",
    "readable",
    "render_for_output",
]

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


def render_for_output(print_to: Callable[[Console], None]) -> str:
    """Return what a function prints, with escapes only if standard output is a terminal.

    Notebooks are no terminals, even if they ask for colors.
    """
    console = Console(soft_wrap=True, highlight=False)
    if console.is_jupyter:
        console = Console(
            soft_wrap=True, highlight=False, force_jupyter=False, force_terminal=False
        )
    with console.capture() as captured:
        print_to(console)
    return captured.get().removesuffix("\n")


def count_colors(console: Console) -> Literal[0, 16, 256]:
    """Return how many colors a console has: none, 16, or at least 256."""
    if not console.is_terminal or console.color_system is None or console.no_color:
        return 0
    return 256 if console.color_system in ("256", "truecolor") else 16


def count_noun(count: int, noun: str) -> str:
    """Return a number with a noun.

    Example:
        >>> count_noun(1, "token"), count_noun(2000, "token")
        ('1 token', '2,000 tokens')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
