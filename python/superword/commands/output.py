"""The file that a command writes, and the summary of a model."""

from __future__ import annotations

import shlex
from pathlib import Path

from superword.atomic_files import check_writable, local_path
from superword.commands.json_output import print_json
from superword.commands.messages import print_message
from superword.errors import MissingFragmentsError
from superword.printable import readable
from superword.tokenizer import Tokenizer
from superword.tokenizer.display import open_console
from superword.tokenizer.inspection import Inspection, inspect

__all__ = [
    "check_page_path",
    "report_first_pass",
    "summarize_model",
]


def check_page_path(output: Path) -> None:
    """Reject the name of a page that is no .html file, or that cannot be written.

    Raises:
        ValueError: If the name has another suffix, or is a URL.
        OSError: If no file can be written there.
    """
    if local_path(output).suffix not in (".html", ".htm"):
        raise ValueError(f"{output}: name the page an .html file")
    check_writable(output)


def summarize_model(
    tok: Tokenizer,
    output: Path,
    *,
    seconds: float,
    as_json: bool,
    reads_text: bool = True,
    more: dict[str, object] | None = None,
) -> None:
    """Print a summary of a new model: JSON, or sentences on standard error.

    Args:
        tok: The tokenizer.
        output: Its file.
        seconds: The time it took.
        as_json: Whether to print JSON.
        reads_text: Whether all of the text was read in that time.
        more: Further values of the JSON.
    """
    found = inspect(tok, 5)
    if as_json:
        print_json(summary_as_json(found, output, seconds) | (more or {}))
        return
    console = open_console(stderr=True)
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
    console.print(describe_speed(found.training.bytes, seconds, reads_text), markup=False)
    name = shlex.quote(str(output))
    console.print(
        f'next: superword inspect {name}; superword encode {name} "some text"', markup=False
    )


def report_first_pass(
    missing: MissingFragmentsError, counts: Path, output: Path, as_json: bool
) -> None:
    """Say that the first pass is done, and what comes next."""
    cut = str(missing.cut)
    if as_json:
        print_json({"output": None, "stage": "cut", "done": False, "cut": cut})
        return
    folder, cut = shlex.quote(str(counts)), shlex.quote(cut)
    print_message(
        f"{missing.cut}: the first pass is done; {output} is not written yet\n"
        f"next: superword count CORPUS -o {folder} --cut {cut}, in the same shards as before, and "
        "then this command again",
    )


def describe_speed(size: int, seconds: float, reads_text: bool = True) -> str:
    """Return how long it took, and how fast that was.

    Example:
        >>> describe_speed(50_000_000, 4.0), describe_speed(50_000_000, 4.0, reads_text=False)
        ('4.00 seconds for 50.0 MB of text: 12.50 MB/s', '4.00 seconds')
    """
    if not reads_text:
        return f"{seconds:.2f} seconds"
    megabytes = size / 1e6
    amount = f"{megabytes:,.1f} MB" if megabytes >= 0.1 else f"{size:,} bytes"
    rate = megabytes / max(seconds, 1e-9)
    return f"{seconds:.2f} seconds for {amount} of text: {rate:,.2f} MB/s"


def summary_as_json(found: Inspection, output: Path, seconds: float) -> dict[str, object]:
    """Return the summary of a new model as plain values."""
    return {
        "output": str(output),
        "stage": "model",
        "done": True,
        "seconds": seconds,
        "documents": found.training.documents,
        "bytes": found.training.bytes,
        "vocab_size": found.vocabulary["total"],
        "special_tokens": found.special_tokens,
        "rules": found.rules,
        "smallest_count": found.smallest_count,
        "longest_superwords": [readable(each.token) for each in found.longest_superwords],
        "fingerprint": found.fingerprint,
    }
