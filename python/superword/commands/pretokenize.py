"""`superword pretokenize`."""

from __future__ import annotations

from typing import Annotated

import typer

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences
from superword.commands.options import Pattern, option
from superword.commands.text_input import decode_input, read_input
from superword.patterns import pretokenize
from superword.tokenizer import TrainingConfig
from superword.tokenizer.display import color_alternately, open_console

__all__ = ["pretokenize_command"]


def pretokenize_command(
    text: Annotated[str | None, typer.Argument(help="Text; standard input by default.")] = None,
    pattern: Pattern = TrainingConfig.pattern,
    as_json: Annotated[bool, option("Print a JSON array.", "Output", "--json")] = False,
) -> None:
    """Split a text into pretokens. Merges do not cross them; supermerges do.

    On a terminal they are colored alternately. Elsewhere each is a line, as a JSON string.

    superword pretokenize "XMLHttpRequest isn't snake_case"

    superword pretokenize --pattern gpt4o --json < README.md
    """
    with errors_as_sentences():
        pretokens = pretokenize(decode_input(read_input(text, how="< {}")), pattern)
    console = open_console()
    if as_json:
        print_json(pretokens)
    elif console.is_terminal:
        console.print(color_alternately(pretokens))
    else:
        for pretoken in pretokens:
            print_json(pretoken)
