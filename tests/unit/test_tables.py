"""Tables on terminals of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from superword.html_page import format_html
from superword.tables import Column, Table, format_latex, print_table

NUMBERS = [f"{value:,}.{value % 1000:03}" for value in range(1_234_567, 9_234_567, 1_000_001)]
TABLE = Table(
    [Column("", False), *(Column(f"tokenizer {at}") for at in range(len(NUMBERS)))],
    [["a label that is rather long", *NUMBERS], ["[bold]short[/bold]", *reversed(NUMBERS)]],
)


def show(width: int, is_terminal: bool) -> str:
    file = io.StringIO()
    print_table(TABLE, Console(file=file, width=width, force_terminal=is_terminal, no_color=True))
    return file.getvalue()


@pytest.mark.parametrize("width", [1, 20, 40, 80, 200])
def test_numbers_are_never_cut_on_a_terminal(width: int) -> None:
    shown = show(width, is_terminal=True)
    assert all(shown.count(number) == 2 for number in NUMBERS)
    assert "…" not in shown
    # Labels are wrapped to fit, down to a width of 12.
    lines = shown.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    assert max(map(len, lines)) <= max(width, 12 + 2 + 13)


@pytest.mark.parametrize("width", [1, 40, 80])
def test_there_is_no_width_off_a_terminal(width: int) -> None:
    first, *rows = show(width, is_terminal=False).splitlines()
    assert len(rows) == 2
    assert first.split() == [part for at in range(len(NUMBERS)) for part in ("tokenizer", str(at))]
    assert rows[0].startswith("a label that is rather long")
    assert rows[1].startswith("[bold]short[/bold]")


def test_nothing_in_a_cell_is_a_command_of_latex() -> None:
    hostile = "\\input{x} 100% $x^2$ #1 a_b ~ {} & | <>\nend"
    table = Table([Column(hostile, False), Column()], [[hostile, "1"]])
    rows = [line for line in format_latex(table).splitlines() if r"\textbackslash{}input" in line]
    expected = (
        r"\textbackslash{}input\{x\} 100\% \$x\textasciicircum{}2\$ \#1 a\_b \textasciitilde{} "
        r"\{\} \& \textbar{} \textless{}\textgreater{} end"
    )
    assert rows == [f"{expected} &  \\\\", f"{expected} & 1 \\\\"]


def test_cells_are_escaped_in_html_and_keep_their_styles() -> None:
    changed = Text("1 ") + Text("-2%", "red") + Text("<b>")
    shown = format_html(Table([Column("<i>\x1b", False), Column()], [["<u>", changed]]))
    assert "&lt;i&gt;\\x1b" in shown and "&lt;u&gt;" in shown
    assert '1 <span style="color: rgb(214, 69, 65)">-2%</span>&lt;b&gt;' in shown
