"""The command `superword`: one function a command."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from superword.errors import CorpusError, SuperwordError
from superword.patterns import NAMED_PATTERNS, pretokenize

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

SHADES = ["black on bright_cyan", "black on bright_yellow"]


@app.callback()
def superword() -> None:
    """Superword tokenizers: words, and the phrases they form, as single tokens."""


@app.command("pretokenize")
def pretokenize_command(
    text: Annotated[str | None, typer.Argument(help="The text; standard input if absent.")] = None,
    pattern: Annotated[
        str, typer.Option(help=f"One of {', '.join(NAMED_PATTERNS)}, or a regex.")
    ] = "boundless",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """Split a text into pretokens, the words that merges stay within.

    On a terminal they are coloured in turn; otherwise each is a line, as a JSON string.

    superword pretokenize "XMLHttpRequest isn't snake_case"

    superword pretokenize --pattern gpt4o --json < README.md
    """
    try:
        pretokens = pretokenize(read_standard_input() if text is None else text, pattern)
    except SuperwordError as refused:
        typer.echo(f"superword: {refused}", err=True)
        raise typer.Exit(1) from None
    console = Console(soft_wrap=True, highlight=False)
    if as_json:
        sys.stdout.write(json.dumps(pretokens, ensure_ascii=False) + "\n")
    elif console.is_terminal:
        coloured = (Text(p, SHADES[i % 2]) for i, p in enumerate(pretokens))
        console.print(Text().join(coloured))
    else:
        sys.stdout.writelines(json.dumps(p, ensure_ascii=False) + "\n" for p in pretokens)


def read_standard_input() -> str:
    """The text on standard input, with its line ends as they are."""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8; convert the text first, with iconv for one"
        raise CorpusError(message, file="standard input") from None
