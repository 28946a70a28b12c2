"""`superword merge-counts`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from superword.commands.count import print_summary
from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences
from superword.commands.options import AsJson, option
from superword.counts import merge_counts

__all__ = ["merge_counts_command"]


def merge_counts_command(
    counts: Annotated[list[Path], typer.Argument(help="Folders of counts, each complete.")],
    output: Annotated[Path, option("Folder of their sums.", "Output", "--output", "-o")],
    as_json: AsJson = False,
) -> None:
    """Sum folders of counts, or the shards of one, into a new folder.

    superword merge-counts monday tuesday -o both
    """
    with errors_as_sentences():
        merged = merge_counts(counts, output)
    if as_json:
        print_json({"output": str(output), "counts": [counted._asdict() for counted in merged]})
        return
    for counted in merged:
        print_summary(counted, output)
