"""Checks whether another library's way of applying merges gives the same ids."""

from __future__ import annotations

from superword.interop.byte_spelling import read_spelling, spell
from superword.tokenizer import Tokenizer

__all__ = [
    "NEVER_IN_UTF8",
    "explain_no_ranks",
    "explain_no_tiktoken",
    "explain_no_vocabulary",
]

NEVER_IN_UTF8 = {0xC0, 0xC1, *range(0xF5, 0x100)}


def explain_no_ranks(tok: Tokenizer) -> str | None:
    """Return why the model cannot be a `tokenizer.json`; None if it can.

    Such a file always applies the merge with the lowest rank. A superword model applies each merge
    once, in order. The two differ only if several merges make the same token, and a merge between
    the first and the last of them uses it.

    Example:
        >>> import superword
        >>> explain_no_ranks(superword.train(["to be or not to be", "to be"], 259))
        'rule 2 deletes a token, which a list of merges cannot do'
    """
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
    for rule in tok.rules:
        for part in (rule.left, rule.right or b""):
            first, last = makers.get(part, (0, 0))
            if first < rule.index < last:
                return (
                    f"rules {first} and {last} make {part!r} and rule {rule.index}, between them, "
                    "uses it, which ranks cannot express"
                )
    return explain_no_vocabulary(tok)


def explain_no_vocabulary(tok: Tokenizer) -> str | None:
    """Return why a `tokenizer.json` cannot hold the vocabulary; None if it can."""
    vocabulary = dict(tok._model.vocabulary())
    tokens = set(vocabulary.values())
    for byte in range(256):
        if byte not in NEVER_IN_UTF8 and bytes([byte]) not in tokens:
            return f"the byte {byte:#04x} has no token, and such a file would drop it silently"
    spelled = {spell(token) for token in tokens}
    for text in tok.special_tokens:
        if text in spelled:
            return f"the special token {text!r} is spelled like a token of the vocabulary"
    for text, id in tok.added_tokens.items():
        if text in spelled and vocabulary.get(id) != read_spelling(text):
            return f"the added token {text!r} is spelled like a token of the vocabulary"
    return None


def explain_no_tiktoken(tok: Tokenizer) -> str | None:
    """Return why the model cannot be a tiktoken file; None if it can.

    In such a file, a token's id is its rank, and two tokens merge if together they are a token.
    """
    reason = explain_no_ranks(tok)
    if reason is not None:
        return reason
    if tok.added_tokens:
        return (
            f"it has added tokens, such as {next(iter(tok.added_tokens))!r}, and tiktoken has only "
            "special tokens beside its merges"
        )
    made: dict[bytes, int] = {}
    for rule in tok.rules:
        made.setdefault(rule.token, rule.index)
    vocabulary = tok._model.vocabulary()
    order = [made.get(token, -1) for _, token in sorted(vocabulary)]
    if order != sorted(order):
        return "ids do not follow the order of the rules, and in such a file ids are ranks"
    if len(vocabulary) - len(made) < 256:
        return "not all 256 bytes have tokens"
    pairs = {rule.index: (rule.left, rule.right) for rule in tok.rules}
    for token in made:
        if merge_alone(token, made, pairs) != [token]:
            return f"the token {token!r} is not what its own bytes merge to"
    return None


def merge_alone(
    token: bytes, made: dict[bytes, int], pairs: dict[int, tuple[bytes, bytes | None]]
) -> list[bytes]:
    """Merge the bytes of a token as tiktoken does, up to the first merge that no rule makes."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 1:
        ranks = [made.get(a + b) for a, b in zip(parts, parts[1:], strict=False)]
        known = [(rank, at) for at, rank in enumerate(ranks) if rank is not None]
        if not known:
            break
        rank, at = min(known)
        if pairs[rank] != (parts[at], parts[at + 1]):
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts
