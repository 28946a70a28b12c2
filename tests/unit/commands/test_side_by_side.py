"""One text as several tokenizers split it, with aligned boundaries."""

from __future__ import annotations

from rich.cells import cell_len

from superword.commands.side_by_side import TokenizedText, build_lines

TEXT = "To be\n日本 or not"
ROWS = [
    TokenizedText("words", TEXT, [b"To", b" be", b"\n", "日本".encode(), b" or", b" not"]),
    TokenizedText(
        "other", TEXT, [b"To be", b"\n", *(bytes([b]) for b in "日本".encode()), b" or not"]
    ),
]


def test_bars_are_aligned() -> None:
    assert [line.plain for line in build_lines(TEXT, ROWS)] == [
        "words  6 tokens  To| be|\\n|日 本| or| not|",
        "other  9 tokens  To  be|\\n|日|本| or  not|",
    ]


def test_long_texts_wrap_and_stay_aligned() -> None:
    rows = [TokenizedText("a", TEXT * 9, [TEXT.encode()] * 9)] * 2
    lines = [line.plain for line in build_lines(TEXT * 9, rows, width=50)]
    assert len(lines) > 6
    assert all(cell_len(line) <= 50 for line in lines)
    assert lines[0] == lines[1] and lines[2] == ""


def test_colors_alternate_between_tokens() -> None:
    first, second = build_lines(TEXT, ROWS, in_color=True)
    assert first.plain.endswith("To be\\n日本 or not")
    assert cell_len(first.plain) == cell_len(second.plain)
    assert ROWS[0].alternate_colors() == [0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1]
    # A character belongs to the token of its last byte.
    assert ROWS[1].alternate_colors() == [0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]


def test_a_text_without_tokens_has_a_row() -> None:
    assert [line.plain for line in build_lines("", [TokenizedText("a", "", [])])] == ["a  0 tokens"]
