"""The steps of an explanation, for notebooks, terminals and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from rich.console import Console
from rich.text import Text

from superword.printable import quote
from superword.tokenizer.colors import KIND_COLORS
from superword.tokenizer.display import count_colors, render_for_output
from superword.tokenizer.rules import Step
from superword.tokenizer.token_html import build_steps

__all__ = ["Explanation", "print_steps"]

# For terminals with 16 colors.
STYLES = {
    "merge": "black on bright_green",
    "supermerge": "black on bright_yellow",
    "delete": "black on bright_red",
}


class Explanation(list[Step]):
    """The steps of an explanation: a list, shown as HTML in notebooks and as lines elsewhere."""

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        return build_steps(self)

    def __repr__(self) -> str:
        """Return a line for each step; new tokens in colors on a terminal, else in brackets.

        Example:
            >>> Explanation([Step(None, [[b"t", b"o"], [b" "]], [])])
            bytes  t o | ␣
        """
        width = max(map(len, map(step_name, self)), default=0)
        return render_for_output(lambda console: print_steps(self, width, console))


def print_steps(steps: Iterable[Step], width: int, console: Console) -> None:
    """Print a line for each step: its name, padded to a width, and its units."""
    colors = count_colors(console)
    for step in steps:
        units = color_new(step, colors) if colors else Text(bracket_new(step))
        console.print(Text.assemble(f"{step_name(step):{width}}  ", units))


def step_name(step: Step) -> str:
    """Return the kind of a step's rule and its index: merge 12."""
    if step.rule is None:
        return "removed" if step.changes else "bytes"
    return f"{step.rule.kind} {step.rule.index}"


def split_pieces(step: Step) -> Iterator[tuple[str, bool]]:
    """Yield tokens and separators, each with whether the rule made it."""
    new = set(step.changes)
    for index, unit in enumerate(step.units):
        if index:
            yield " | ", False
        for at, token in enumerate(unit):
            if at:
                yield " ", False
            yield quote(token), (index, at) in new


def bracket_new(step: Step) -> str:
    """Return the units of a step, with new tokens in brackets: T i p | [␣t] h e."""
    return "".join(f"[{piece}]" if is_new else piece for piece, is_new in split_pieces(step))


def color_new(step: Step, colors: Literal[16, 256]) -> Text:
    """Return the units of a step, with new tokens in the color of the rule's kind."""
    kind = "delete" if step.rule is None else step.rule.kind
    style = f"black on {KIND_COLORS[kind].as_pastel()}" if colors > 16 else STYLES[kind]
    return Text.assemble(
        *((piece, style if is_new else "") for piece, is_new in split_pieces(step))
    )
