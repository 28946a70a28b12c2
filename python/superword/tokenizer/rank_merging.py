"""Merging bytes that may not be UTF-8 by rank, as tiktoken does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heapify, heappop, heappush

__all__ = ["encode_broken_text", "merge_by_rank"]

BLANKS = frozenset(b" \n\t")


def encode_broken_text(
    text: str, rest: bytes, split: Callable[[str], list[str]], ranks: Mapping[bytes, int]
) -> list[int]:
    r"""Encode a text and the bytes after it, as tiktoken's `_encode_bytes` does.

    The last piece of the text and the bytes are merged as one piece. Tokens of blanks before it
    belong to it too.

    Example:
        >>> ranks = {bytes([byte]): byte for byte in range(256)}
        >>> ranks |= {b"\xec\x8b": 256, b" \xec\x8b": 257}
        >>> encode_broken_text("a ", b"\xec\x8b", lambda text: list(text), ranks)
        [97, 257]
    """
    pieces = [merge_by_rank(piece.encode(), ranks) for piece in split(text)]
    if pieces:
        last = pieces.pop()
        if last and BLANKS.issuperset(last[0]):
            while pieces and pieces[-1] and BLANKS.issuperset(pieces[-1][-1]):
                last.insert(0, pieces[-1].pop())
                if not pieces[-1]:
                    pieces.pop()
        rest = b"".join(last) + rest
    pieces.append(merge_by_rank(rest, ranks))
    return [ranks[token] for piece in pieces for token in piece]


def merge_by_rank(piece: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Merge the bytes of a piece, the lowest rank first, and of several the leftmost.

    Example:
        >>> merge_by_rank(b"abcab", {b"ab": 0, b"cab": 1})
        [b'ab', b'cab']
    """
    if piece in ranks:
        return [piece]
    ends = list(range(1, len(piece) + 1))
    before = list(range(-1, len(piece) - 1))

    def find_rank(at: int) -> int | None:
        middle = ends[at]
        return ranks.get(piece[at : ends[middle]]) if middle < len(piece) else None

    queue = [(rank, at) for at in range(len(piece)) if (rank := find_rank(at)) is not None]
    heapify(queue)
    while queue:
        rank, at = heappop(queue)
        # A pair that has changed since is in the queue with its new rank.
        if ends[at] == 0 or find_rank(at) != rank:
            continue
        middle = ends[at]
        ends[at], ends[middle] = ends[middle], 0
        if ends[at] < len(piece):
            before[ends[at]] = at
        for changed in (before[at], at):
            if changed >= 0 and (new := find_rank(changed)) is not None:
                heappush(queue, (new, changed))
    tokens = []
    at = 0
    while at < len(piece):
        tokens.append(piece[at : ends[at]])
        at = ends[at]
    return tokens
