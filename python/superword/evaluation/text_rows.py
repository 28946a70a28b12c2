"""One text through several tokenizers, their boundaries under each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from rich.cells import cell_len
from rich.text import Text

from superword.evaluation.tokenizers import AnyTokenizer
from superword.tokenizer.display import TOKEN_COLORS, readable

__all__ = ["Row", "aligned_lines", "coloured_lines", "row_of"]


class Row:
    """A text as one tokenizer sees it: which token each character belongs to.

    A character that is divided among tokens belongs to the one that has its last byte.
    """

    def __init__(self, name: str, text: str, tokens: Sequence[bytes]) -> None:
        self.name = name
        self.count = len(tokens)
        self._tokens = tokens
        owner_of_byte = [at for at, token in enumerate(tokens) for _ in token]
        ends = accumulate(len(character.encode()) for character in text)
        self.owners = [owner_of_byte[end - 1] if end <= len(owner_of_byte) else -1 for end in ends]

    def tokens(self) -> list[str]:
        """The tokens for people to read."""
        return [readable(token) for token in self._tokens]

    def shades(self) -> list[int]:
        r"""Which of two colours each character has: the other one after each end of a token.

        Example:
            >>> Row("", "aé", [b"a", b"\xc3", b"\xa9"]).shades()
            [0, 1]
        """
        ends = (self.ends_at(place) for place in range(len(self.owners) - 1))
        return [count % 2 for count in accumulate(ends, initial=0)][: len(self.owners)]

    def ends_at(self, place: int) -> bool:
        """Say whether some token ends with a character."""
        is_last = place + 1 == len(self.owners)
        return is_last or self.owners[place] != self.owners[place + 1]


def row_of(tok: AnyTokenizer, text: str) -> Row:
    """The row of a text through a tokenizer."""
    ids, _ = tok.encode_batch([text])
    return Row(tok.name, text, [tok.vocabulary.get(int(id), b"") for id in ids])


def shown(text: str) -> list[str]:
    r"""The characters as they are printed: a blank stays, a line end is `\n`."""
    return [readable(character.encode()) for character in text]


def aligned_lines(text: str, rows: Sequence[Row], width: int = 100) -> Iterator[str]:
    r"""Lines without colours: a bar where a token ends, a gap where only another's does.

    Example:
        >>> rows = [Row("bpe", "To be or", [b"To", b" be", b" or"])]
        >>> rows.append(Row("boundless", "To be or", [b"To be", b" or"]))
        >>> print("\n".join(aligned_lines("To be or", rows)))
        bpe        3 tokens  To| be| or|
        boundless  2 tokens  To  be| or|
    """
    characters = shown(text)
    heads = heads_of(rows)
    room = max(width - len(heads[0]), 20)
    # A character, and a column after it if some token ends there.
    has_column = [any(row.ends_at(at) for row in rows) for at in range(len(characters))]
    widths = [cell_len(c) + column for c, column in zip(characters, has_column, strict=True)]
    for start, stop in lines_of(widths, room):
        for head, row in zip(heads, rows, strict=True):
            cells = (
                characters[at] + (("|" if row.ends_at(at) else " ") if has_column[at] else "")
                for at in range(start, stop)
            )
            yield f"{head}{''.join(cells)}".rstrip()
        if stop < len(characters):
            yield ""


def coloured_lines(text: str, rows: Sequence[Row], width: int = 100) -> Iterator[Text]:
    """Lines in which the tokens have two colours by turns; the same character, the same column."""
    characters = shown(text)
    heads = heads_of(rows)
    room = max(width - len(heads[0]), 20)
    shades = [row.shades() for row in rows]
    for start, stop in lines_of([cell_len(character) for character in characters], room):
        for head, shade in zip(heads, shades, strict=True):
            line = Text(head, no_wrap=True)
            for at in range(start, stop):
                line.append(characters[at], TOKEN_COLORS[shade[at]])
            yield line
        if stop < len(characters):
            yield Text()


def heads_of(rows: Sequence[Row]) -> list[str]:
    """What stands before the tokens of each row, all of one width."""
    names = max(len(row.name) for row in rows)
    counts = max(len(str(row.count)) for row in rows)
    return [f"{row.name:{names}}  {row.count:{counts}} tokens  " for row in rows]


def lines_of(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Where lines start and end that have room for characters of these widths.

    Example:
        >>> list(lines_of([1, 1, 2, 1], room=3))
        [(0, 2), (2, 4)]
    """
    starts = [0]
    used = 0
    for at, width in enumerate(widths):
        if used + width > room and at > starts[-1]:
            starts.append(at)
            used = 0
        used += width
    yield from pairwise([*starts, len(widths)])
