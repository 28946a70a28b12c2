"""A model as a `tokenizer.json`, the file of Hugging Face tokenizers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from superword.interop.byte_spelling import spell
from superword.interop.export_checks import why_no_vocabulary, why_not_by_rank
from superword.patterns import ELIGIBLE, NAMED_PATTERNS
from superword.tokenizer.tokenizer import Tokenizer

__all__ = ["tokenizer_json"]

Json = dict[str, Any]
Pair = tuple[bytes, bytes]

# A run of pretokens that supermerges may join, by the default eligibility: they must not be split
# apart, since such a file merges within pieces only.
RUN = r"(?:[ _'\u2019]?(?:\p{L}\p{M}*)+)+"


def tokenizer_json(tok: Tokenizer) -> bytes:
    """Write a model down as a `tokenizer.json`: exactly if it can be, otherwise as near as it gets.

    `model.superword.exact` in it says which. The nearest is one list of merges, those of
    supermerges last, on pieces that are runs of words. It differs where a supermerge applies to
    parts of words, where a merge crosses from one word to the next, and where a token was deleted.

    Raises:
        ValueError: If there is no such file that is near.
    """
    refusal = why_no_vocabulary(tok)
    if refusal is not None:
        raise ValueError(f"cannot be written as a tokenizer.json: {refusal}")
    is_exact = why_not_by_rank(tok) is None
    has_supermerges = any(rule.kind == "supermerge" for rule in tok.rules)
    has_deletions = any(rule.kind == "delete" for rule in tok.rules)
    regex = NAMED_PATTERNS.get(tok.pattern, tok.pattern)
    if has_supermerges:
        if tok.parameters.eligible != ELIGIBLE:
            raise ValueError(
                "cannot be written as a tokenizer.json: what runs of words are is known for the "
                "default eligibility only"
            )
        regex = f"{RUN}|{regex}"
    merges = list(dict.fromkeys(exact_merges(tok) if is_exact else near_merges(tok)))
    vocabulary = {spell(token): id for id, token in tok._model.vocabulary()}
    model: Json = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        # A word that is a token needs no merges then, and those of some tokens were deleted.
        "ignore_merges": has_deletions,
        "superword": {"exact": is_exact, "fingerprint": tok.fingerprint},
        "vocab": vocabulary | tok.special_tokens,
        "merges": [[spell(left), spell(right)] for left, right in merges],
    }
    split: Json = {"type": "Split", "pattern": {"Regex": regex}}
    split |= {"behavior": "Isolated", "invert": False}
    byte_level: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    whole: Json = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added(text, id) for text, id in tok.special_tokens.items()],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, byte_level | {"use_regex": False}],
        },
        "post_processor": None,
        "decoder": byte_level | {"use_regex": False},
        "model": model,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n"


def added(text: str, id: int) -> Json:
    """A special token."""
    return {
        "id": id,
        "content": text,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def exact_merges(tok: Tokenizer) -> Iterator[Pair]:
    """The merges in order."""
    return ((rule.left, rule.right or b"") for rule in tok.rules)


def near_merges(tok: Tokenizer) -> Iterator[Pair]:
    """Merges between tokens of the vocabulary, those for supermerges last.

    A merge that takes a deleted token is replaced by one that joins what the merges before it make
    of its bytes, if these are two tokens.
    """
    vocabulary = {token for _, token in tok._model.vocabulary()}
    ranks: dict[Pair, int] = {}
    for kind in ("merge", "supermerge"):
        for rule in tok.rules:
            if rule.kind != kind or rule.token not in vocabulary:
                continue
            parts: Iterable[bytes] = (rule.left, rule.right or b"")
            if not vocabulary.issuperset(parts):
                parts = merged(rule.token, ranks)
            if len(pair := tuple(parts)) == 2 and pair not in ranks:
                ranks[pair[0], pair[1]] = len(ranks)
                yield pair[0], pair[1]


def merged(token: bytes, ranks: dict[Pair, int]) -> list[bytes]:
    """Merge the bytes of a token, lowest rank first.

    Example:
        >>> merged(b"abcab", {(b"a", b"b"): 0, (b"c", b"ab"): 1})
        [b'ab', b'cab']
    """
    parts = [token[place : place + 1] for place in range(len(token))]
    while True:
        pairs = zip(parts, parts[1:], strict=False)
        known = [(ranks[pair], place) for place, pair in enumerate(pairs) if pair in ranks]
        if not known:
            return parts
        _, place = min(known)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
