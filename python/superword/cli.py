"""The command `superword`. Its subcommands are modules of `superword.commands`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from superword.commands.messages import print_text
from superword.commands.on_demand import CommandOnDemand
from superword.commands.streams import CommandGroup

__all__ = ["app"]

COMMANDS = (
    *("pretokenize", "train", "count", "merge-counts", "inspect", "encode", "decode", "explain"),
    *("export", "extend", "prune", "evaluate", "compare", "bpb", "reproduce", "playground"),
)


class AllCommands(CommandGroup):
    """The commands, in the order in which the help lists them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: CommandOnDemand(name) for name in COMMANDS}


def print_version(is_wanted: bool) -> None:
    """Print the version and exit."""
    if is_wanted:
        from superword.version import find_version

        print_text(f"superword {find_version()}\n")
        raise typer.Exit


app = typer.Typer(
    cls=AllCommands,
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
