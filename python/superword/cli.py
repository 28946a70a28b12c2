"""The command `superword`. Its subcommands are modules of `superword.commands`."""

from __future__ import annotations

from typing import Annotated

import typer

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
from superword.commands.multi_value import MultiValueCommand
from superword.commands.pretokenize import pretokenize_command
from superword.commands.reproduce import reproduce_command
from superword.commands.train import train_command
from superword.version import find_version

__all__ = ["app"]


def print_version(is_wanted: bool) -> None:
    """Print the version and exit."""
    if is_wanted:
        typer.echo(f"superword {find_version()}")
        raise typer.Exit


app = typer.Typer(
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
    """Superword tokenizers: words, and the phrases they form, as single tokens."""


app.command("pretokenize")(pretokenize_command)
app.command("train")(train_command)
app.command("count")(count_command)
app.command("merge-counts")(merge_counts_command)
app.command("inspect")(inspect_command)
app.command("encode")(encode_command)
app.command("decode")(decode_command)
app.command("explain")(explain_command)
app.command("export")(export_command)
app.command("extend")(extend_command)
app.command("evaluate", cls=MultiValueCommand)(evaluate_command)
app.command("compare", cls=MultiValueCommand)(compare_command)
app.command("reproduce", cls=MultiValueCommand)(reproduce_command)
