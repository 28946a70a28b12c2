"""Consoles that escape control characters, and the colors of tokens on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from superword.printable import escape_controls

__all__ = [
    "TOKEN_COLORS",
    "color_alternately",
    "count_colors",
    "open_console",
    "render_for_output",
]

TOKEN_COLORS = ["black on bright_cyan", "black on bright_yellow"]


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
