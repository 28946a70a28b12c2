"""The command `superword`. Its subcommands are modules of `superword.commands`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated

import typer
from typer.core import TyperCommand

from superword.commands.bpb import bpb_command
from superword.commands.compare import compare_command
from superword.commands.count import count_command
from superword.commands.decode import decode_command
from superword.commands.encode import encode_command
from superword.commands.evaluate import evaluate_command
from superword.commands.explain import explain_command
from superword.commands.export import export_command
from superword.commands.extend import extend_command
from superword.commands.inspect import inspect_command
from superword.commands.merge_counts import merge_counts_command
from superword.commands.messages import print_text
from superword.commands.multi_value import MultiValueCommand
from superword.commands.playground import playground_command
from superword.commands.pretokenize import pretokenize_command
from superword.commands.prune import prune_command
from superword.commands.reproduce import reproduce_command
from superword.commands.streams import CommandGroup
from superword.commands.train import train_command
from superword.version import find_version

__all__ = ["app"]


def print_version(is_wanted: bool) -> None:
    """Print the version and exit."""
    if is_wanted:
        print_text(f"superword {find_version()}\n")
        raise typer.Exit


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback()
def superword(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True),
    ] = False,
) -> None:
    """Superword tokenizers: words, and the phrases they form, as single tokens.

    superword train corpus/*.jsonl.zst -o model.json --vocab-size 131072

    superword encode superword-131k "To be or not to be"

    superword COMMAND --help shows more examples.
    """


def add_command(
    name: str, command: Callable[..., None], kind: type[TyperCommand] = TyperCommand
) -> None:
    """Add a command. Its docstring is the help."""
    app.command(name, cls=kind, help=join_lines(inspect.getdoc(command) or ""))(command)


def join_lines(text: str) -> str:
    r"""Return a text with each paragraph on one line, to be wrapped at the terminal's width.

    Example:
        >>> join_lines("One\nand two.\n\nThree.")
        'One and two.\n\nThree.'
    """
    return "\n\n".join(paragraph.replace("\n", " ") for paragraph in text.split("\n\n"))


add_command("pretokenize", pretokenize_command)
add_command("train", train_command)
add_command("count", count_command)
add_command("merge-counts", merge_counts_command)
add_command("inspect", inspect_command)
add_command("encode", encode_command)
add_command("decode", decode_command)
add_command("explain", explain_command)
add_command("export", export_command)
add_command("extend", extend_command)
add_command("prune", prune_command)
add_command("evaluate", evaluate_command, MultiValueCommand)
add_command("compare", compare_command, MultiValueCommand)
add_command("bpb", bpb_command, MultiValueCommand)
add_command("reproduce", reproduce_command, MultiValueCommand)
add_command("playground", playground_command)
