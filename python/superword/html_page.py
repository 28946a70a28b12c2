"""Self-contained HTML pages, and tables for pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape_markup
from typing import NamedTuple

from rich.text import Text

from superword.tables import Table

__all__ = ["TableColumn", "build_page", "build_table", "escape", "format_html", "inline_svg"]

STYLESHEET = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2733; --soft: #5b6875;
  --line: #dfe4ea; --blue: #0072b2; --code: #f5f7f9; --good: #00714f; --fair: #8a6100;
  --bad: #b04a00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181d; --ink: #e2e6ea; --soft: #9aa5b1; --line: #2c343d; --blue: #6db8e8;
    --code: #1d2329; --good: #4cc38f; --fair: #d9a940; --bad: #ec8a5e; }
  figure svg { background: #fff; border-radius: .5rem; padding: .4rem; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 3rem 1.5rem 6rem; color: var(--ink);
  background: var(--paper); font: 17px/1.6 Charter, "Bitstream Charter", Cambria, Georgia, serif; }
h1 { font-size: 2.3rem; line-height: 1.15; margin: 0 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.45rem; margin: 3.2rem 0 .4rem; padding-top: 1.2rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
p, li { max-width: 44rem; }
.lead { font-size: 1.15rem; color: var(--soft); margin: 0 0 1.5rem; }
a { color: var(--blue); }
figure { margin: 1.2rem 0 1.8rem; }
figure svg { width: 100%; height: auto; display: block; }
figcaption, .note { color: var(--soft); font-size: .92rem; max-width: 44rem; }
table { border-collapse: collapse; font: .86rem/1.45 system-ui, sans-serif; margin: 1rem 0; }
.wide { overflow-x: auto; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: baseline;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; border-bottom: 2px solid var(--ink); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td:first-child { white-space: nowrap; }
td.paper { color: var(--soft); }
tr.group td { border-top: 1px solid #9aa5b1; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem;
  margin: 1.5rem 0 2rem; font-family: system-ui, sans-serif; }
.card { border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1.1rem; }
.card strong { font-size: .95rem; overflow-wrap: anywhere; }
.card b { display: block; font-size: 1.7rem; line-height: 1.2; color: var(--blue); }
.card span { font-size: .85rem; color: var(--soft); line-height: 1.35; display: block; }
.claim { display: grid; grid-template-columns: 6.2rem 1fr; gap: .2rem 1rem; padding: .8rem 0;
  border-bottom: 1px solid var(--line); font-family: system-ui, sans-serif; font-size: .92rem; }
.claim .verdict { font-weight: 700; }
.holds .verdict { color: var(--good); }
.weaker .verdict { color: var(--fair); }
.fails .verdict { color: var(--bad); }
.unknown .verdict { color: var(--soft); }
.claim small { color: var(--soft); font-size: .85rem; display: block; }
.claim ul { margin: .2rem 0 0; padding: 0; list-style: none; font-size: .85rem;
  color: var(--soft); columns: 22rem auto; }
.claim li { padding-left: 1.2rem; text-indent: -1.2rem; break-inside: avoid; max-width: none; }
.claim li::before { display: inline-block; width: 1.2rem; text-indent: 0; }
.claim li.so::before { content: "✓"; color: var(--good); }
.claim li.not::before { content: "✗"; color: var(--bad); }
.claim details { margin: .1rem 0 0; }
.piece { padding: .1rem 0; white-space: pre; font-family: ui-monospace, Menlo, monospace; }
.piece:nth-child(odd) { background: #56b4e950; } .piece:nth-child(even) { background: #e69f0050; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr));
  gap: .5rem 2rem; }
.column { min-width: 0; } .column h3 { margin-top: 1rem; overflow-wrap: anywhere; }
.tokens { overflow-wrap: anywhere; }
.bars { margin: 0 0 1.2rem; }
.bars h3 { margin: 0 0 .2rem; font: 600 .92rem system-ui, sans-serif; }
.bars small { color: var(--soft); font-weight: 400; }
.bar { display: grid; grid-template-columns: minmax(4rem, 10rem) 1fr 3.2rem 3.6rem;
  gap: .6rem; align-items: center; font: .86rem/1.5 system-ui, sans-serif;
  font-variant-numeric: tabular-nums; }
.bar span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar > i { background: var(--line); border-radius: .3rem; height: .6rem; }
.bar > i > i { display: block; border-radius: .3rem; height: .6rem; }
.bar b, .bar em { font-weight: 400; font-style: normal; text-align: right; }
.bar .gain { color: var(--good); } .bar .loss { color: var(--bad); }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--blue);
  font: .88rem system-ui, sans-serif; }
code, pre { font-family: ui-monospace, Menlo, monospace; font-size: .85em; }
pre { background: var(--code); padding: .8rem 1rem; overflow-x: auto; border-radius: .4rem; }
nav { font: .88rem system-ui, sans-serif; margin: 1rem 0 0; display: flex; gap: 1.2rem;
  flex-wrap: wrap; }
@media (max-width: 40rem) {
  body { padding: 1.5rem 1rem 3rem; font-size: 16px; } h1 { font-size: 1.7rem; }
  h2 { margin-top: 2rem; } .columns { grid-template-columns: 1fr; }
  .cards { grid-template-columns: 1fr 1fr; gap: .6rem; } .card { padding: .7rem .8rem; }
  figure { overflow-x: auto; } figure svg { min-width: 44rem; }
  .bar { grid-template-columns: 5.5rem 1fr 3rem 3.4rem; gap: .4rem; font-size: .8rem; }
  .steps td { display: block; white-space: normal; }
  td:first-child { white-space: normal; min-width: 7rem; }
  .wide td span { display: block; }
}
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; }
  figure { break-inside: avoid; } }
"""


