"""The command `superword`: one function a command."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from superword.errors import CorpusError, SuperwordError
from superword.inspection import inspect, show
from superword.patterns import NAMED_PATTERNS, pretokenize
from superword.tokenizer import Tokenizer, load

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


@app.command("inspect")
def inspect_command(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    top: Annotated[int, typer.Option(min=0, help="How many tokens each list shows.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Show what is in a model: counts by kind, superwords, deleted tokens, settings.

    Blanks in tokens are shown as ␣, and bytes that are no UTF-8 in hexadecimal.

    superword inspect model.json

    superword inspect --top 5 --json model.json
    """
    found = inspect(load_or_exit(model), top)
    if as_json:
        sys.stdout.write(json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n")
    else:
        show(found, Console(soft_wrap=True, highlight=False))


def load_or_exit(path: Path) -> Tokenizer:
    """The tokenizer of a file; what is wrong with it, or differs, is said on standard error."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tok = load(path)
    except SuperwordError as refused:
        typer.echo(f"superword: {refused}", err=True)
        raise typer.Exit(1) from None
    except OSError as refused:
        typer.echo(f"superword: {path}: {refused.strerror}", err=True)
        raise typer.Exit(1) from None
    for warning in caught:
        typer.echo(f"superword: {warning.message}", err=True)
    return tok


def read_standard_input() -> str:
    """The text on standard input, with its line ends as they are."""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8; convert the text first, with iconv for one"
        raise CorpusError(message, file="standard input") from None
