"""Show the bits per byte of language models, and how they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from superword.evaluation.bit_counts import BitsPerByte, BitTotals
from superword.evaluation.bootstrap import SAMPLES, BitsDifference, bootstrap_difference
from superword.printable import count_noun
from superword.tables import (
    Column,
    Table,
    format_csv,
    format_latex,
    format_markdown,
    print_table,
)

__all__ = [
    "ComparedBits",
    "compare_bits_per_byte",
    "format_bits_csv",
    "format_bits_latex",
    "format_bits_markdown",
    "print_bits",
]

COLUMNS = (*BitTotals(0, 0, 0, 0).as_json(), *BitsDifference._fields)


@dataclass(frozen=True, kw_only=True)
class ComparedBits:
    """The difference of two models in bits per byte: the second minus the first.

    Attributes:
        first: The name of the first model.
        second: The name of the second model.
        total: The difference on all documents.
        sources: The difference by source, the one with most bytes first.
    """

    first: str
    second: str
    total: BitsDifference
    sources: dict[str, BitsDifference]

    def as_json(self) -> dict[str, Any]:
        """Return the names and the differences."""
        sources = {name: each._asdict() for name, each in self.sources.items()}
        named = {"first": self.first, "second": self.second}
        return {**named, **self.total._asdict(), "sources": sources}


def compare_bits_per_byte(
    first: BitsPerByte, second: BitsPerByte, *, samples: int = SAMPLES, seed: int = 0
) -> ComparedBits:
    """Compare two models on the same documents, by a paired bootstrap over documents.

    Args:
        first: The bits of the first model.
        second: The bits of the second model.
        samples: The number of samples of the bootstrap.
        seed: Seed of the samples.

    Raises:
        ValueError: If the models were scored on different documents.

    Example:
        >>> import numpy as np, superword
        >>> from superword.evaluation import bits_per_byte
        >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
        >>> def make_model(nats):
        ...     return lambda windows: [np.full(len(ids) - first, -nats) for ids, first in windows]
        >>> texts = ["to be", "or not", "not to be"]
        >>> a, b = (bits_per_byte(make_model(nats), texts, tokenizer=tok) for nats in (5, 4))
        >>> found = compare_bits_per_byte(a, b).total
        >>> round(found.difference, 3), round(found.relative, 3)
        (-1.01, -0.2)
        >>> round(found.low, 3), round(found.high, 3)
        (-1.443, -0.577)
    """
    if first.fingerprint != second.fingerprint:
        raise ValueError(
            f"{first.name} and {second.name} were scored on different documents; score both on the "
            "same ones, in the same order"
        )

    def compare_on(documents: Any) -> BitsDifference:
        return bootstrap_difference(
            first.document_bits[documents],
            second.document_bits[documents],
            first.document_bytes[documents],
            samples=samples,
            seed=seed,
        )

    documents_of = first.find_sources()
    sources = [name for name, totals in first.sources.items() if totals.bytes]
    return ComparedBits(
        first=first.name,
        second=second.name,
        total=compare_on(slice(None)),
        sources={name: compare_on(documents_of[name]) for name in sources},
    )


def build_total_table(result: BitsPerByte) -> Table:
    """Build a table of a model's totals, all and by source."""
    names = ["documents", "bytes", "tokens", "bits", "bits per byte", "tokens per byte"]
    rows = [["all", *format_totals(result.total)]]
    rows += [[name, *format_totals(totals)] for name, totals in result.sources.items()]
    return Table([Column("", False), *map(Column, names)], rows)


def format_totals(totals: BitTotals) -> list[str]:
    """Format the totals; a dash for a rate of no bytes."""
    rates = totals.bits_per_byte, totals.tokens_per_byte
    counts = [f"{count:,}" for count in totals[:3]]
    return [*counts, f"{totals.bits:,.0f}", *("-" if x is None else f"{x:.4f}" for x in rates)]


def build_difference_table(compared: ComparedBits) -> Table:
    """Build a table of the differences of two models, all and by source."""
    names = ["difference", "change", "95% interval"]
    rows = [["all", *format_difference(compared.total)]]
    rows += [[name, *format_difference(each)] for name, each in compared.sources.items()]
    return Table([Column("bits per byte", False), *map(Column, names)], rows)


def format_difference(found: BitsDifference) -> list[str]:
    """Format a difference, in percent too, and its interval.

    Example:
        >>> format_difference(BitsDifference(-0.0123, -0.011, -0.02, 0.0))
        ['-0.0123', '-1.1%', '-0.0200 to +0.0000']
    """
    relative = "-" if found.relative is None else f"{found.relative:+.1%}"
    has_interval = found.low is not None and found.high is not None
    interval = f"{found.low:+.4f} to {found.high:+.4f}" if has_interval else "-"
    return [f"{found.difference:+.4f}", relative, interval]


def describe_result(result: BitsPerByte) -> str:
    """Say what was scored, and how."""
    settings, total = result.settings, result.total
    documents, size = count_noun(total.documents, "document"), count_noun(total.bytes, "byte")
    return (
        f"{result.name}: {documents}, {size}; context {count_noun(settings.context, 'token')}, "
        f"stride {settings.stride:,}"
    )


def describe_comparison(compared: ComparedBits) -> str:
    """Say what a table of differences shows."""
    return f"{compared.second} minus {compared.first}; paired bootstrap over documents"


def list_tables(
    results: Sequence[BitsPerByte], compared: Sequence[ComparedBits]
) -> list[tuple[str, Table]]:
    """Return all tables, each with the sentence above it."""
    return [
        *((describe_result(each), build_total_table(each)) for each in results),
        *((describe_comparison(each), build_difference_table(each)) for each in compared),
    ]


def print_bits(
    results: Sequence[BitsPerByte], compared: Sequence[ComparedBits], console: Console
) -> None:
    """Print the bits of models, and how they differ."""
    for at, (sentence, table) in enumerate(list_tables(results, compared)):
        if at:
            console.print()
        console.print(sentence, markup=False)
        console.print()
        print_table(table, console)


def format_bits_markdown(results: Sequence[BitsPerByte], compared: Sequence[ComparedBits]) -> str:
    """Format the bits of models, and how they differ, in Markdown."""
    tables = list_tables(results, compared)
    return "\n".join(f"{sentence}\n\n{format_markdown(table)}" for sentence, table in tables)


def format_bits_latex(results: Sequence[BitsPerByte], compared: Sequence[ComparedBits]) -> str:
    """Format the bits of models, and how they differ, in LaTeX: a `tabular` per table."""
    tables = list_tables(results, compared)
    # A name may have line ends, which would end the comment.
    return "\n".join(f"% {' '.join(text.split())}\n{format_latex(table)}" for text, table in tables)


def format_bits_csv(results: Sequence[BitsPerByte], compared: Sequence[ComparedBits]) -> str:
    """Format the bits of models as CSV: a row per model and source, in full precision.

    The differences are from the first model.
    """
    differences = {each.second: each for each in compared}
    rows: list[list[object]] = []
    for each in results:
        found = differences.get(each.name)
        parts = [("", each.total, found and found.total)]
        for name, totals in each.sources.items():
            parts.append((name, totals, found and found.sources.get(name)))
        for source, totals, difference in parts:
            changes = difference or [None] * len(BitsDifference._fields)
            rows.append([each.name, source, *totals.as_json().values(), *changes])
    return format_csv(["model", "source", *COLUMNS], rows)
