"""Options that take all values up to the next option: --corpus a.jsonl b.jsonl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from typer.core import TyperCommand

__all__ = ["MultiValueCommand", "repeat_option"]

MULTI_VALUE_OPTIONS = ("--corpus", "--train", "--eval", "--vocab-sizes")


class MultiValueCommand(TyperCommand):
    """A command in which such an option may be written once for several values, as globs give."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments as if the option stood before each of its values."""
        return super().parse_args(ctx, list(repeat_option(args)))


def repeat_option(
    arguments: Iterable[str], options: tuple[str, ...] = MULTI_VALUE_OPTIONS
) -> Iterator[str]:
    """Repeat an option before each of its values.

    Example:
        >>> list(repeat_option(["model.json", "--corpus", "a", "b", "--json"]))
        ['model.json', '--corpus', 'a', '--corpus', 'b', '--json']
        >>> list(repeat_option(["--corpus=a", "model.json", "--corpus", "-"]))
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
