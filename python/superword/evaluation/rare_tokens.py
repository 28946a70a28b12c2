"""Which tokens a corpus hardly needs: docs/algorithm.md, "Pruning".

Tokens are byte strings here. Each token of two bytes or more is the pair of the first rule that
made it, so a removed token is spelled by its pair, and its occurrences become those of the pair.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from superword.tokenizer import Tokenizer

__all__ = ["Pairs", "find_first_pairs", "find_makers", "find_rare", "find_residues"]

Pair = tuple[bytes, bytes]
Pairs = dict[bytes, Pair]


def find_first_pairs(tok: Tokenizer) -> Pairs:
    """Return the pair of the first rule that made each token, in the order of these rules.

    Looked-up tokens, which always stay, have none.
    """
    pairs: Pairs = {}
    looked_up = set(tok._model.lookup_tokens)
    for rule in tok.rules:
        if rule.kind != "delete" and rule.token not in looked_up:
            pairs.setdefault(rule.token, (rule.left, rule.right))
    return pairs


def find_makers(tok: Tokenizer) -> dict[bytes, list[Pair]]:
    """Return the pairs of all rules that make each token."""
    makers: dict[bytes, list[Pair]] = {}
    for rule in tok.rules:
        if rule.kind != "delete":
            makers.setdefault(rule.token, []).append((rule.left, rule.right))
    return makers


def find_rare(
    ids: Mapping[bytes, int],
    counts: Mapping[bytes, int],
    pairs: Pairs,
    *,
    makers: Mapping[bytes, Sequence[Pair]] = MappingProxyType({}),
    at_most: int | None = None,
    min_count: int | None = None,
) -> set[bytes]:
    """Choose the rarest tokens, one after the other, each time by the counts without the others.

    Args:
        ids: The tokens that can be removed, with their ids; of equally rare ones, the one with the
            largest id comes first.
        counts: How often each token occurs.
        pairs: The pair that replaces each token.
        makers: For each token, the pairs that must be left as long as it is: then a token in them
            cannot go before. Empty if any token may go at any time.
        at_most: How many of them to leave; None for any number.
        min_count: The count from which on a token stays; None for any count.

    Example:
        >>> pairs = {b"ab": (b"a", b"b"), b"abc": (b"ab", b"c")}
        >>> ids, counts = {b"ab": 256, b"abc": 257}, {b"ab": 2, b"abc": 3}
        >>> find_rare(ids, counts, pairs, at_most=1)
        {b'ab'}
        >>> find_rare(ids, counts | {b"abc": 1}, pairs, min_count=3)  # ab occurs 2 + 1 times now
        {b'abc'}
        >>> find_rare(ids, counts, pairs, at_most=1, makers={b"abc": [(b"ab", b"c")]})
        {b'abc'}
    """
    now = {token: counts.get(token, 0) for token in ids}
    needed = Counter(part for joined in makers.values() for pair in joined for part in pair)
    heap = [(count, -ids[token], token) for token, count in now.items() if not needed[token]]
    heapq.heapify(heap)
    removed: set[bytes] = set()
    while heap:
        count, _, token = heapq.heappop(heap)
        if token in removed or count != now[token]:
            continue  # It is in the heap again, with its present count.
        if at_most is not None and len(now) - len(removed) <= at_most:
            break
        if min_count is not None and count >= min_count:
            break
        removed.add(token)
        for part in chain.from_iterable(makers.get(token, ())):
            needed[part] -= 1
            if not needed[part] and part in now:
                heapq.heappush(heap, (now[part], -ids[part], part))
        waiting = [*pairs[token]] if count else []
        while waiting:
            part = waiting.pop()
            if part in now and part not in removed:
                now[part] += count
                if not needed[part]:
                    heapq.heappush(heap, (now[part], -ids[part], part))
            elif part in removed or (len(part) > 1 and part not in counts):
                waiting += pairs[part]
    return removed


def find_residues(
    tokens: Collection[bytes], counts: Mapping[bytes, int], pairs: Pairs, share: float
) -> set[bytes]:
    """Choose the tokens of which at least a share of the occurrences is inside other tokens.

    Args:
        tokens: The tokens that can be removed.
        counts: How often each token occurs on its own.
        pairs: The pair of the first rule that made each token, in the order of these rules.
        share: The smallest share of a residue.

    Example:
        >>> pairs = {b"ab": (b"a", b"b"), b"abc": (b"ab", b"c")}
        >>> find_residues(pairs, {b"ab": 1, b"abc": 9}, pairs, 0.9)
        {b'ab'}
    """
    inside: Counter[bytes] = Counter()
    # Rules make the parts of a token before the token.
    for token, pair in reversed(pairs.items()):
        for part in pair:
            inside[part] += inside[token] + counts.get(token, 0)
    return {
        token
        for token in tokens
        if inside[token] and inside[token] / (inside[token] + counts.get(token, 0)) >= share
    }
