"""`superword encode`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    Column,
    ErrorChoice,
    MaxBytes,
    MaxDocuments,
    Model,
    OnErrorChoice,
    ProgressChoice,
    Separator,
    ShownProgress,
    TextFile,
    Threads,
)
from superword.commands.text_input import given_bytes
from superword.corpus.documents import Shard
from superword.corpus.paths import RawPath
from superword.tokenizer.display import color_alternately, readable
from superword.tokenizer.tokenizer import Tokenizer, load
from superword.tokens.corpus_encoding import Encoded, encode_corpus

__all__ = ["encode_command"]


def encode_command(
    model: Model,
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT_OR_CORPUS",
            help="A text, standard input if absent; or with --output the corpus: files, folders, "
            "globs, URLs; - is standard input.",
        ),
    ] = None,
    file: TextFile = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON array of ids; with --output, what was done."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Encode a corpus to this file: .npy, .bin, .parquet or .idx."
        ),
    ] = None,
    end_of_text: Annotated[
        str | None,
        typer.Option(help="The special token, or the id, to put after each document."),
    ] = None,
    append: Annotated[
        bool, typer.Option("--append", help="Keep what is in the file; it must be of this model.")
    ] = False,
    shard: Annotated[
        str | None, typer.Option(help="Encode the files of shard i of n only: 0/8 to 7/8.")
    ] = None,
    column: Column = "text",
    separator: Separator = None,
    max_bytes: MaxBytes = None,
    max_documents: MaxDocuments = None,
    on_error: OnErrorChoice = ErrorChoice.raise_,
    threads: Threads = None,
    progress: ShownProgress = ProgressChoice.auto,
) -> None:
    """Encode a text, or a corpus to a file.

    The ids of a text are printed, with its tokens on a terminal. Special tokens that it spells
    are text like any other.

    A corpus becomes a .npy or a .bin file of all ids, with the offsets of its documents beside it
    in .offsets.npy unless there is an --end-of-text, or a .parquet file with a row each, or an
    .idx and a .bin file as Megatron reads them.

    superword encode model.json "To be or not to be"

    superword encode model.json --file README.md | superword decode model.json

    superword encode model.json corpus/*.jsonl.zst -o tokens.npy

    superword encode model.json books/ -o tokens.bin --end-of-text "<|endoftext|>"

    superword encode model.json corpus/ -o tokens-$i.idx --shard $i/8
    """
    if output is None:
        with errors_as_sentences():
            tok = load(model)
            if end_of_text is not None or append or shard is not None:
                raise ValueError(
                    "--end-of-text, --append and --shard are for a corpus; name an --output"
                )
            if given and len(given) > 1:
                raise ValueError("there are several texts; quote them as one, or name an --output")
            data, _ = given_bytes(given[0] if given else None, file)
            ids = tok.encode_bytes(data)
        show_ids(tok, ids, as_json)
        return
    with errors_as_sentences():
        tok = load(model)
        if not given or file is not None:
            raise ValueError("with --output, name the corpus after the model; - is standard input")
        encoded = encode_corpus(
            tok,
            [RawPath(place) for place in given],
            output,
            end_of_text=None if end_of_text is None else token_or_id(tok, end_of_text),
            append=append,
            shard=None if shard is None else read_shard(shard),
            column=column,
            separator=separator,
            max_bytes=max_bytes,
            max_documents=max_documents,
            on_error=on_error.mode(),
            threads=threads,
            progress=progress.callback(),
        )
    if as_json:
        sys.stdout.write(json.dumps(encoded._asdict()) + "\n")
    summarize(encoded, output, Console(stderr=True, soft_wrap=True, highlight=False))


def show_ids(tok: Tokenizer, ids: list[int], as_json: bool) -> None:
    """Print ids; on a terminal their tokens too."""
    console = Console(soft_wrap=True, highlight=False)
    if as_json:
        sys.stdout.write(json.dumps(ids) + "\n")
        return
    if console.is_terminal:
        console.print(color_alternately(readable(tok.token_bytes(id)) for id in ids))
    sys.stdout.write(" ".join(map(str, ids)) + "\n")


def token_or_id(tok: Tokenizer, typed: str) -> int | str:
    """What was typed, as an id if it is a number and no special token."""
    return int(typed) if typed.isdecimal() and typed not in tok.special_tokens else typed


def read_shard(typed: str) -> Shard:
    """Read which shard of how many.

    Raises:
        ValueError: If it is not like 0/8.

    Example:
        >>> read_shard("3/8")
        (3, 8)
    """
    number, _, count = typed.partition("/")
    if not (number.isdecimal() and count.isdecimal()):
        raise ValueError(f"a shard is written like 0/8, not {typed!r}")
    return int(number), int(count)


def summarize(encoded: Encoded, output: Path, console: Console) -> None:
    """Say what was encoded."""
    rate = f"; {encoded.bytes / encoded.tokens:.2f} bytes a token" if encoded.tokens else ""
    console.print(
        f"{output}: {encoded.tokens:,} tokens of {encoded.documents:,} documents, "
        f"{encoded.bytes:,} bytes{rate}",
        markup=False,
    )
