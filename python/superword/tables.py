"""Tables for people and for programs: aligned text, Markdown, LaTeX and CSV.

Numbers are never shortened. On a terminal, a table that is too wide is printed as several tables,
one below the other, and long labels are wrapped. Elsewhere, a line is as long as its cells.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

__all__ = ["Column", "Table", "format_csv", "format_latex", "format_markdown", "print_table"]

GAP = 2
# Labels on a terminal are wrapped to no less than this.
MIN_LABEL_WIDTH = 12


class Column(NamedTuple):
    """A column: its name, and whether it holds numbers, which are aligned to the right."""

    name: str = ""
    is_number: bool = True


class Table(NamedTuple):
    """A table. The first column holds the labels of the rows."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str | Text]]


def print_table(table: Table, console: Console) -> None:
    """Print a table; on a terminal, within its width if the numbers allow it."""
    limit = console.width if console.is_terminal else None
    for at, part in enumerate(split_columns(table, limit)):
        if at:
            console.print()
        for line in build_lines(part, limit):
            # Without soft wrapping, the console would cut or wrap at its width.
            console.print(line, soft_wrap=True, highlight=False)


def split_columns(table: Table, limit: int | None) -> Iterator[Table]:
    """Yield the table in parts that fit a width, each with the column of labels.

    A part has at least one column besides the labels, whatever the width.

    Example:
        >>> table = Table([Column("", False), Column("a"), Column("b")], [["x", "1.25", "2.50"]])
        >>> [[column.name for column in part.columns] for part in split_columns(table, 12)]
        [['', 'a'], ['', 'b']]
    """
    widths = measure_columns(table)
    label = widths[0]
    if limit is not None:
        # Labels are wrapped if no column fits beside them.
        label = min(label, max(MIN_LABEL_WIDTH, limit - max([0, *widths[1:]]) - GAP))
    parts: list[list[int]] = [[]]
    used = label
    for at, width in enumerate(widths[1:], 1):
        if parts[-1] and limit is not None and used + GAP + width > limit:
            parts.append([])
            used = label
        parts[-1].append(at)
        used += GAP + width
    for part in parts:
        chosen = [0, *part]
        yield Table(
            [table.columns[at] for at in chosen], [[row[at] for at in chosen] for row in table.rows]
        )


def build_lines(table: Table, limit: int | None) -> Iterator[Text]:
    """Yield the lines of a table; texts are wrapped to a width, numbers never."""
    widths = measure_columns(table)
    if limit is not None:
        shrink_texts(table.columns, widths, limit)
    header = [Text(column.name, "bold") for column in table.columns]
    rows = [row for row in [header] if any(column.name for column in table.columns)]
    for row in [*rows, *table.rows]:
        cells = [
            [as_text(cell)] if column.is_number else wrap_text(as_text(cell), width)
            for cell, column, width in zip(row, table.columns, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=Text()):
            yield join_cells(parts, table.columns, widths)


def shrink_texts(columns: Sequence[Column], widths: list[int], limit: int) -> None:
    """Reduce the widths of text columns, the last first, until a line fits."""
    for at in reversed(range(len(columns))):
        excess = sum(widths) + GAP * (len(widths) - 1) - limit
        if excess > 0 and not columns[at].is_number:
            widths[at] = max(min(widths[at], MIN_LABEL_WIDTH), widths[at] - excess)


def wrap_text(text: Text, width: int) -> list[Text]:
    """Wrap a text at spaces; a word longer than the width is folded."""
    return list(text.wrap(Console(width=max(width, 1)), max(width, 1))) or [text]


def join_cells(cells: Sequence[Text], columns: Sequence[Column], widths: Sequence[int]) -> Text:
    """Join the cells of a line, aligned."""
    line = Text(no_wrap=True)
    for at, (cell, column, width) in enumerate(zip(cells, columns, widths, strict=True)):
        padding = " " * (width - cell_len(cell.plain))
        line.append(" " * GAP if at else "")
        line.append(padding if column.is_number else "")
        line.append_text(cell)
        line.append("" if column.is_number else padding)
    line.rstrip()
    return line


def measure_columns(table: Table) -> list[int]:
    """Return the width of each column in terminal cells."""
    names = [column.name for column in table.columns]
    rows = [names, *([as_text(cell).plain for cell in row] for row in table.rows)]
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]


def as_text(cell: str | Text) -> Text:
    """Return a cell as a rich text; brackets in it are no markup."""
    return Text(cell) if isinstance(cell, str) else cell


def format_markdown(table: Table) -> str:
    r"""Format a table in Markdown.

    Example:
        >>> print(format_markdown(Table([Column("a", False), Column("b")], [["x|y", "1"]])), end="")
        | a | b |
        | --- | ---: |
        | x\|y | 1 |
    """
    names = [column.name for column in table.columns]
    alignment = ["---:" if column.is_number else "---" for column in table.columns]
    rows = [[escape_markdown(as_text(cell).plain) for cell in row] for row in table.rows]
    lines = [[escape_markdown(name) for name in names], alignment, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escape_markdown(text: str) -> str:
    """Escape what would end a cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())


def format_latex(table: Table, alignment: str | None = None) -> str:
    r"""Format a table in LaTeX, for the package `booktabs`.

    `alignment` is that of `tabular`; by default, numbers are on the right.

    Example:
        >>> table = Table([Column("", False), Column("a_b")], [["50% & more", "1"]])
        >>> print(format_latex(table), end="")
        \begin{tabular}{lr}
        \toprule
         & a\_b \\
        \midrule
        50\% \& more & 1 \\
        \bottomrule
        \end{tabular}
    """
    alignment = alignment or "".join("r" if each.is_number else "l" for each in table.columns)
    names = [escape_latex(column.name) for column in table.columns]
    rows = [[escape_latex(as_text(cell).plain) for cell in row] for row in table.rows]
    head = [f"{' & '.join(names)} \\\\", r"\midrule"] if any(names) else []
    body = [f"{' & '.join(row)} \\\\" for row in rows]
    begin, end = f"\\begin{{tabular}}{{{alignment}}}", r"\end{tabular}"
    lines = [begin, r"\toprule", *head, *body, r"\bottomrule", end]
    return "\n".join(lines) + "\n"


# What LaTeX would read as a command, or has no letter for.
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "α": r"$\alpha$",
    "␣": r"\textvisiblespace{}",
    "–": "--",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}
LATEX_SPECIAL = re.compile(f"█+|[{re.escape(''.join(LATEX))}]")


def escape_latex(text: str) -> str:
    r"""Escape a text for LaTeX. A bar of blocks becomes a rule, an em for five of them.

    Example:
        >>> escape_latex("100% of_it"), escape_latex("\\x{}"), escape_latex("██")
        ('100\\% of\\_it', '\\textbackslash{}x\\{\\}', '\\rule{0.4em}{1.5ex}')
    """

    def replace(match: re.Match[str]) -> str:
        blocks = len(match[0])
        return LATEX.get(match[0]) or f"\\rule{{{blocks / 5:.1f}em}}{{1.5ex}}"

    return LATEX_SPECIAL.sub(replace, " ".join(text.split()))


def format_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Format rows as CSV, with a line of column names.

    Example:
        >>> format_csv(["metric", "a"], [["tokens", 12], ["gini", None]])
        'metric,a\ntokens,12\ngini,\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
