"""Show measurements side by side, as tables, JSON, Markdown and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from superword.evaluation.measurement import Measurement
from superword.evaluation.script_changes import (
    describe_script_losses,
    find_script_changes,
    list_scripts,
    most_bytes,
    script_rate,
)
from superword.html_page import format_html
from superword.patterns import find_pattern_name
from superword.printable import count_noun
from superword.tables import (
    Column,
    Table,
    format_csv,
    format_latex,
    format_markdown,
    print_table,
)
from superword.tokenizer.display import render_for_output
from superword.tokenizer.token_html import build_note

__all__ = [
    "METRICS",
    "Measurements",
    "Metric",
    "compare_measurements",
    "format_comparison_csv",
    "format_comparison_html",
    "format_comparison_latex",
    "format_comparison_markdown",
    "print_comparison",
]


class Measurements(list[Measurement]):
    """Measurements of several tokenizers: a list, shown as tables in notebooks and elsewhere."""

    def _repr_html_(self) -> str:
        """Return tables as HTML for notebooks."""
        return format_comparison_html(self)

    def __repr__(self) -> str:
        """Return tables, in colors if standard output is a terminal."""
        return render_for_output(lambda console: print_comparison(self, console))


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

    @property
    def is_share(self) -> bool:
        """Whether the metric is a share, shown in percent."""
        return self.form.endswith("%}")

    def change(self, value: float, first: float) -> float | None:
        """Return the difference of two shares, or the relative change of other values.

        None stands for a relative change from 0.

        Example:
            >>> tokens, share = Metric("tokens", "", "{:,}"), Metric("single_share", "", "{:.2%}")
            >>> tokens.change(11, 10), tokens.change(1, 0), share.change(0.72, 0.003)
            (0.1, None, 0.717)
        """
        if self.is_share:
            return round(value - first, 12)
        return round(value / first - 1, 12) if first else None

    def format_change(self, value: float, first: float) -> str:
        """Format a change: in percentage points (pp) for shares, in percent for other values.

        Example:
            >>> Metric("single_share", "", "{:.2%}").format_change(0.72, 0.003)
            '+71.7 pp'
        """
        change = self.change(value, first)
        if change is None or value == first:
            return ""
        return f"{100 * change:+.1f} pp" if self.is_share else f"{change:+.1%}"


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
    Metric("pieces_per_word", "pieces per word", "{:.3f}", -1),
    Metric("words_whole", "words kept whole", "{:.2%}", 1),
    Metric("byte_tokens", "tokens: single bytes", "{:.2%}"),
    Metric("subword_tokens", "tokens: subwords", "{:.2%}"),
    Metric("word_tokens", "tokens: whole pretokens", "{:.2%}"),
    Metric("superword_tokens", "tokens: superwords", "{:.2%}"),
    Metric("instability", "unstable prompt ends", "{:.2%}", -1),
    Metric("gini", "Gini of tokens per byte over sources", "{:.4f}", -1),
    Metric("altered", "documents altered", "{:,}", -1),
)

BYTES_PER_TOKEN = next(metric for metric in METRICS if metric.key == "bytes_per_token")


def compare_measurements(measured: Sequence[Measurement]) -> list[dict[str, object]]:
    """Return the metrics of each measurement, with the changes from the first.

    `differences` has the changes of metrics, `script_differences` those of bytes per token by
    script.
    """
    summaries = [each.summary() for each in measured]
    compared: list[dict[str, object]] = []
    for each, summary in zip(measured, summaries, strict=True):
        differences = {}
        for metric in METRICS:
            value, first = summary[metric.key], summaries[0][metric.key]
            if isinstance(value, (int, float)) and isinstance(first, (int, float)):
                differences[metric.key] = metric.change(value, first)
        changes = find_script_changes(each, measured[0])
        compared.append(
            {**each.as_json(), "differences": differences, "script_differences": changes}
        )
    return compared


def build_metric_table(measured: Sequence[Measurement]) -> Table:
    """Build a table with a column per tokenizer and the changes from the first."""
    summaries = [each.summary() for each in measured]
    shown = [
        metric
        for metric in METRICS
        if any(each[metric.key] is not None for each in summaries)
        and (metric.key != "altered" or any(each[metric.key] for each in summaries))
    ]
    values = [[each[metric.key] for each in summaries] for metric in shown]
    cells = format_with_changes(shown, values)
    labels = [Text(metric.label) for metric in shown]
    rows = [[label, *row] for label, row in zip(labels, cells, strict=True)]
    return Table([Column("", False), *(Column(each.name) for each in measured)], rows)


def format_with_changes(
    shown: Sequence[Metric], rows: Sequence[Sequence[object]]
) -> list[list[Text]]:
    """Format a metric in each row, with the changes from the first column, aligned."""
    cells = [
        [format_value(metric, value) for value in row]
        for metric, row in zip(shown, rows, strict=True)
    ]
    for at in range(1, max(map(len, rows), default=0)):
        changes = [
            format_change(metric, row[at], row[0]) for metric, row in zip(shown, rows, strict=True)
        ]
        width = max(map(len, changes))
        for cell, change in zip(cells, changes, strict=True):
            change.pad_left(width - len(change) + bool(width))
            cell[at] += change
    return cells


def format_value(metric: Metric, value: object) -> Text:
    """Format a value; a dash if there is none."""
    if not isinstance(value, (int, float)):
        return Text("-", "dim")
    return Text(metric.form.format(value))


def format_change(metric: Metric, value: object, first: object) -> Text:
    """Format the change from the first value: green if better, red if worse."""
    if not isinstance(value, (int, float)) or not isinstance(first, (int, float)):
        return Text()
    gain = (metric.change(value, first) or 0) * metric.better
    style = "green" if gain > 0 else "red" if gain < 0 else "dim"
    return Text(metric.format_change(value, first), style)


def sort_sources(measured: Sequence[Measurement]) -> list[str]:
    """Return the names of the sources, the largest first."""
    sources = measured[0].sources
    return sorted(sources, key=lambda name: (-sources[name].bytes, name))


def source_rate(measured: Measurement, source: str) -> float | None:
    """Return the bytes per token of a source; None if it has no tokens."""
    found = measured.sources.get(source)
    return found.bytes / found.tokens if found and found.tokens else None


def build_source_table(measured: Sequence[Measurement]) -> Table | None:
    """Build a table of bytes per token by source, the largest first; None without sources."""
    sources = measured[0].sources
    if not sources:
        return None
    rows = []
    for name in sort_sources(measured):
        rates = [source_rate(each, name) for each in measured]
        cells = ["-" if rate is None else f"{rate:.3f}" for rate in rates]
        rows.append([name, f"{sources[name].bytes / 1e6:.2f}", *cells])
    names = [Column(each.name) for each in measured]
    return Table([Column("bytes per token by source", False), Column("MB"), *names], rows)


def build_script_table(measured: Sequence[Measurement]) -> Table | None:
    """Build a table of bytes per token by script with the changes from the first tokenizer."""
    scripts = list_scripts(measured)
    if not scripts:
        return None
    rates = [[script_rate(each, name) for each in measured] for name in scripts]
    cells = format_with_changes([BYTES_PER_TOKEN] * len(scripts), rates)
    rows = [
        [Text(name), Text(f"{most_bytes(measured, name) / 1e6:.2f}"), *row]
        for name, row in zip(scripts, cells, strict=True)
    ]
    names = [Column(each.name) for each in measured]
    return Table([Column("bytes per token by script", False), Column("MB"), *names], rows)


def build_tables(measured: Sequence[Measurement]) -> list[Table]:
    """Build the tables of a comparison: metrics, then sources and scripts if there are any."""
    tables = build_metric_table(measured), build_source_table(measured)
    return [table for table in (*tables, build_script_table(measured)) if table is not None]


def describe_corpus(measured: Sequence[Measurement]) -> str:
    """Say what was measured on."""
    first = measured[0]
    patterns = ", ".join(sorted({find_pattern_name(each.pattern) for each in measured}))
    documents, size = count_noun(first.documents, "document"), count_noun(first.bytes, "byte")
    return f"{documents}, {size}; pretokens by {patterns}"


def format_comparison_html(measured: Sequence[Measurement]) -> str:
    """Format measurements side by side as HTML for notebooks."""
    if not measured:
        return ""
    sentences = describe_script_losses(measured)
    parts = [build_note(describe_corpus(measured)), *map(format_html, build_tables(measured))]
    return f"<div>{''.join([*parts, *map(build_note, sentences)])}</div>"


def print_comparison(measured: Sequence[Measurement], console: Console) -> None:
    """Print measurements side by side."""
    if not measured:
        return
    console.print(describe_corpus(measured), markup=False)
    for table in build_tables(measured):
        console.print()
        print_table(table, console)
    if sentences := describe_script_losses(measured):
        console.print()
        for sentence in sentences:
            console.print(sentence, markup=False)


def format_comparison_markdown(measured: Sequence[Measurement]) -> str:
    """Format measurements side by side in Markdown."""
    parts = [f"{describe_corpus(measured)}\n", *map(format_markdown, build_tables(measured))]
    sentences = [f"- {sentence}\n" for sentence in describe_script_losses(measured)]
    return "\n".join([*parts, *filter(None, ["".join(sentences)])])


def format_comparison_latex(measured: Sequence[Measurement]) -> str:
    """Format measurements side by side in LaTeX: a `tabular` per table."""
    # A pattern may have line ends, which would end the comment.
    corpus = " ".join(describe_corpus(measured).split())
    parts = [f"% {corpus}\n", *map(format_latex, build_tables(measured))]
    sentences = [f"% {sentence}\n" for sentence in describe_script_losses(measured)]
    return "\n".join([*parts, *filter(None, ["".join(sentences)])])


def format_comparison_csv(measured: Sequence[Measurement]) -> str:
    """Format measurements as CSV: a row per metric, source and script, in full precision."""
    summaries = [each.summary() for each in measured]
    rows = [[metric.key, "", *(each[metric.key] for each in summaries)] for metric in METRICS]
    for name in sort_sources(measured):
        rows.append(["bytes_per_token", name, *(source_rate(each, name) for each in measured)])
    for name in list_scripts(measured):
        rates = [script_rate(each, name) for each in measured]
        rows.append(["bytes_per_token_by_script", name, *rates])
    return format_csv(["metric", "source", *(each.name for each in measured)], rows)
