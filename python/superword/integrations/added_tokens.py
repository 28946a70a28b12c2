"""Where a text has added tokens, by the rules that Hugging Face has for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["AddedTokens", "Piece", "Settings"]

# Up to how many tokens it is faster to look for one after the other than for all at once.
FEW = 8


class Settings(NamedTuple):
    """An added token, and how it is found.

    Attributes:
        text: What it is in a text.
        id: Its id.
        lstrip: Whether it takes the blanks before it.
        rstrip: Whether it takes the blanks after it.
        single_word: Whether it counts only where no word goes on before or after it.
    """

    text: str
    id: int
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False


class Piece(NamedTuple):
    """A part of a text: from where to where, and the id if it is an added token."""

    start: int
    end: int
    id: int | None


class AddedTokens:
    """What divides texts at added tokens; of two that begin alike, the longer one counts.

    Example:
        >>> added = AddedTokens([Settings("<end>", 300), Settings("<mask>", 301, lstrip=True)])
        >>> added.divide("to be <mask> or<end>")
        [Piece(start=0, end=5, id=None), Piece(start=5, end=12, id=301), \
Piece(start=12, end=15, id=None), Piece(start=15, end=20, id=300)]
        >>> added.are_absent("to be or not to be")
        True
    """

    def __init__(self, tokens: Iterable[Settings]) -> None:
        self._tokens = {token.text: token for token in tokens}
        longest_first = sorted(self._tokens, key=lambda text: (-len(text), text))
        # If there are none, nothing matches.
        self._anywhere = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        # Finding one string is many times faster than finding one of several.
        shared = os.path.commonprefix(longest_first)
        few = longest_first if len(longest_first) <= FEW else None
        self._hints = [shared] if shared else few

    def are_absent(self, text: str) -> bool:
        """Say whether a text surely has none of them."""
        if self._hints is not None:
            return all(hint not in text for hint in self._hints)
        return self._anywhere.search(text) is None

    def divide(self, text: str) -> list[Piece]:
        """Divide a text at them; what lies between is not empty."""
        if self.are_absent(text):
            return [Piece(0, len(text), None)] if text else []
        pieces = []
        end = 0
        for found in self._found(text):
            start, stop = found.start, found.end
            if start > end:
                pieces.append(Piece(end, start, None))
            pieces.append(found)
            end = stop
        if end < len(text):
            pieces.append(Piece(end, len(text), None))
        return pieces

    def _found(self, text: str) -> Iterator[Piece]:
        end = 0
        for match in self._anywhere.finditer(text):
            start, stop = match.span()
            if start < end:  # within the blanks that the one before has taken
                continue
            token = self._tokens[match.group()]
            if token.single_word and is_within_word(text, start, stop):
                continue
            if token.lstrip:
                start = end + len(text[end:start].rstrip())
            if token.rstrip:
                stop = len(text) - len(text[stop:].lstrip())
            yield Piece(start, stop, token.id)
            end = stop


def is_within_word(text: str, start: int, stop: int) -> bool:
    """Say whether a word goes on before or after a part of a text.

    Example:
        >>> is_within_word("to be", 0, 2), is_within_word("tomb", 0, 2)
        (False, True)
    """
    around = text[max(start - 1, 0) : start] + text[stop : stop + 1]
    return re.search(r"\w", around) is not None
