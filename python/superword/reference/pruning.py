"""Choosing the tokens of a smaller vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from superword.reference.encoding import encode, first_pair
from superword.reference.pretokens import DEFAULT_PATTERN
from superword.reference.rules import Rule, Tokens


def inner_tokens(token: bytes, rules: Sequence[Rule], lookup: Collection[bytes] = ()) -> Tokens:
    """Return the tokens inside a token: its first pair, those inside that, and so on."""
    if len(token) == 1 or token in lookup:
        return ()
    pair = first_pair(token, rules)
    return (*pair, *(inner for part in pair for inner in inner_tokens(part, rules, lookup)))


def prune(
    documents: Iterable[str],
    rules: Sequence[Rule],
    vocabulary: Iterable[bytes],
    *,
    to: int | None = None,
    min_count: int | None = None,
    residues: float | None = None,
    drop_rules: bool = False,
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    lookup: Collection[bytes] = (),
) -> list[bytes]:
    """Return the tokens that are kept, in the order of their ids. One of the three is given."""
    if [to, min_count, residues].count(None) != 2:
        raise ValueError("prune needs one of to, min_count and residues")
    documents, kept = list(documents), list(vocabulary)
    while True:
        encoded = (
            encode(text, rules, lookup=lookup, pattern=pattern, eligible=eligible, kept=kept)
            for text in documents
        )
        counts = Counter(token for tokens in encoded for token in tokens)
        if residues is not None:
            inside: Counter[bytes] = Counter()
            for token, count in counts.items():
                for part in inner_tokens(token, rules, lookup):
                    inside[part] += count
            shares = {t: inside[t] / (inside[t] + counts[t]) for t in inside}
            stays = {token for token in kept if len(token) == 1 or token in lookup}
            return [t for t in kept if t in stays or shares.get(t, 0.0) < residues]
        pairs = [{rule.left, rule.right} for rule in rules if rule.token in kept]
        needed = set[bytes | None](lookup).union(*pairs if drop_rules else ())
        # The rarest token; of equally rare ones, the one with the largest id.
        may_go = [t for t in reversed(kept) if len(t) > 1 and t not in needed]
        rarest = min(may_go, key=lambda t: counts[t], default=b"")
        is_done = len(kept) <= to if to is not None else counts[rarest] >= (min_count or 0)
        if is_done or not rarest:
            return kept
        kept.remove(rarest)
