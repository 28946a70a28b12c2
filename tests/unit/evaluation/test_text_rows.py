"""Texts through several tokenizers, boundary under boundary."""

from __future__ import annotations

from rich.cells import cell_len

from superword.evaluation.text_rows import Row, aligned_lines, coloured_lines

TEXT = "To be\n日本 or not"
ROWS = [
    Row("words", TEXT, [b"To", b" be", b"\n", "日本".encode(), b" or", b" not"]),
    Row("other", TEXT, [b"To be", b"\n", *(bytes([b]) for b in "日本".encode()), b" or not"]),
]


def test_bars_stand_under_each_other() -> None:
    assert list(aligned_lines(TEXT, ROWS)) == [
        "words  6 tokens  To| be|\\n|日 本| or| not|",
        "other  9 tokens  To  be|\\n|日|本| or  not|",
    ]


def test_long_texts_go_on_below_and_stay_aligned() -> None:
    lines = list(aligned_lines(TEXT * 9, [Row("a", TEXT * 9, [TEXT.encode()] * 9)] * 2, width=50))
    assert len(lines) > 6
    assert all(cell_len(line) <= 50 for line in lines)
    assert lines[0] == lines[1] and lines[2] == ""


def test_colours_alternate_between_tokens() -> None:
    first, second = coloured_lines(TEXT, ROWS)
    assert first.plain.endswith("To be\\n日本 or not")
    assert cell_len(first.plain) == cell_len(second.plain)
    assert ROWS[0].shades() == [0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1]
    # Of the bytes of a character, the last decides.
    assert ROWS[1].shades() == [0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]


def test_a_text_without_tokens_has_a_row() -> None:
    assert list(aligned_lines("", [Row("a", "", [])])) == ["a  0 tokens"]