class TableColumn(NamedTuple):
    """A column of a table: its name, and what kind of values it holds."""

    name: str
    is_number: bool = False
    is_paper: bool = False


def escape(text: str) -> str:
    r"""Escape a text for HTML, also in attributes. Control characters are shown as escapes.

    Example:
        >>> escape('a < "b"\x1b')
        'a &lt; &quot;b&quot;\\x1b'
    """
    visible = (
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode()
        for each in text
    )
    return escape_markup("".join(visible))


def build_page(title: str, body: str) -> str:
    """Build a page with a title; the body is HTML."""
    return (
        "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{escape(title)}</title>\n<style>{STYLESHEET}</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def build_table(
    columns: Sequence[TableColumn], rows: Iterable[Sequence[str]], groups: Iterable[int] = ()
) -> str:
    """Build a table of plain texts, with a line before each row that starts a group.

    Example:
        >>> build_table([TableColumn("size", is_number=True)], [["<5"]]).count("&lt;5")
        1
    """
    starts = set(groups)
    head = "".join(f"<th{class_attribute(column)}>{escape(column.name)}</th>" for column in columns)
    body = "".join(
        f"<tr{' class=group' if at in starts else ''}>"
        + "".join(
            f"<td{class_attribute(column)}>{escape(text)}</td>"
            for column, text in zip(columns, row, strict=True)
        )
        + "</tr>\n"
        for at, row in enumerate(rows)
    )
    return f"<div class='wide'><table>\n<tr>{head}</tr>\n{body}</table></div>"


def format_html(table: Table) -> str:
    """Format a table as HTML with inline styles, which notebooks keep.

    Example:
        >>> from superword.tables import Column
        >>> table = Table([Column("", False), Column("<a>")], [["x", Text("1", "green")]])
        >>> format_html(table).count("&lt;a&gt;"), format_html(table).count("color: rgb")
        (1, 1)
    """
    sides = ["right" if column.is_number else "left" for column in table.columns]
    names = [escape(column.name) for column in table.columns]
    head = "".join(build_cell("th", *cell) for cell in zip(names, sides, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            build_cell("td", build_text(cell), side) for cell, side in zip(row, sides, strict=True)
        )
        + "</tr>\n"
        for row in table.rows
    )
    head = f"<thead><tr>{head}</tr></thead>\n" if any(names) else ""
    return (
        '<div class="wide" style="overflow-x: auto"><table style="border-collapse: collapse; '
        f'font-size: 13px; margin: 6px 0">{head}<tbody>\n{body}</tbody></table></div>'
    )


def build_cell(tag: str, content: str, side: str) -> str:
    """Build a cell; numbers do not break."""
    number = "; white-space: nowrap" if side == "right" else ""
    return (
        f'<{tag} style="text-align: {side}; padding: 2px 12px 2px 0; vertical-align: top; '
        f'overflow-wrap: break-word{number}">{content}</{tag}>'
    )


# The styles that cells have on terminals. These colors are readable on white and on black.
TEXT_STYLES = {
    "green": "color: rgb(26, 138, 80)",
    "red": "color: rgb(214, 69, 65)",
    "dim": "opacity: 0.6",
    "bold": "font-weight: bold",
}


def build_text(cell: str | Text) -> str:
    """Build the text of a cell with its styles."""
    if isinstance(cell, str):
        return escape(cell)
    parts = cell.divide(sorted({at for span in cell.spans for at in (span.start, span.end)}))
    return "".join(build_span(part) for part in parts if part.plain)


def build_span(part: Text) -> str:
    """Build a part of a text that has one style."""
    names = [str(part.style), *(str(span.style) for span in part.spans)]
    styles = [TEXT_STYLES[name] for name in names if name in TEXT_STYLES]
    content = escape(part.plain)
    return f'<span style="{"; ".join(styles)}">{content}</span>' if styles else content


def class_attribute(column: TableColumn) -> str:
    """Return the HTML class attribute of a column's cells."""
    names = ["number"] * column.is_number + ["paper"] * column.is_paper
    return f" class='{' '.join(names)}'" if names else ""


def inline_svg(svg: bytes) -> str:
    """Return an SVG without the XML header, to be embedded in a page."""
    text = svg.decode()
    return text[text.index("<svg") :]
