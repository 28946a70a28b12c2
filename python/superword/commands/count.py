"""`superword count`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    Column,
    Eligible,
    ErrorChoice,
    MemoryLimit,
    OnErrorChoice,
    Pattern,
    ProgressChoice,
    Separator,
    ShownProgress,
    Threads,
)
from superword.corpus.paths import RawPath
from superword.counts.counting import Counted, count
from superword.patterns import ELIGIBLE

__all__ = ["count_command", "say"]


def count_command(
    corpus: Annotated[list[str], typer.Argument(help="Files, folders, globs, URLs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of counts.")],
    shard: Annotated[
        str, typer.Option(help="Which shard of how many: 0/4 to 3/4 have every fourth file.")
    ] = "0/1",
    cut: Annotated[
        Path | None,
        typer.Option(help="The cut.json that training wrote: count fragments, not pretokens."),
    ] = None,
    pattern: Pattern = "boundless",
    eligible: Eligible = ELIGIBLE,
    supermerges: Annotated[bool, typer.Option(help="Count what supermerges need.")] = True,
    column: Column = "text",
    separator: Separator = None,
    on_error: OnErrorChoice = ErrorChoice.raise_,
    threads: Threads = None,
    memory_limit: MemoryLimit = None,
    progress: ShownProgress = ProgressChoice.auto,
) -> None:
    """Count a corpus, or a shard of it, into a folder that can be trained on.

    What is there already is not counted again.

    superword count corpus/*.jsonl.zst -o counts --shard 0/16

    superword train --counts counts -o model.json --vocab-size 131072

    superword count corpus/*.jsonl.zst -o counts --shard 0/16 --cut counts/cut.json
    """
    with errors_as_sentences():
        counted = count(
            [RawPath(place) for place in corpus],
            output,
            shard=shard_of(shard),
            cut=cut,
            pattern=pattern,
            eligible=eligible,
            supermerges=supermerges,
            column=column,
            separator=separator,
            on_error=on_error.mode(),
            threads=threads,
            memory_limit=memory_limit,
            progress=progress.callback(),
        )
        say(counted, output)


def shard_of(shard: str) -> tuple[int, int]:
    """Read which shard of how many.

    Example:
        >>> shard_of("3/16")
        (3, 16)
    """
    index, _, shards = shard.partition("/")
    if not (index.isdecimal() and shards.isdecimal()):
        raise ValueError(f"a shard is i/n with i from 0 to n - 1, not {shard}")
    return int(index), int(shards)


def say(counted: Counted, folder: Path) -> None:
    """Say what was counted."""
    there = "" if counted.is_new else " (there already)"
    typer.echo(
        f"{folder}: {counted.keys:,} distinct {counted.stage}{there} in {counted.documents:,} "
        f"documents of {counted.bytes:,} bytes",
        err=True,
    )
