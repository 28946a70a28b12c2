"""The model file that a command writes, and the summary of the model."""

from __future__ import annotations

import errno
from pathlib import Path

from rich.console import Console

from superword.atomic_files import local_path
from superword.tokenizer import Tokenizer
from superword.tokenizer.display import readable
from superword.tokenizer.inspection import inspect

__all__ = ["check_folder", "summarize_model"]


def check_folder(output: Path) -> None:
    """Reject an output that cannot be written, before hours of training."""
    if not local_path(output).parent.is_dir():
        reason = "no such folder; make it first"
        raise FileNotFoundError(errno.ENOENT, reason, str(output.parent))


def summarize_model(tok: Tokenizer, output: Path) -> None:
    """Print a summary of a new model to standard error."""
    found = inspect(tok, 5)
    console = Console(stderr=True, soft_wrap=True, highlight=False)
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
