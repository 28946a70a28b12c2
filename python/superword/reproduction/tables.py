"""Tables 1 and 3 of the paper: an ablation of patterns and deletion modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from superword.reproduction import paper
from superword.reproduction.lineup import DELETIONS, boundless_key
from superword.reproduction.results import Results

__all__ = ["COLUMNS", "AblationRow", "build_ablation", "format_row"]

DELETION_NAMES = {None: "none", "pair": "original", "bytes": "ours"}
PATTERN_NAMES = {"boundless": "Boundless", "gpt4o": "GPT4o"}
COLUMNS = (
    "Vocab Size",
    "Regex Pattern",
    "PickyBPE",
    "Bytes Per Token",
    "paper",
    "Rényi Efficiency",
    "paper ",
)


class AblationRow(NamedTuple):
    """A row of the ablation; the paper's values are None at sizes that it does not report."""

    vocab_size: int
    pattern: str
    deletion: str
    bytes_per_token: float
    paper_bytes_per_token: float | None
    renyi_efficiency: float
    paper_renyi_efficiency: float | None


def build_ablation(results: Results, sizes: Sequence[int]) -> list[AblationRow]:
    """Build the rows for some sizes, in the paper's order."""
    rows = []
    for size in sizes:
        for pattern, name in PATTERN_NAMES.items():
            for deletion in DELETIONS:
                measured = results.measured[boundless_key(pattern, deletion), size]
                known = paper.ABLATION.get((size, pattern, deletion))
                rows.append(
                    AblationRow(
                        size,
                        name,
                        DELETION_NAMES[deletion],
                        measured.bytes_per_token,
                        known.bytes_per_token if known else None,
                        measured.renyi_efficiency(),
                        known.renyi_efficiency if known else None,
                    )
                )
    return rows


def format_row(row: AblationRow) -> list[str]:
    """Format a row as in the paper.

    Example:
        >>> format_row(AblationRow(4096, "GPT4o", "ours", 4.5, None, 0.43, 0.4))
        ['4,096', 'GPT4o', 'ours', '4.500', '–', '0.4300', '0.4000']
    """

    def format_number(value: float | None, form: str) -> str:
        return "–" if value is None else form.format(value)

    return [
        f"{row.vocab_size:,}",
        row.pattern,
        row.deletion,
        format_number(row.bytes_per_token, "{:.3f}"),
        format_number(row.paper_bytes_per_token, "{:.3f}"),
        format_number(row.renyi_efficiency, "{:.4f}"),
        format_number(row.paper_renyi_efficiency, "{:.4f}"),
    ]
