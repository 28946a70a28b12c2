"""Finding added tokens in a text, by the rules of Hugging Face."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["AddedTokenRule", "AddedTokens", "Piece"]

# Up to this many tokens, searching for each in turn is faster than one regex.
FEW_TOKENS = 8


class AddedTokenRule(NamedTuple):
    """An added token, and how it is matched.

    Attributes:
        text: The text of the token.
        id: Its id.
        lstrip: Whether it includes the white space before it.
        rstrip: Whether it includes the white space after it.
        single_word: Whether it matches only outside of words.
    """

    text: str
    id: int
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False


class Piece(NamedTuple):
    """A part of a text: its start, its end, and the id if it is an added token."""

    start: int
    end: int
    id: int | None


class AddedTokens:
    """Splits texts at added tokens; of two that start alike, the longer one matches.

    Example:
        >>> end, mask = AddedTokenRule("<end>", 300), AddedTokenRule("<mask>", 301, lstrip=True)
        >>> added = AddedTokens([end, mask])
        >>> added.split("to be <mask> or<end>")
        [Piece(start=0, end=5, id=None), Piece(start=5, end=12, id=301), \
Piece(start=12, end=15, id=None), Piece(start=15, end=20, id=300)]
        >>> added.are_absent("to be or not to be")
        True
    """

    def __init__(self, tokens: Iterable[AddedTokenRule]) -> None:
        self._tokens = {token.text: token for token in tokens}
        longest_first = sorted(self._tokens, key=lambda text: (-len(text), text))
        # Without tokens, nothing matches.
        self._anywhere = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        # Searching for one string is many times faster than for several.
        shared = os.path.commonprefix(longest_first)
        few = longest_first if len(longest_first) <= FEW_TOKENS else None
        self._hints = [shared] if shared else few

    def are_absent(self, text: str) -> bool:
        """Return whether a text surely has none of them."""
        if self._hints is not None:
            return all(hint not in text for hint in self._hints)
        return self._anywhere.search(text) is None

    def split(self, text: str) -> list[Piece]:
        """Split a text at the added tokens; the pieces between are not empty."""
        if self.are_absent(text):
            return [Piece(0, len(text), None)] if text else []
        pieces = []
        end = 0
        for found, _ in self._find(text):
            if found.start > end:
                pieces.append(Piece(end, found.start, None))
            pieces.append(found)
            end = found.end
        if end < len(text):
            pieces.append(Piece(end, len(text), None))
        return pieces

    def split_prompt(self, text: str) -> tuple[int, int]:
        """Split a text that will be continued: into added tokens, text, and a possible token.

        Returns:
            The end of the last added token that is certain, and the start of the rest that a
            continuation may make an added token, or another one; the length of the text if there
            is none.

        Example:
            >>> added = AddedTokens([AddedTokenRule("<end>", 300), AddedTokenRule("<end>s", 301)])
            >>> added.split_prompt("to be<end> or<e"), added.split_prompt("to be<end>")
            ((10, 13), (0, 5))
        """
        first = max(0, len(text) - max(map(len, self._tokens), default=0))
        starts = [at for at in range(first, len(text)) if self._may_begin_at(text, at)]
        end = 0
        for found, start in self._find(text):
            if any(end <= at <= start for at in starts):
                break
            end = found.end
        start = min((at for at in starts if at >= end), default=len(text))
        if any(token.lstrip for token in self._tokens.values()):
            start = end + len(text[end:start].rstrip())
        return end, start

    def _may_begin_at(self, text: str, at: int) -> bool:
        """Return whether the rest of a text may become a token, or cease to be one."""
        rest = text[at:]
        return any(
            token.text.startswith(rest) and (token.text != rest or token.single_word)
            for token in self._tokens.values()
        )

    def _find(self, text: str) -> Iterator[tuple[Piece, int]]:
        """Yield the added tokens, each with the start of its own text, after white space."""
        end = 0
        for match in self._anywhere.finditer(text):
            start, stop = match.span()
            if start < end:  # Inside the white space of the previous token.
                continue
            token = self._tokens[match.group()]
            if token.single_word and is_within_word(text, start, stop):
                continue
            own_start = start
            if token.lstrip:
                start = end + len(text[end:start].rstrip())
            if token.rstrip:
                stop = len(text) - len(text[stop:].lstrip())
            yield Piece(start, stop, token.id), own_start
            end = stop


def is_within_word(text: str, start: int, stop: int) -> bool:
    """Return whether a word continues before or after a part of a text.

    Example:
        >>> is_within_word("to be", 0, 2), is_within_word("tomb", 0, 2)
        (False, True)
    """
    around = text[max(start - 1, 0) : start] + text[stop : stop + 1]
    return re.search(r"\w", around) is not None
