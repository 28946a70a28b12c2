"""Measurements side by side, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from superword.evaluation.measurement import Measurement

__all__ = [
    "METRICS",
    "Metric",
    "compared",
    "comparison_table",
    "difference",
    "show_measured",
    "source_table",
]

# Wide enough for any table, where no terminal says how wide it is.
WIDE = 1000


class Metric(NamedTuple):
    """A number that is shown.

    Attributes:
        key: Its name in `Measurement.summary`.
        label: What it is.
        form: How it is written.
        better: Whether more of it (1) or less of it (-1) is better, or neither (0).
    """

    key: str
    label: str
    form: str
    better: int = 0


METRICS = (
    Metric("vocab_size", "vocabulary", "{:,}"),
    Metric("tokens", "tokens", "{:,}", -1),
    Metric("bytes_per_token", "bytes per token", "{:.3f}", 1),
    Metric("renyi_efficiency", "Rényi efficiency (α = 2.5)", "{:.4f}", 1),
    Metric("shannon_efficiency", "Shannon efficiency", "{:.4f}", 1),
    Metric("vocabulary_used", "vocabulary used", "{:.2%}", 1),
    Metric("vocabulary_superwords", "superwords in the vocabulary", "{:.2%}"),
    Metric("single_share", "pretokens within one token", "{:.2%}"),
    Metric("single_share_superwords", "pretokens inside a larger token", "{:.2%}"),
    Metric("words_per_token", "words per token", "{:.3f}"),
    Metric("fertility", "tokens per word (fertility)", "{:.3f}", -1),
    Metric("words_whole", "words kept whole", "{:.2%}", 1),
    Metric("byte_tokens", "tokens: single bytes", "{:.2%}"),
    Metric("subword_tokens", "tokens: subwords", "{:.2%}"),
    Metric("word_tokens", "tokens: whole pretokens", "{:.2%}"),
    Metric("superword_tokens", "tokens: superwords", "{:.2%}"),
    Metric("instability", "unstable prompt ends", "{:.2%}", -1),
    Metric("gini", "Gini of tokens per byte over sources", "{:.4f}", -1),
    Metric("altered", "documents altered", "{:,}", -1),
)


def difference(value: float, base: float) -> float | None:
    """By how much a value is above another, as a share of it; None if that is 0.

    Example:
        >>> difference(5.5, 5), difference(1, 0)
        (0.1, None)
    """
    return round(value / base - 1, 12) if base else None


def compared(measured: Sequence[Measurement]) -> list[dict[str, object]]:
    """The numbers of each, and by how much they differ from those of the first."""
    summaries = [each.summary() for each in measured]
    shown: list[dict[str, object]] = []
    for each, summary in zip(measured, summaries, strict=True):
        differences = {}
        for metric in METRICS:
            value, base = summary[metric.key], summaries[0][metric.key]
            if isinstance(value, (int, float)) and isinstance(base, (int, float)):
                differences[metric.key] = difference(value, base)
        shown.append({**each.as_json(), "differences": differences})
    return shown


def comparison_table(measured: Sequence[Measurement]) -> Table:
    """A column for each tokenizer, with the difference from the first in percent."""
    summaries = [each.summary() for each in measured]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", no_wrap=True)
    for each in measured:
        table.add_column(Text(each.name), justify="right", no_wrap=True)
    for metric in METRICS:
        values = [summary[metric.key] for summary in summaries]
        if metric.key == "altered" and not any(values):
            continue
        if any(value is not None for value in values):
            cells = [cell(metric, value, values[0]) for value in values]
            table.add_row(metric.label, cells[0], *cells[1:])
    return table


def cell(metric: Metric, value: object, base: object) -> Text:
    """A value, and how it differs: green where it is better, red where it is worse."""
    if not isinstance(value, (int, float)):
        return Text("-", "dim")
    text = Text(metric.form.format(value))
    if value is not base and isinstance(base, (int, float)):
        change = difference(value, base)
        shown = f" {change:+7.1%}" if change is not None and value != base else " " * 8
        good = (change or 0) * metric.better
        text.append(shown, "green" if good > 0 else "red" if good < 0 else "dim")
    return text


def source_table(measured: Sequence[Measurement]) -> Table | None:
    """Bytes per token for each source, the largest first; None without sources."""
    sources = measured[0].sources
    if not sources:
        return None
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("bytes per token by source", no_wrap=True)
    table.add_column("MB", justify="right", no_wrap=True)
    for each in measured:
        table.add_column(Text(each.name), justify="right", no_wrap=True)
    for name, share in sorted(sources.items(), key=lambda item: (-item[1].bytes, item[0])):
        costs = [each.sources.get(name) for each in measured]
        cells = [
            f"{cost.bytes / cost.tokens:.3f}" if cost and cost.tokens else "-" for cost in costs
        ]
        table.add_row(Text(name), f"{share.bytes / 1e6:.2f}", *cells)
    return table


def show_measured(measured: Sequence[Measurement], console: Console) -> None:
    """Print measurements side by side."""
    first = measured[0]
    patterns = ", ".join(sorted({each.pattern for each in measured}))
    about = f"{first.documents:,} documents, {first.bytes:,} bytes; pretokens by {patterns}"
    console.print(about, markup=False)
    width = None if console.is_terminal else WIDE
    for table in (comparison_table(measured), source_table(measured)):
        if table is not None:
            console.print()
            console.print(table, width=width)
