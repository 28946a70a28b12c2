"""Whether merging by rank, as other libraries do, gives the ids of a model."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from superword.patterns import SCRIPT_PATTERN, compile_pattern, split_pattern

if TYPE_CHECKING:
    from superword.tokenizer.rules import AnyRule
    from superword.tokenizer.tokenizer import Tokenizer

__all__ = [
    "explain_no_tiktoken",
    "explain_unranked",
    "find_unreachable",
    "list_ranked_rules",
]

# A named group, or a reference to a group, which cannot stand in a regex twice.
GROUP_USE = re.compile(r"\(\?P?<[A-Za-z_]|\(\?P[=>]|\\[1-9kg]")


def explain_unranked(tok: Tokenizer) -> str | None:
    """Return why merging by rank cannot give the ids of a model; None if it can.

    Other libraries always apply the merge with the lowest rank. A superword model applies each
    merge once, in order. The two differ only if several merges make the same token, and a merge
    between the first and the last of them uses it. For pruned models, see `explain_pruned`.

    Example:
        >>> import superword
        >>> explain_unranked(superword.train(["to be or not to be", "to be"], 259))
        'rule 2 deletes a token, which a list of merges cannot do'
    """
    if tok.pattern == SCRIPT_PATTERN:
        return f"the pattern {SCRIPT_PATTERN} splits a text by its scripts, which no regex can do"
    reasons = {
        "supermerge": "is a supermerge, which joins whole words only",
        "delete": "deletes a token, which a list of merges cannot do",
    }
    makers: dict[bytes, tuple[int, int]] = {}
    for rule in tok.rules:
        if rule.kind in reasons:
            return f"rule {rule.index} {reasons[rule.kind]}"
        first, _ = makers.get(rule.token, (rule.index, 0))
        makers[rule.token] = (first, rule.index)
    if reason := explain_pruned(tok):
        return reason
    for rule in list_ranked_rules(tok):
        for part in (rule.left, rule.right or b""):
            first, last = makers.get(part, (0, 0))
            if first < rule.index < last:
                return (
                    f"rules {first} and {last} make {part!r} and rule {rule.index}, between them, "
                    "uses it, which ranks cannot express"
                )
    return None


def list_ranked_rules(tok: Tokenizer) -> list[AnyRule]:
    """Return the rules that another library needs: those that make tokens of the vocabulary.

    In a pruned model, others make removed tokens. `explain_pruned` says whether they can go.
    """
    if not tok._model.removed_count:
        return list(tok.rules)
    return [rule for rule in tok.rules if tok._model.token_id(rule.token) is not None]


def explain_pruned(tok: Tokenizer) -> str | None:
    """Return why a pruned model needs the merges that make removed tokens; None if they can go.

    Without such a merge, the tokens that spell its result stand alone from its turn on. They do so
    in the pruned model after the last rule. So the two are equal if no later merge of kept tokens
    joins them with each other, the last of them with what follows, or the first with what precedes.
    """
    if not tok._model.removed_count:
        return None
    kept = {token for _, token in tok._model.vocabulary()}
    spelled: dict[bytes, tuple[bytes, ...]] = {token: (token,) for token in kept}
    last_left: dict[bytes, int] = {}
    last_right: dict[bytes, int] = {}
    last_pair: dict[tuple[bytes, bytes], int] = {}
    for rule in tok.rules:
        left, right = rule.left, rule.right or b""
        if rule.token not in kept:
            spelled.setdefault(rule.token, spelled[left] + spelled[right])
            continue
        for part in (left, right):
            if part not in kept:
                return f"rule {rule.index} makes {rule.token!r} from {part!r}, which was removed"
        last_left[left] = last_right[right] = last_pair[left, right] = rule.index
    for rule in tok.rules:
        if rule.token in kept:
            continue
        parts = spelled[rule.token]
        if spelled[rule.left] + spelled[rule.right or b""] != parts:
            return f"several rules make {rule.token!r}, which was removed, from different tokens"
        later = max(
            last_left.get(parts[-1], -1),
            last_right.get(parts[0], -1),
            *(last_pair.get(pair, -1) for pair in pairwise(parts)),
        )
        if later > rule.index:
            other = tok.rules[later]
            return (
                f"without rule {rule.index}, which makes the removed token {rule.token!r}, rule "
                f"{later}, which joins {other.left!r} and {other.right!r}, would apply more often"
            )
    return None


def explain_no_tiktoken(tok: Tokenizer) -> str | None:
    """Return why the model cannot be a tiktoken file; None if it can.

    In such a file, a token's id is its rank, and two tokens merge if together they are a token.
    """
    reason = explain_unranked(tok)
    if reason is not None:
        return reason
    if tok.added_tokens:
        return (
            f"it has added tokens, such as {next(iter(tok.added_tokens))!r}, and tiktoken has only "
            "special tokens beside its merges"
        )
    if len(split_pattern(tok.pattern)) > 1:
        return "its pattern is several regexes in a row, and such a file has one"
    if not compile_pattern(tok.pattern).covers_all and GROUP_USE.search(tok.pattern):
        return (
            "its pattern may leave text unmatched, which tiktoken drops, and a regex with named "
            "groups or back references cannot be extended to match all text"
        )
    looked_up = set(tok._model.lookup_tokens)
    made: dict[bytes, int] = {}
    for rule in list_ranked_rules(tok):
        made.setdefault(rule.token, rule.index)
    vocabulary = tok._model.vocabulary()
    order = [made.get(token, -1) for _, token in sorted(vocabulary) if token not in looked_up]
    if order != sorted(order):
        return "ids do not follow the order of the rules, and in such a file ids are ranks"
    if any(tok._model.token_id(bytes([byte])) is None for byte in range(256)):
        return "not all 256 bytes have tokens"
    token = find_unreachable(tok)
    if token is not None:
        return f"the token {token!r} is not what its own bytes merge to"
    token = find_mergeable(tok)
    return None if token is None else f"tiktoken would also merge {token!r}, which is looked up"


def find_unreachable(tok: Tokenizer) -> bytes | None:
    """Return the first token that is neither looked up nor what its bytes merge to, or None.

    Example:
        >>> import superword
        >>> tok = superword.train(["to be to be"], 257, supermerges=False, deletion=None)
        >>> find_unreachable(tok) is None
        True
    """
    made: dict[bytes, int] = {}
    rules = list_ranked_rules(tok)
    for rule in rules:
        made.setdefault(rule.token, rule.index)
    pairs = {rule.index: (rule.left, rule.right) for rule in rules}
    looked_up = set(tok._model.lookup_tokens)
    tokens = (token for token in made if token not in looked_up)
    return next((t for t in tokens if merge_alone(t, made, pairs)[0] != [t]), None)


def find_mergeable(tok: Tokenizer) -> bytes | None:
    """Return the first looked-up token that tiktoken makes by a merge that is no rule, or None.

    If two parts that spell it were neighbours anywhere, they would be so in its own bytes.
    """
    if not (looked_up := tok._model.lookup_tokens):
        return None
    ids = {token: id for id, token in tok._model.vocabulary()}
    pairs = {ids[rule.token]: (rule.left, rule.right) for rule in reversed(list_ranked_rules(tok))}
    return next((token for token in looked_up if merge_alone(token, ids, pairs)[1]), None)


def merge_alone(
    token: bytes, ranks: dict[bytes, int], pairs: dict[int, tuple[bytes, bytes | None]]
) -> tuple[list[bytes], bool]:
    """Merge the bytes of a token as tiktoken does, up to the first merge that no rule makes.

    Returns:
        What the bytes merge to, and whether there is such a merge.
    """
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 1:
        found = [ranks.get(a + b) for a, b in zip(parts, parts[1:], strict=False)]
        known = [(rank, at) for at, rank in enumerate(found) if rank is not None]
        if not known:
            break
        rank, at = min(known)
        if pairs.get(rank) != (parts[at], parts[at + 1]):
            return parts, True
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts, False
