"""Merges by rank, recovered as rules that are applied in order: the core against a slow twin.

A tokenizer with ranks applies the merge of the lowest rank, again and again. The merges inside a
stretch that no merge crosses depend only on its bytes. So a token is always made by the same merge:
the last one when its own bytes are merged. Other merges that spell the token never happen. If each
merge that happens joins tokens of lower ranks, ranks only rise, and applying each merge once, in
order, gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superword import ModelFormatError, Tokenizer, TrainingConfig, _core

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


@settings(max_examples=300)
@given(
    st.lists(st.text("abc", min_size=2, max_size=6).map(str.encode), unique=True, max_size=14),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_the_core_recovers_the_merges_of_this_twin(
    tokens: list[bytes], has_merges: bool, random: Any
) -> None:
    vocabulary = [*(bytes([byte]) for byte in range(256)), *tokens]
    cuts = [(token[:at], token[at:]) for token in tokens for at in range(1, len(token))]
    random.shuffle(cuts)
    merges = cuts[: random.randint(0, len(cuts))] if has_merges else None
    by_token = {token: rank for rank, token in enumerate(vocabulary)}
    by_pair = {pair: rank for rank, pair in enumerate(merges or [])}

    def rank_of(left: bytes, right: bytes) -> int | None:
        return by_pair.get((left, right)) if has_merges else by_token.get(left + right)

    config = TrainingConfig(pattern="gpt2", supermerges=False, deletion=None, vocab_size=300)
    ids = list(enumerate(vocabulary))
    try:
        expected = recover_merges(vocabulary, rank_of)
    except ValueError as refused:
        with pytest.raises(ModelFormatError, match="no merge makes the token"):
            _core.Model.with_ranks(config, ids, merges, [], [], False)
        looked_up = _core.Model.with_ranks(config, ids, merges, [], [], True)
        assert looked_up["model"].lookup_tokens
        assert "no merge" in str(refused)
        return
    made = _core.Model.with_ranks(config, ids, merges, [], [], False)
    rules = Tokenizer._of(made["model"]).rules
    pairs = [(merge.left, merge.right) for merge in expected.merges]
    assert sorted((rule.left, rule.right) for rule in rules) == sorted(pairs)
    looked_up = _core.Model.with_ranks(config, ids, merges, [], [], True)
    assert looked_up["model"].lookup_tokens == expected.unreachable
    assert looked_up["model"].rule_count == len(rules) - len(expected.unreachable)
    if not expected.early:  # Else some are moved.
        assert [(rule.left, rule.right) for rule in rules] == pairs
        assert made["early"] == []
    elif not made["early"]:
        made_by = {merge.token: merge.rank for merge in expected.merges}
        assert all(joins_later(merge, made_by) for merge in expected.early)


def test_a_long_token_takes_no_quadratic_time() -> None:
    run = b"a" * 300_000
    tokens = [*(bytes([byte]) for byte in range(256)), *(run[: 2**n] for n in range(1, 19))]
    config = TrainingConfig(pattern="gpt2", supermerges=False, deletion=None, vocab_size=300)
    made = _core.Model.with_ranks(config, list(enumerate(tokens)), None, [], [], False)
    assert Tokenizer._of(made["model"]).token_bytes(273) == run[: 2**18]
