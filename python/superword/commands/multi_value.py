"""Options that take several values: --corpus a.jsonl b.jsonl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from typer.core import TyperCommand

__all__ = ["MultiValueCommand", "repeat_options"]

MULTI_VALUE_OPTIONS = (
    *("--corpus", "--train", "--eval", "--vocab-sizes", "--tau", "--min-count"),
    *("--max-superwords", "--patterns", "--tokenizers", "--metrics"),
)


class MultiValueCommand(TyperCommand):
    """A command in which an option may precede several values, as a glob expands to."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments with such options repeated before each value."""
        # Other commands have options of the same names, which take one value.
        repeated = (name for each in self.params if each.multiple for name in each.opts)
        options = tuple(name for name in repeated if name in MULTI_VALUE_OPTIONS)
        return super().parse_args(ctx, list(repeat_options(args, options)))


def repeat_options(
    arguments: Iterable[str], options: tuple[str, ...] = MULTI_VALUE_OPTIONS
) -> Iterator[str]:
    """Repeat an option before each of its values.

    Example:
        >>> list(repeat_options(["model.json", "--corpus", "a", "b", "--json"]))
        ['model.json', '--corpus', 'a', '--corpus', 'b', '--json']
        >>> list(repeat_options(["--corpus=a", "model.json", "--corpus", "-"]))
        ['--corpus=a', 'model.json', '--corpus', '-']
    """
    option = None
    for argument in arguments:
        if argument in options:
            option = argument
        elif argument.startswith("-") and argument != "-":
            option = None
            yield argument
        elif option:
            yield option
            yield argument
        else:
            yield argument
