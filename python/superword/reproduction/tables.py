"""The tables: 1 and 3 of the paper, and those of what else was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from superword.evaluation import METRICS, Measurement
from superword.reproduction import paper
from superword.reproduction.lineup import DELETIONS, boundless_key
from superword.reproduction.results import BOUNDLESS_4O, Results
from superword.tables import Column, Table

__all__ = ["ReportTable", "build_tables"]

DELETION_NAMES = {None: "none", "pair": "original", "bytes": "ours"}
PATTERN_NAMES = {"boundless": "Boundless", "gpt4o": "GPT4o"}
# The metrics of the table of all tokenizers.
SHOWN = (
    *("bytes_per_token", "renyi_efficiency", "vocabulary_used", "single_share"),
    *("superword_tokens", "instability"),
)


class ReportTable(NamedTuple):
    """A table, for programs and as people read it.

    Attributes:
        name: The name in files.
        title: The heading in the report.
        caption: What it shows.
        columns: The names of the columns in CSV and JSON.
        rows: The values.
        shown: The table as people read it; columns named "paper" hold the paper's values.
        groups: The rows before which the report draws a line.
    """

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    shown: Table
    groups: Sequence[int] = ()


def build_tables(results: Results) -> list[ReportTable]:
    """Build the tables that have rows."""
    outer = sorted({results.sizes[0], results.sizes[-1]})
    tables = [
        build_ablation(results, 1, outer),
        build_ablation(results, 3, results.sizes[1:-1]),
        build_tokenizers(results),
        build_variations(results),
        build_others(results),
        *build_own_metrics(results),
    ]
    return [table for table in tables if table.rows]


def build_ablation(results: Results, number: int, sizes: Sequence[int]) -> ReportTable:
    """Build Table 1 or 3, in the paper's order."""
    rows: list[tuple[Any, ...]] = []
    for size in sizes:
        for pattern, name in PATTERN_NAMES.items():
            for deletion in DELETIONS:
                measured = results.measured[boundless_key(pattern, deletion), size]
                rate, efficiency = measured.bytes_per_token, measured.renyi_efficiency()
                known = paper.ABLATION.get((size, pattern, deletion), (None, None))
                label = DELETION_NAMES[deletion]
                rows.append((size, name, label, rate, known[0], efficiency, known[1]))
    forms = ("{:,}", "{}", "{}", "{:.3f}", "{:.3f}", "{:.4f}", "{:.4f}")
    names = ("Vocab Size", "Regex Pattern", "PickyBPE", "Bytes Per Token", "paper")
    columns = [
        Column(name, at > 2) for at, name in enumerate((*names, "Rényi Efficiency", "paper"))
    ]
    return ReportTable(
        f"table-{number}-ablation",
        f"Table {number}",
        "Patterns and deletion modes: none, PickyBPE's original (the pair), ours (bytes).",
        (
            *("vocab_size", "pattern", "deletion", "bytes_per_token", "paper_bytes_per_token"),
            *("renyi_efficiency", "paper_renyi_efficiency"),
        ),
        rows,
        Table(columns, [format_row(row, forms) for row in rows]),
        range(3, len(rows), 3),
    )


def build_tokenizers(results: Results) -> ReportTable:
    """Build the table of the tokenizers in the main figures, at every size."""
    measured = {
        (results.label(key), size): results.measured[key, size]
        for size in results.sizes
        for key in results.main_keys
    }
    table = tabulate("tokenizers", "Tokenizers", "The tokenizers of the main figures.", measured)
    return table._replace(groups=range(0, len(measured), len(results.main_keys)))


def build_variations(results: Results) -> ReportTable:
    """Build the table of the models with a parameter that is not the paper's."""
    keys = results.variation_keys
    compared = [BOUNDLESS_4O, *keys] if keys else []
    measured = {
        (results.label(key), size): results.measured[key, size]
        for size in results.sizes
        for key in compared
    }
    caption = "BoundlessBPE (4o) with one parameter changed, and further patterns."
    table = tabulate("variations", "Variations", caption, measured)
    return table._replace(groups=range(0, len(measured), max(len(compared), 1)))


def build_others(results: Results) -> ReportTable:
    """Build the table of further tokenizers, which have vocabularies of their own sizes."""
    measured = {(each.name, each.vocab_size): each for each in results.others}
    caption = "Further tokenizers, each with its own vocabulary and its own training corpus."
    return tabulate("other-tokenizers", "Other tokenizers", caption, measured, ("altered",))


def tabulate(
    name: str,
    title: str,
    caption: str,
    measured: dict[tuple[str, int], Measurement],
    more: Sequence[str] = (),
) -> ReportTable:
    """Build a table of metrics, with a row for each tokenizer and vocabulary size."""
    shown = [metric for metric in METRICS if metric.key in (*SHOWN, *more)]
    rows = []
    for (label, size), each in measured.items():
        summary = each.summary()
        rows.append((label, size, *(summary[metric.key] for metric in shown)))
    forms = ("{}", "{:,}", *(metric.form for metric in shown))
    labels = [Column("vocabulary"), *(Column(metric.label) for metric in shown)]
    return ReportTable(
        name,
        title,
        caption,
        ("tokenizer", "vocab_size", *(metric.key for metric in shown)),
        rows,
        Table([Column("tokenizer", False), *labels], [format_row(row, forms) for row in rows]),
    )


def build_own_metrics(results: Results) -> Iterator[ReportTable]:
    """Yield a table for each of the user's own metrics, with a column for each size."""
    for name, values in results.own_metrics.items():
        shown = []
        sizes = sorted({value.vocab_size for value in values})
        for label, group in groupby(values, lambda value: value.tokenizer):
            found = {value.vocab_size: f"{value.value:.4g}" for value in group}
            shown.append([label, *(found.get(size, "–") for size in sizes)])
        columns = [Column("tokenizer", False), *(Column(f"{size:,}") for size in sizes)]
        yield ReportTable(
            f"metric-{name}",
            name,
            "A metric of your own, by vocabulary size.",
            ("tokenizer", "vocab_size", name),
            values,
            Table(columns, shown),
        )


def format_row(row: Sequence[Any], forms: Sequence[str]) -> list[str]:
    """Format the values of a row; a dash stands for none.

    Example:
        >>> format_row((4096, None), ("{:,}", "{:.3f}"))
        ['4,096', '–']
    """
    return [
        "–" if value is None else form.format(value) for value, form in zip(row, forms, strict=True)
    ]
