"""Self-contained HTML pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

__all__ = ["TableColumn", "build_page", "build_table", "inline_svg"]

STYLESHEET = """
:root { color-scheme: light; --ink: #1d2733; --soft: #5b6875; --line: #dfe4ea; --blue: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 3rem 1.5rem 6rem; color: var(--ink);
  background: #fff; font: 17px/1.6 Charter, "Bitstream Charter", Cambria, Georgia, serif; }
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
.card b { display: block; font-size: 1.7rem; line-height: 1.2; color: var(--blue); }
.card span { font-size: .85rem; color: var(--soft); line-height: 1.35; display: block; }
.claim { display: grid; grid-template-columns: 6.2rem 1fr; gap: .2rem 1rem; padding: .8rem 0;
  border-bottom: 1px solid var(--line); font-family: system-ui, sans-serif; font-size: .92rem; }
.claim .verdict { font-weight: 700; }
.holds .verdict { color: #00714f; }
.weaker .verdict { color: #8a6100; }
.fails .verdict { color: #b04a00; }
.unknown .verdict { color: var(--soft); }
.claim small { color: var(--soft); font-size: .85rem; display: block; }
.claim ul { margin: .2rem 0 0; padding: 0; list-style: none; font-size: .85rem;
  color: var(--soft); columns: 22rem auto; }
.claim li { padding-left: 1.2rem; text-indent: -1.2rem; break-inside: avoid; max-width: none; }
.claim li::before { display: inline-block; width: 1.2rem; text-indent: 0; }
.claim li.so::before { content: "✓"; color: #00714f; }
.claim li.not::before { content: "✗"; color: #b04a00; }
.claim details { margin: .1rem 0 0; }
.token { padding: .1rem 0; white-space: pre; font-family: ui-monospace, Menlo, monospace; }
.token:nth-child(odd) { background: #cfe6f5; } .token:nth-child(even) { background: #fde3b4; }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--blue);
  font: .88rem system-ui, sans-serif; }
code, pre { font-family: ui-monospace, Menlo, monospace; font-size: .85em; }
pre { background: #f5f7f9; padding: .8rem 1rem; overflow-x: auto; border-radius: .4rem; }
nav { font: .88rem system-ui, sans-serif; margin: 1rem 0 0; display: flex; gap: 1.2rem;
  flex-wrap: wrap; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; }
  figure { break-inside: avoid; } }
"""


class TableColumn(NamedTuple):
    """A column of a table: its name, and what kind of values it holds."""

    name: str
    is_number: bool = False
    is_paper: bool = False


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


def class_attribute(column: TableColumn) -> str:
    """Return the HTML class attribute of a column's cells."""
    names = ["number"] * column.is_number + ["paper"] * column.is_paper
    return f" class='{' '.join(names)}'" if names else ""


def inline_svg(svg: bytes) -> str:
    """Return an SVG without the XML header, to be embedded in a page."""
    text = svg.decode()
    return text[text.index("<svg") :]
