"""`superword extend`."""

from __future__ import annotations

import errno
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
    OnErrorChoice,
    ProgressChoice,
    Separator,
    ShownProgress,
    Threads,
)
from superword.commands.train import summarize
from superword.corpus.paths import RawPath
from superword.tokenizer.inspection import inspect
from superword.training.extending import extend

__all__ = ["extend_command"]


def extend_command(
    base: Annotated[
        Path, typer.Argument(help="A superword model, a tokenizer.json, or a tiktoken file.")
    ],
    corpus: Annotated[
        list[str], typer.Argument(help="Files, folders, globs, URLs; - is standard input.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    add: Annotated[int, typer.Option(help="How many tokens to add.")],
    pattern: Annotated[
        str | None, typer.Option(help="What a tiktoken file splits by: a name or a regex.")
    ] = None,
    special_token: Annotated[
        list[str] | None,
        typer.Option(help="A special token of a tiktoken file, as TEXT=ID; may be repeated."),
    ] = None,
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Leave out what cannot be honoured.")
    ] = False,
    min_count: Annotated[int, typer.Option(help="The count that a supermerge must reach.")] = 2,
    column: Column = "text",
    separator: Separator = None,
    max_bytes: MaxBytes = None,
    max_documents: MaxDocuments = None,
    on_error: OnErrorChoice = ErrorChoice.raise_,
    threads: Threads = None,
    memory_limit: Annotated[
        str | None, typer.Option(help="How much memory to keep to: 1GB, for one.")
    ] = None,
    progress: ShownProgress = ProgressChoice.auto,
) -> None:
    """Give a tokenizer superwords, learned on a corpus; its tokens and ids stay as they are.

    superword extend tokenizer.json corpus/*.jsonl.zst --add 32768 -o model.json

    superword extend o200k_base.tiktoken books/ --add 8192 -o model.json

    superword extend my.tiktoken books/ --add 8192 -o model.json --pattern gpt4o --special-token
    "<|end|>=100000"
    """
    with errors_as_sentences():
        if not output.parent.is_dir():
            # Said now, and not when all is learned and to be saved.
            reason = "no such folder; make it first"
            raise FileNotFoundError(errno.ENOENT, reason, str(output.parent))
        tok = extend(
            base,
            [RawPath(place) for place in corpus],
            add,
            pattern=pattern,
            special_tokens=dict(map(text_and_id, special_token)) if special_token else None,
            approximate=approximate,
            min_count=min_count,
            column=column,
            separator=separator,
            max_bytes=max_bytes,
            max_documents=max_documents,
            on_error=on_error.mode(),
            threads=threads,
            memory_limit=memory_limit,
            progress=progress.callback(),
        )
        tok.save(output)
    summarize(inspect(tok, 5), output, Console(stderr=True, soft_wrap=True, highlight=False))


def text_and_id(given: str) -> tuple[str, int]:
    """A special token and its id.

    Example:
        >>> text_and_id("<|a=b|>=7")
        ('<|a=b|>', 7)
    """
    text, _, id = given.rpartition("=")
    if not text or not id.isdecimal():
        raise ValueError(f"a special token is given as TEXT=ID, not {given!r}")
    return text, int(id)
