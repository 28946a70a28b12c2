"""The merges of a tokenizer that performs the lowest rank first, as rules to perform in order.

Such a tokenizer looks for the lowest rank again after each merge. What happens inside a stretch
that no merge crosses depends on its bytes alone, so a token is always made by the same merge: the
last one when its own bytes are merged. All other merges that spell it never happen. If each merge
that does happen joins tokens of lower ranks, then ranks only rise, and performing each merge once,
in order, gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

__all__ = ["Merge", "Recovered", "in_order", "recovered"]

Pair = tuple[bytes, bytes]
RankOf = Callable[[bytes, bytes], int | None]


class Merge(NamedTuple):
    """A merge and its rank."""

    rank: int
    left: bytes
    right: bytes

    @property
    def token(self) -> bytes:
        """What it makes."""
        return self.left + self.right


class Recovered(NamedTuple):
    """What becomes of the tokens.

    Attributes:
        merges: The merge that makes each token, by rank; of an idle token, one that never happens.
        idle: Tokens that no merge ever makes.
        early: Merges that join a token of a higher rank.
    """

    merges: list[Merge]
    idle: list[bytes]
    early: list[Merge]


def recovered(tokens: Iterable[bytes], rank_of: RankOf) -> Recovered:
    """Find the merge that makes each token of two bytes or more.

    Args:
        tokens: The tokens.
        rank_of: The rank of two tokens side by side, if they merge.

    Raises:
        ValueError: If no merge spells a token.

    Example:
        >>> ranks = {b"ab": 0, b"abc": 1, b"bc": 2}
        >>> found = recovered(ranks, lambda left, right: ranks.get(left + right))
        >>> [(merge.left, merge.right) for merge in found.merges], found.idle
        ([(b'a', b'b'), (b'ab', b'c'), (b'b', b'c')], [])
    """
    known = set(tokens)
    merges: dict[bytes, Merge] = {}
    idle = []
    for token in sorted(known, key=lambda token: (len(token), token)):
        if len(token) < 2:
            continue
        merge = last_merge(token, rank_of)
        if merge is None:
            idle.append(token)
        else:
            merges[token] = merge
    ranks = {token: merge.rank for token, merge in merges.items()}
    early = [merge for merge in merges.values() if joins_later(merge, ranks)]
    for token in idle:
        cuts = ((token[:at], token[at:]) for at in range(1, len(token)))
        spelled = ((rank_of(*cut), cut) for cut in cuts)
        possible = [
            (joins_later(merge := Merge(rank, *cut), ranks), merge)
            for rank, cut in spelled
            if rank is not None and known.issuperset(cut)
        ]
        if not possible:
            raise ValueError(f"the token {token!r} is made by no merge")
        is_early, merge = min(possible)
        early += [merge] if is_early else []
        merges[token] = merge
        ranks[token] = merge.rank
    return Recovered(sorted(merges.values()), idle, early)


def last_merge(token: bytes, rank_of: RankOf) -> Merge | None:
    """Merge the bytes of a token, lowest rank first, and give the merge that makes it, if one does.

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
    """Whether a merge joins a token that is made at a higher rank, or never."""
    parts = (merge.left, merge.right)
    return any(len(part) > 1 and ranks.get(part, merge.rank) >= merge.rank for part in parts)


def in_order(merges: Iterable[Merge]) -> list[Merge]:
    """Put each merge behind those that make its parts, and otherwise leave them as they are.

    Example:
        >>> [merge.token for merge in in_order([Merge(0, b"ab", b"c"), Merge(1, b"a", b"b")])]
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
