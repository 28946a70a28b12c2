"""Show measurements side by side, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from superword.evaluation.measurement import Measurement
from superword.patterns import find_pattern_name

__all__ = ["METRICS", "Metric", "compare_measurements", "print_comparison", "relative_change"]

# The width of tables that are not printed to a terminal.
UNLIMITED_WIDTH = 1000


class Metric(NamedTuple):
    """How a metric is shown.

    Attributes:
        key: The name in `Measurement.summary`.
        label: The name in tables.
        form: The format string of a value.
        better: 1 if larger values are better, -1 if smaller ones are, 0 if neither.
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


def relative_change(value: float, first: float) -> float | None:
    """Return the change from the first value, as a share of it; None if the first is 0.

    Example:
        >>> relative_change(5.5, 5), relative_change(1, 0)
        (0.1, None)
    """
    return round(value / first - 1, 12) if first else None


def compare_measurements(measured: Sequence[Measurement]) -> list[dict[str, object]]:
    """Return the metrics of each measurement, with the relative changes from the first."""
    summaries = [each.summary() for each in measured]
    compared: list[dict[str, object]] = []
    for each, summary in zip(measured, summaries, strict=True):
        differences = {}
        for metric in METRICS:
            value, first = summary[metric.key], summaries[0][metric.key]
            if isinstance(value, (int, float)) and isinstance(first, (int, float)):
                differences[metric.key] = relative_change(value, first)
        compared.append({**each.as_json(), "differences": differences})
    return compared


def build_metric_table(measured: Sequence[Measurement]) -> Table:
    """Build a table with a column per tokenizer and the change from the first in percent."""
    summaries = [each.summary() for each in measured]
    table = create_table(["", *(each.name for each in measured)])
    for metric in METRICS:
        values = [summary[metric.key] for summary in summaries]
        if metric.key == "altered" and not any(values):
            continue
        if any(value is not None for value in values):
            cells = (format_cell(metric, value, values[0]) for value in values)
            table.add_row(metric.label, *cells)
    return table


def create_table(columns: Sequence[str]) -> Table:
    """Create a table whose first column is text and whose other columns are numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for at, name in enumerate(columns):
        table.add_column(Text(name), justify="right" if at else "left", no_wrap=True)
    return table


def format_cell(metric: Metric, value: object, first: object) -> Text:
    """Format a value and its change from the first: green if better, red if worse."""
    if not isinstance(value, (int, float)):
        return Text("-", "dim")
    text = Text(metric.form.format(value))
    if value is not first and isinstance(first, (int, float)):
        change = relative_change(value, first)
        shown = f" {change:+7.1%}" if change is not None and value != first else " " * 8
        gain = (change or 0) * metric.better
        text.append(shown, "green" if gain > 0 else "red" if gain < 0 else "dim")
    return text


def build_source_table(measured: Sequence[Measurement]) -> Table | None:
    """Build a table of bytes per token by source, the largest first; None without sources."""
    sources = measured[0].sources
    if not sources:
        return None
    names = (each.name for each in measured)
    table = create_table(["bytes per token by source", "MB", *names])
    for name, totals in sorted(sources.items(), key=lambda item: (-item[1].bytes, item[0])):
        found = (each.sources.get(name) for each in measured)
        cells = (f"{one.bytes / one.tokens:.3f}" if one and one.tokens else "-" for one in found)
        table.add_row(Text(name), f"{totals.bytes / 1e6:.2f}", *cells)
    return table


def print_comparison(measured: Sequence[Measurement], console: Console) -> None:
    """Print measurements side by side."""
    first = measured[0]
    patterns = ", ".join(sorted({find_pattern_name(each.pattern) for each in measured}))
    about = f"{first.documents:,} documents, {first.bytes:,} bytes; pretokens by {patterns}"
    console.print(about, markup=False)
    width = None if console.is_terminal else UNLIMITED_WIDTH
    for table in (build_metric_table(measured), build_source_table(measured)):
        if table is not None:
            console.print()
            console.print(table, width=width)
