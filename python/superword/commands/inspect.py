"""`superword inspect`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences
from superword.commands.options import Model, option
from superword.tokenizer import load
from superword.tokenizer.inspection import inspect, show

__all__ = ["inspect_command"]


def inspect_command(
    model: Model,
    top: Annotated[int, typer.Option(min=0, help="Number of tokens in each list.")] = 20,
    as_json: Annotated[bool, option("Print a JSON object.", "Output", "--json")] = False,
) -> None:
    """Show a summary of a model: rules by kind, superwords, deleted tokens, configuration.

    Spaces in tokens are shown as ␣, and bytes that are not UTF-8 in hexadecimal.

    superword inspect model.json

    superword inspect --top 5 --json model.json
    """
    with errors_as_sentences():
        found = inspect(load(model), top)
    if as_json:
        print_json(found.as_json())
    else:
        show(found, Console(soft_wrap=True, highlight=False))
