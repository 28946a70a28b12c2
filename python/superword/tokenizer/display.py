"""Tokens as people read them: printable, with visible spaces, in colors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Literal

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

__all__ = [
    "TOKEN_COLORS",
    "color_alternately",
    "count_colors",
    "count_noun",
    "escape_controls",
    "open_console",
    "quote",
    "readable",
    "render_for_output",
]

TOKEN_COLORS = ["black on bright_cyan", "black on bright_yellow"]

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


class EscapingConsole(Console):
    """A console that prints the control characters of a text escaped, and its own as they are."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of what is printed."""
        for segment in super().render(renderable, options):
            if segment.control is None:
                yield Segment(escape_controls(segment.text), segment.style)
            else:
                yield segment

    def on_broken_pipe(self) -> None:
        """Leave it to the command line how to end if nobody reads what is printed."""
        raise  # noqa: PLE0704


def open_console(*, stderr: bool = False, soft_wrap: bool = True, **options: Any) -> Console:
    """Return a console for standard output, or standard error, that escapes control characters."""
    return EscapingConsole(stderr=stderr, soft_wrap=soft_wrap, highlight=False, **options)


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
    console = open_console()
    if console.is_jupyter:
        console = open_console(force_jupyter=False, force_terminal=False)
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
