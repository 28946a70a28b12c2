"""`superword decode`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from superword.atomic_files import write_atomically
from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences, print_message, print_text
from superword.commands.options import Model, TextFile, option
from superword.commands.text_input import decode_input, read_input
from superword.corpus import reject_inputs
from superword.tokenizer import load

__all__ = ["decode_command"]

# Ids have ten digits at most. Python refuses to read integers of thousands of digits.
MAX_DIGITS = 100
# Longer values are shortened in messages.
MAX_SHOWN = 40


def decode_command(
    model: Model,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids; standard input by default.")] = None,
    file: TextFile = None,
    as_json: Annotated[
        bool,
        option(
            "Print a JSON string, in which invalid UTF-8 becomes �; with --output, a JSON summary.",
            "Output",
            "--json",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        option("Write the bytes to this file.", "Output", "--output", "-o"),
    ] = None,
) -> None:
    """Decode ids to bytes.

    Ids are separated by white space, or are a JSON array. On a terminal, control characters and
    bytes that are not UTF-8 are escaped.

    superword decode model.json 84 111 32 98 101

    superword encode model.json --json < README.md | superword decode model.json

    superword decode model.json --file ids.txt -o text.txt
    """
    with errors_as_sentences():
        if output is not None:
            reject_inputs([output], files=[model] if file is None else [model, file])
        tok = load(model)
        joined = " ".join(ids) if ids else None
        decoded = tok.decode_bytes(read_ids(decode_input(read_input(joined, file))))
        if output is not None:
            with write_atomically() as files:
                files.open(output).write(decoded)
    if output is not None:
        if as_json:
            print_json({"output": str(output), "bytes": len(decoded)})
        else:
            print_message(f"{output}: {len(decoded):,} bytes")
    elif as_json:
        print_json(decoded.decode("utf-8", "replace"))
    elif sys.stdout.isatty():
        print_text(decoded.decode("utf-8", "backslashreplace"))
    else:
        sys.stdout.buffer.write(decoded)
        sys.stdout.buffer.flush()


def read_ids(text: str) -> list[int]:
    r"""Return the ids in a text: a JSON array, or numbers separated by white space.

    Raises:
        ValueError: If something is not an id.

    Example:
        >>> read_ids("1 2\n3"), read_ids("[4, 5]")
        ([1, 2, 3], [4, 5])
    """
    if not text.lstrip().startswith("["):
        return [check_id(word, parse_integer(word)) for word in text.split()]
    try:
        array = json.loads(text, parse_int=parse_integer)
    except json.JSONDecodeError as error:
        raise ValueError(f"the ids are not a JSON array: {error}") from None
    except RecursionError:
        raise ValueError("the ids are not a JSON array: it is nested too deeply") from None
    return [check_id(item, item if type(item) is int else None) for item in array]


def parse_integer(digits: str) -> int | str:
    """Return the integer that digits spell, or the text if it is none, or has too many of them."""
    return int(digits) if digits.isdecimal() and len(digits) <= MAX_DIGITS else digits


def check_id(shown: object, id: int | str | None) -> int:
    """Return an id if it is one that a model may have.

    Raises:
        ValueError: If it is none.
    """
    if not isinstance(id, int) or not 0 <= id < 2**32:
        raise ValueError(
            f"an id must be an integer from 0 to 4294967295, not {shorten(repr(shown))}"
        )
    return id


def shorten(text: str) -> str:
    """Return the beginning of a text.

    Example:
        >>> shorten("1" * 50)
        '1111111111111111111111111111111111111111…'
    """
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
