"""Tables 1 and 3 of the paper: patterns and deletions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from superword.evaluation import paper
from superword.evaluation.contestants import DELETIONS, ours_key
from superword.evaluation.results import Results

__all__ = ["COLUMNS", "Row", "ablation_rows", "markdown", "written"]

STYLES = {None: "none", "pair": "original", "bytes": "ours"}
NAMES = {"boundless": "Boundless", "gpt4o": "GPT4o"}
COLUMNS = (
    "Vocab Size",
    "Regex Pattern",
    "PickyBPE",
    "Bytes Per Token",
    "paper",
    "Rényi Efficiency",
    "paper ",
)


class Row(NamedTuple):
    """A row; what the paper has is None where it has none."""

    vocab_size: int
    pattern: str
    deletion: str
    bytes_per_token: float
    paper_bytes_per_token: float | None
    renyi_efficiency: float
    paper_renyi_efficiency: float | None


def ablation_rows(results: Results, sizes: Sequence[int]) -> list[Row]:
    """The rows for some sizes, in the paper's order."""
    rows = []
    for size in sizes:
        for pattern, name in NAMES.items():
            for deletion in DELETIONS:
                measured = results.measured[ours_key(pattern, deletion), size]
                known = paper.ABLATION.get((size, pattern, deletion))
                rows.append(
                    Row(
                        size,
                        name,
                        STYLES[deletion],
                        measured.bytes_per_token,
                        known.bytes_per_token if known else None,
                        measured.renyi_efficiency(),
                        known.renyi_efficiency if known else None,
                    )
                )
    return rows


def written(row: Row) -> list[str]:
    """A row as the paper writes it.

    Example:
        >>> written(Row(4096, "GPT4o", "ours", 4.5, None, 0.43, 0.4))
        ['4,096', 'GPT4o', 'ours', '4.500', '–', '0.4300', '0.4000']
    """

    def number(value: float | None, form: str) -> str:
        return "–" if value is None else form.format(value)

    return [
        f"{row.vocab_size:,}",
        row.pattern,
        row.deletion,
        number(row.bytes_per_token, "{:.3f}"),
        number(row.paper_bytes_per_token, "{:.3f}"),
        number(row.renyi_efficiency, "{:.4f}"),
        number(row.paper_renyi_efficiency, "{:.4f}"),
    ]


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> str:
    """A table for Markdown, of which the first columns are texts and the others numbers.

    Example:
        >>> print(markdown(["a", "b"], [["x", "1"]], texts=1), end="")
        | a | b |
        | --- | ---: |
        | x | 1 |
    """
    rules = ["---"] * texts + ["---:"] * (len(columns) - texts)
    lines = [columns, rules, *rows]
    return "".join(f"| {' | '.join(cell.strip() for cell in line)} |\n" for line in lines)
