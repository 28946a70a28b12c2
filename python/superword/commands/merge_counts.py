"""`superword merge-counts`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from superword.commands.count import say
from superword.commands.messages import errors_as_sentences
from superword.counts.counting import merge_counts

__all__ = ["merge_counts_command"]


def merge_counts_command(
    counts: Annotated[list[Path], typer.Argument(help="Folders of counts, each complete.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of their sums.")],
) -> None:
    """Sum folders of counts, or the shards of one, into a folder.

    superword merge-counts monday tuesday -o both
    """
    with errors_as_sentences():
        for counted in merge_counts(counts, output):
            say(counted, output)
