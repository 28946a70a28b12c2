"""Commands that are imported when they are needed, so that `superword --help` is fast."""

from __future__ import annotations

import ast
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import typer.main
from typer.core import TyperCommand

from superword.commands.multi_value import MultiValueCommand

__all__ = ["CommandOnDemand"]


class CommandOnDemand(TyperCommand):
    """A command that is imported when more of it is needed than a list of commands shows.

    The command `merge-counts` is the function `merge_counts_command` of
    `superword.commands.merge_counts`. Its docstring is the help.
    """

    # With the name and the help, all that a list of commands asks for.
    short_help = rich_help_panel = None
    hidden = deprecated = False

    def __init__(self, name: str) -> None:
        # All other attributes are those of the command itself: see __getattr__.
        self.name = name
        self.module = name.replace("-", "_")

    @cached_property
    def help(self) -> str:  # type: ignore[override]
        """The docstring of the command, read without importing it."""
        source = Path(__file__).with_name(f"{self.module}.py").read_text("utf-8")
        functions = (each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef))
        [command] = (each for each in functions if each.name == f"{self.module}_command")
        return join_lines(ast.get_docstring(command) or "")

    @cached_property
    def command(self) -> Any:
        """The command itself."""
        module = import_module(f"superword.commands.{self.module}")
        app = typer.Typer(add_completion=False)
        decorate = app.command(self.name, cls=MultiValueCommand, help=self.help)
        decorate(getattr(module, f"{self.module}_command"))
        return typer.main.get_command(app)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the options of the command, which then runs or shows its help."""
        return self.command.make_context(*args, **extra)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the command itself."""
        return getattr(self.command, name)


def join_lines(text: str) -> str:
    r"""Return a text with each paragraph on one line, to be wrapped at the terminal's width.

    Example:
        >>> join_lines("One\nand two.\n\nThree.")
        'One and two.\n\nThree.'
    """
    return "\n\n".join(paragraph.replace("\n", " ") for paragraph in text.split("\n\n"))
