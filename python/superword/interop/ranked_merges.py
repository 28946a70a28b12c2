"""Merges by rank, recovered as rules that are applied in order.

A tokenizer with ranks applies the merge of the lowest rank, again and again. The merges inside a
stretch that no merge crosses depend only on its bytes. So a token is always made by the same merge:
the last one when its own bytes are merged. Other merges that spell the token never happen. If each
merge that happens joins tokens of lower ranks, ranks only rise, and applying each merge once, in
order, gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

__all__ = ["Merge", "RankOf", "RecoveredMerges", "recover_merges", "sort_merges"]

Pair = tuple[bytes, bytes]
RankOf = Callable[[bytes, bytes], int | None]


class Merge(NamedTuple):
    """A merge and its rank."""

    rank: int
    left: bytes
    right: bytes

    @property
    def token(self) -> bytes:
        """The token that it makes."""
        return self.left + self.right


class RecoveredMerges(NamedTuple):
    """The merges that make the tokens of a vocabulary.

    Attributes:
        merges: The merge that makes each token, by rank; for an unreachable token, one that spells
            it but never happens.
        unreachable: Tokens that no merge ever makes.
        early: Merges that join a token of a higher rank.
    """

    merges: list[Merge]
    unreachable: list[bytes]
    early: list[Merge]


def recover_merges(tokens: Iterable[bytes], rank_of: RankOf) -> RecoveredMerges:
    """Find the merge that makes each token of two bytes or more.

    Args:
        tokens: The tokens.
        rank_of: Returns the rank of a pair of tokens, or None if they do not merge.

    Raises:
        ValueError: If no merge spells a token.

    Example:
        >>> ranks = {b"ab": 0, b"abc": 1, b"bc": 2}
        >>> found = recover_merges(ranks, lambda left, right: ranks.get(left + right))
        >>> [(merge.left, merge.right) for merge in found.merges], found.unreachable
        ([(b'a', b'b'), (b'ab', b'c'), (b'b', b'c')], [])
    """
    known = set(tokens)
    merges: dict[bytes, Merge] = {}
    unreachable = []
    for token in sorted(known, key=lambda token: (len(token), token)):
        if len(token) < 2:
            continue
        merge = last_merge(token, rank_of)
        if merge is None:
            unreachable.append(token)
        else:
            merges[token] = merge
    ranks = {token: merge.rank for token, merge in merges.items()}
    early = [merge for merge in merges.values() if joins_later(merge, ranks)]
    for token in unreachable:
        cuts = ((token[:at], token[at:]) for at in range(1, len(token)))
        spelled = ((rank_of(*cut), cut) for cut in cuts)
        possible = [
            (joins_later(merge := Merge(rank, *cut), ranks), merge)
            for rank, cut in spelled
            if rank is not None and known.issuperset(cut)
        ]
        if not possible:
            raise ValueError(f"no merge makes the token {token!r}")
        is_early, merge = min(possible)
        early += [merge] if is_early else []
        merges[token] = merge
        ranks[token] = merge.rank
    return RecoveredMerges(sorted(merges.values()), unreachable, early)


def last_merge(token: bytes, rank_of: RankOf) -> Merge | None:
    """Merge the bytes of a token, lowest rank first; return the merge that makes it, or None.

    Example:
        >>> ranks = {b"ab": 0, b"bc": 1, b"abc": 2}
        >>> last_merge(b"abc", lambda left, right: ranks.get(left + right))
        Merge(rank=2, left=b'ab', right=b'c')
        >>> del ranks[b"ab"], ranks[b"bc"]
        >>> last_merge(b"abc", lambda left, right: ranks.get(left + right)) is None
        True
    """
    parts = [token[at : at + 1] for at in range(len(token))]
    ranks = [rank_of(left, right) for left, right in zip(parts, parts[1:], strict=False)]
    while True:
        known = [rank for rank in ranks if rank is not None]
        if not known:
            return None
        lowest = min(known)
        if len(parts) == 2:
            return Merge(lowest, *parts)
        at = ranks.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at < len(ranks):
            ranks[at] = rank_of(parts[at], parts[at + 1])
        if at:
            ranks[at - 1] = rank_of(parts[at - 1], parts[at])


def joins_later(merge: Merge, ranks: Mapping[bytes, int]) -> bool:
    """Return whether a merge joins a token that is made at a higher rank, or never."""
    parts = (merge.left, merge.right)
    return any(len(part) > 1 and ranks.get(part, merge.rank) >= merge.rank for part in parts)


def sort_merges(merges: Iterable[Merge]) -> list[Merge]:
    """Move each merge after those that make its parts; otherwise keep the order.

    Example:
        >>> [merge.token for merge in sort_merges([Merge(0, b"ab", b"c"), Merge(1, b"a", b"b")])]
        [b'ab', b'abc']
    """
    done: dict[bytes, Merge] = {}
    waiting: dict[bytes, list[Merge]] = {}
    for merge in merges:
        ready = [merge]
        while ready:
            merge = ready.pop()
            parts = (merge.left, merge.right)
            missing = [part for part in parts if len(part) > 1 and part not in done]
            if missing:
                waiting.setdefault(missing[0], []).append(merge)
            else:
                done[merge.token] = merge
                ready += waiting.pop(merge.token, [])
    return list(done.values())
