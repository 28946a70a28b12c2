"""Checks whether a `tokenizer.json` can give the ids of a model."""

from __future__ import annotations

from superword.interop.byte_spelling import read_spelling, spell
from superword.tokenizer import Tokenizer
from superword.tokenizer.rank_checks import explain_unranked

__all__ = [
    "NEVER_IN_UTF8",
    "explain_no_ranks",
    "explain_no_vocabulary",
]

NEVER_IN_UTF8 = {0xC0, 0xC1, *range(0xF5, 0x100)}


def explain_no_ranks(tok: Tokenizer) -> str | None:
    """Return why the model cannot be a `tokenizer.json`; None if it can."""
    return explain_unranked(tok) or explain_no_lookup(tok) or explain_no_vocabulary(tok)


def explain_no_lookup(tok: Tokenizer) -> str | None:
    """Return why looking up all tokens gives other ids; None if it does not, or none are."""
    if tok._model.lookup_tokens and (unreachable := tok._model.unreachable_tokens()):
        return (
            f"it looks up some tokens before it merges, but not {unreachable[0]!r}, and such a "
            "file looks up all or none"
        )
    return None


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
