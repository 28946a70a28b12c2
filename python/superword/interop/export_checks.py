"""Whether another library's way to apply merges gives what ours does."""

from __future__ import annotations

from superword.interop.byte_spelling import spell
from superword.tokenizer.tokenizer import Tokenizer

__all__ = ["why_not_by_rank", "why_not_by_tiktoken"]

# The bytes that no UTF-8 has.
NEVER = {0xC0, 0xC1, *range(0xF5, 0x100)}


def why_not_by_rank(tok: Tokenizer) -> str | None:
    """Say why the model cannot be a `tokenizer.json`; None if it can.

    Such a file performs the merge with the lowest rank wherever there is one. Ours performs merges
    in order, each once. The two differ only where a token that several merges make is used by a
    merge between the first and the last of them.

    Example:
        >>> import superword
        >>> why_not_by_rank(superword.train(["to be or not to be", "to be"], 259))
        'rule 2 deletes a token, which a list of merges cannot'
    """
    reasons = {
        "supermerge": "is a supermerge, which joins whole words only",
        "delete": "deletes a token, which a list of merges cannot",
    }
    makers: dict[bytes, tuple[int, int]] = {}
    for rule in tok.rules:
        if rule.kind in reasons:
            return f"rule {rule.index} {reasons[rule.kind]}"
        first, _ = makers.get(rule.token, (rule.index, 0))
        makers[rule.token] = (first, rule.index)
    for rule in tok.rules:
        for part in (rule.left, rule.right or b""):
            first, last = makers.get(part, (0, 0))
            if first < rule.index < last:
                return (
                    f"rules {first} and {last} make {part!r} and rule {rule.index}, between them, "
                    "uses it, which ranks cannot say"
                )
    return why_no_vocabulary(tok)


def why_no_vocabulary(tok: Tokenizer) -> str | None:
    """Say why the tokens cannot be spelled in a `tokenizer.json`; None if they can."""
    vocabulary = dict(tok._model.vocabulary())
    tokens = set(vocabulary.values())
    for byte in range(256):
        if byte not in NEVER and bytes([byte]) not in tokens:
            return f"the byte {byte:#04x} has no token, and such a file would drop it silently"
    spelled = {spell(token) for token in tokens}
    for text in tok.special_tokens:
        if text in spelled:
            return f"the special token {text!r} is spelled like a token of the vocabulary"
    return None


def why_not_by_tiktoken(tok: Tokenizer) -> str | None:
    """Say why the model cannot be a tiktoken file; None if it can.

    There a token's id is its rank, and any two tokens merge that put together are one.
    """
    reason = why_not_by_rank(tok)
    if reason is not None:
        return reason
    made: dict[bytes, int] = {}
    for rule in tok.rules:
        made.setdefault(rule.token, rule.index)
    vocabulary = tok._model.vocabulary()
    order = [made.get(token, -1) for _, token in sorted(vocabulary)]
    if order != sorted(order):
        return "ids do not follow the order of the rules, and there they are the ranks"
    if len(vocabulary) - len(made) < 256:
        return "not all 256 bytes have tokens"
    pairs = {rule.index: (rule.left, rule.right) for rule in tok.rules}
    for token in made:
        if merged_alone(token, made, pairs) != [token]:
            return f"the token {token!r} cannot be put together from its own bytes"
    return None


def merged_alone(
    token: bytes, made: dict[bytes, int], pairs: dict[int, tuple[bytes, bytes | None]]
) -> list[bytes]:
    """Merge the bytes of a token as tiktoken does, until it would merge what no rule does."""
    parts = [token[place : place + 1] for place in range(len(token))]
    while len(parts) > 1:
        ranks = [made.get(a + b) for a, b in zip(parts, parts[1:], strict=False)]
        known = [(rank, place) for place, rank in enumerate(ranks) if rank is not None]
        if not known:
            break
        rank, place = min(known)
        if pairs[rank] != (parts[place], parts[place + 1]):
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts
