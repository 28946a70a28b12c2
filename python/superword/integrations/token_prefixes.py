"""Which tokens agree with bytes that a model has to write first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["TokenPrefixes"]

Ids = NDArray[np.int64]


class TokenPrefixes:
    """Finds tokens by their first bytes.

    Args:
        tokens: The ids and the bytes of the tokens that may be written. Special tokens and unused
            ids do not belong here: they write no text. Empty tokens are left out.

    Example:
        >>> tokens = TokenPrefixes([(0, b"o"), (1, b"f"), (2, b"of"), (3, b"of the"), (4, b"on")])
        >>> tokens.find_within(b"off").tolist(), tokens.find_covering(b"of").tolist()
        ([0, 2], [2, 3])
        >>> tokens.find_allowed(b"of").tolist()
        [0, 2, 3]
    """

    def __init__(self, tokens: Iterable[tuple[int, bytes]]) -> None:
        ordered = sorted((token, id) for id, token in tokens if token)
        self._tokens = [token for token, _ in ordered]
        self._ids: Ids = np.array([id for _, id in ordered], np.int64)
        self._bytes = {id: token for token, id in ordered}
        self._longest = max(map(len, self._tokens), default=0)
        self.largest_id = max(self._bytes, default=-1)

    def find_covering(self, start: bytes) -> Ids:
        """Return the ids of the tokens that begin with some bytes, sorted by their bytes."""
        first = bisect_left(self._tokens, start)
        # The first 0xFF bytes have no successor; then all that follow begin with them.
        kept = start.rstrip(b"\xff")
        after = kept[:-1] + bytes([kept[-1] + 1]) if kept else None
        last = len(self._tokens) if after is None else bisect_left(self._tokens, after)
        return self._ids[first:last]

    def find_within(self, start: bytes) -> Ids:
        """Return the ids of the shorter tokens that some bytes begin with, the shortest first."""
        found: list[Ids] = []
        for length in range(1, min(len(start), self._longest + 1)):
            token = start[:length]
            at = bisect_left(self._tokens, token)
            while at < len(self._tokens) and self._tokens[at] == token:
                found.append(self._ids[at : at + 1])
                at += 1
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def find_allowed(self, start: bytes) -> Ids:
        """Return the ids of all tokens that agree with some bytes: they, or it, begin so.

        Raises:
            ValueError: If there are none.
        """
        allowed = np.concatenate([self.find_within(start), self.find_covering(start)])
        if not len(allowed):
            raise ValueError(
                f"no token of the vocabulary begins with {start[:1]!r}; the prompt was encoded "
                "with another tokenizer"
            )
        return allowed

    def join_bytes(self, ids: Iterable[int]) -> bytes:
        """Return what ids of these tokens write."""
        return b"".join(self._bytes[id] for id in ids)

    def find_rest(self, held_back: bytes, ids: Iterable[int]) -> bytes | None:
        """Return the bytes that are still to be written after some ids.

        They are empty once the ids write all of them. If the ids write something else, or include a
        special token too early, the result is None.

        Example:
            >>> tokens = TokenPrefixes([(0, b"o"), (1, b"f"), (3, b"of the"), (4, b"on")])
            >>> tokens.find_rest(b"off", [0]), tokens.find_rest(b"of", [3]), \
tokens.find_rest(b"of", [4])
            (b'ff', b'', None)
        """
        rest = held_back
        for id in ids:
            if not rest:
                break
            token = self._bytes.get(id, b"")
            if not token or not (rest.startswith(token) or token.startswith(rest)):
                return None
            rest = rest[len(token) :]
        return rest
