"""`superword train`."""

from __future__ import annotations

import errno
from enum import StrEnum
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
    Pattern,
    Place,
    ProgressChoice,
    Separator,
    ShownProgress,
    Threads,
)
from superword.inspection import Inspection, inspect, readable
from superword.patterns import ELIGIBLE
from superword.tokenizer import Deletion
from superword.training import train

__all__ = ["train_command"]


class DeletionChoice(StrEnum):
    """What deleted tokens are split into."""

    bytes = "bytes"
    pair = "pair"
    none = "none"

    def mode(self) -> Deletion:
        """What `train` takes."""
        modes: dict[str, Deletion] = {"bytes": "bytes", "pair": "pair", "none": None}
        return modes[self.value]


def train_command(
    corpus: Annotated[
        list[str], typer.Argument(help="Files, folders, globs, URLs; - is standard input.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    vocab_size: Annotated[int, typer.Option(help="Tokens in the vocabulary, at least 256.")],
    pattern: Pattern = "boundless",
    supermerges: Annotated[bool, typer.Option(help="Let whole words merge.")] = True,
    deletion: Annotated[
        DeletionChoice, typer.Option(help="What deleted tokens are split into.")
    ] = DeletionChoice.bytes,
    tau: Annotated[float, typer.Option(help="The share from which on tokens are deleted.")] = 0.9,
    min_count: Annotated[int, typer.Option(help="The count that a merge must reach.")] = 2,
    eligible: Annotated[
        str, typer.Option(help="The regex of pretokens that supermerges may join.")
    ] = ELIGIBLE,
    transition: Annotated[
        int | None,
        typer.Option(help="The size at which SuperBPE's second stage begins; none without it."),
    ] = None,
    second_pattern: Annotated[
        str | None, typer.Option(help="What splits documents in it: a pattern's name or a regex.")
    ] = None,
    special_token: Annotated[
        list[str] | None, typer.Option(help="A special token; may be given several times.")
    ] = None,
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
    verify_every: Annotated[
        int | None, typer.Option(help="Recount everything after so many rules. Slow.")
    ] = None,
) -> None:
    """Train a tokenizer and write it to a file.

    superword train corpus/*.jsonl.zst -o model.json --vocab-size 131072

    superword train books/ -o bpe.json --vocab-size 32768 --no-supermerges --deletion none

    superword train books/ -o superbpe.json --vocab-size 65536 --transition 49152 --pattern gpt4o
    --no-supermerges --deletion none

    zcat dump.jsonl.gz | superword train - -o model.json --vocab-size 65536 --progress json
    """
    with errors_as_sentences():
        if not output.parent.is_dir():
            # Said now, and not when hours of training are to be saved.
            reason = "no such folder; make it first"
            raise FileNotFoundError(errno.ENOENT, reason, str(output.parent))
        tok = train(
            [Place(place) for place in corpus],
            vocab_size,
            pattern=pattern,
            supermerges=supermerges,
            deletion=deletion.mode(),
            tau=tau,
            min_count=min_count,
            eligible=eligible,
            transition=transition,
            second_pattern=second_pattern,
            special_tokens=special_token or (),
            column=column,
            separator=separator,
            max_bytes=max_bytes,
            max_documents=max_documents,
            on_error=on_error.mode(),
            threads=threads,
            memory_limit=memory_limit,
            progress=progress.teller(),
            verify_every=verify_every,
        )
        tok.save(output)
    summarize(inspect(tok, 5), output, Console(stderr=True, soft_wrap=True, highlight=False))


def summarize(found: Inspection, output: Path, console: Console) -> None:
    """Say what was learned."""
    rules, vocabulary = found.rules, found.vocabulary
    smallest = "-" if found.smallest_count is None else f"{found.smallest_count:,}"
    longest = ", ".join(readable(superword.token) for superword in found.longest_superwords)
    console.print(
        f"{output}: {vocabulary['total']:,} tokens from {rules['merge']:,} merges, "
        f"{rules['supermerge']:,} supermerges and {rules['delete']:,} deletions; "
        f"smallest count {smallest}",
        markup=False,
    )
    if longest:
        console.print(f"longest superwords: {longest}", markup=False)
