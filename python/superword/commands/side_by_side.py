"""Print one text as several tokenizers split it, with aligned boundaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from superword.printable import readable
from superword.tokenizer.display import TOKEN_COLORS

__all__ = ["TokenizedText", "print_side_by_side"]


class TokenizedText:
    """A text with the index of the token that each character belongs to.

    A character that is split among tokens belongs to the token with its last byte.
    """

    def __init__(self, name: str, text: str, tokens: Sequence[bytes]) -> None:
        self.name = name
        self.tokens = tokens
        owner_of_byte = [at for at, token in enumerate(tokens) for _ in token]
        ends = accumulate(len(character.encode()) for character in text)
        self.owners = [owner_of_byte[end - 1] if end <= len(owner_of_byte) else -1 for end in ends]

    def alternate_colors(self) -> list[int]:
        r"""Return 0 or 1 for each character, switching after each end of a token.

        Example:
            >>> TokenizedText("", "aé", [b"a", b"\xc3", b"\xa9"]).alternate_colors()
            [0, 1]
        """
        ends = (self.ends_at(at) for at in range(len(self.owners) - 1))
        return [count % 2 for count in accumulate(ends, initial=0)][: len(self.owners)]

    def ends_at(self, at: int) -> bool:
        """Return whether a token ends with the character at an index."""
        is_last = at + 1 == len(self.owners)
        return is_last or self.owners[at] != self.owners[at + 1]


def print_side_by_side(text: str, rows: Sequence[TokenizedText], console: Console) -> None:
    """Print a text as several tokenizers split it: in colors, or with bars if there are none."""
    for line in build_lines(text, rows, console.width, console.color_system is not None):
        console.print(line)
    console.print()


def build_lines(
    text: str, rows: Sequence[TokenizedText], width: int = 100, in_color: bool = False
) -> Iterator[Text]:
    r"""Yield lines with tokens in alternating colors, or with a bar at the end of each token.

    Characters align across rows: without colors, all rows have a column where one has a bar.

    Example:
        >>> rows = [TokenizedText("bpe", "To be or", [b"To", b" be", b" or"])]
        >>> rows.append(TokenizedText("boundless", "To be or", [b"To be", b" or"]))
        >>> print("\n".join(line.plain for line in build_lines("To be or", rows)))
        bpe        3 tokens  To| be| or|
        boundless  2 tokens  To  be| or|
    """
    characters = escape_characters(text)
    heads = build_heads(rows)
    colors = [row.alternate_colors() for row in rows]
    columns = range(len(characters))
    has_bar = [not in_color and any(row.ends_at(at) for row in rows) for at in columns]
    widths = [cell_len(characters[at]) + has_bar[at] for at in columns]
    for start, stop in wrap(widths, max(width - len(heads[0]), 20)):
        for head, row, color in zip(heads, rows, colors, strict=True):
            line = Text(head, no_wrap=True)
            for at in range(start, stop):
                line.append(characters[at], TOKEN_COLORS[color[at]] if in_color else None)
                if has_bar[at]:
                    line.append("|" if row.ends_at(at) else " ")
            if not in_color:
                line.rstrip()
            yield line
        if stop < len(characters):
            yield Text()


def escape_characters(text: str) -> list[str]:
    r"""Return the characters as printed: a space stays a space, a line end becomes `\n`."""
    return [readable(character.encode()) for character in text]


def build_heads(rows: Sequence[TokenizedText]) -> list[str]:
    """Return the name and token count of each row, padded to one width."""
    names = max(len(row.name) for row in rows)
    counts = max(len(str(len(row.tokens))) for row in rows)
    return [f"{row.name:{names}}  {len(row.tokens):{counts}} tokens  " for row in rows]


def wrap(widths: Sequence[int], limit: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line, given the widths of the characters.

    Example:
        >>> list(wrap([1, 1, 2, 1], limit=3))
        [(0, 2), (2, 4)]
    """
    starts = [0]
    used = 0
    for at, width in enumerate(widths):
        if used + width > limit and at > starts[-1]:
            starts.append(at)
            used = 0
        used += width
    yield from pairwise([*starts, len(widths)])
