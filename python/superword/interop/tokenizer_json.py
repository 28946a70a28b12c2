"""A model as a `tokenizer.json`, the file format of Hugging Face tokenizers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from superword.interop.byte_spelling import spell
from superword.interop.export_checks import explain_no_vocabulary
from superword.patterns import ELIGIBLE, SCRIPT_PATTERN, split_pattern
from superword.tokenizer import Tokenizer
from superword.tokenizer.rank_checks import list_ranked_rules

__all__ = ["write_tokenizer_json"]

Json = dict[str, Any]
Pair = tuple[bytes, bytes]

# A run of pretokens that supermerges may join, by the default eligibility. The file must not split
# it, since it merges only within the pieces of a split.
RUN = r"(?:[ _'\u2019]?(?:\p{L}\p{M}*)+)+"


def write_tokenizer_json(tok: Tokenizer, *, is_exact: bool) -> bytes:
    """Return a model as a `tokenizer.json`: the exact one, or the nearest one.

    `model.superword.exact` in it says which. The nearest one is a list of merges, those of
    supermerges last, applied to runs of words. It differs where a supermerge applies to parts of
    words, where a merge crosses from one word to the next, and where a token is deleted.

    Raises:
        ValueError: If no such file comes near.
    """
    reason = explain_no_vocabulary(tok)
    if reason is not None:
        raise ValueError(f"cannot be written as a tokenizer.json: {reason}")
    if tok.pattern == SCRIPT_PATTERN:
        raise ValueError(
            f"cannot be written as a tokenizer.json: the pattern {SCRIPT_PATTERN} splits a text by "
            "its scripts, which no regex can do"
        )
    has_supermerges = any(rule.kind == "supermerge" for rule in tok.rules)
    has_deletions = any(rule.kind == "delete" for rule in tok.rules)
    regexes = split_pattern(tok.pattern)
    if has_supermerges:
        if tok.parameters.eligible != ELIGIBLE:
            raise ValueError(
                "cannot be written as a tokenizer.json: superwords can be approximated only with "
                "the default eligibility"
            )
        if len(regexes) > 1:
            raise ValueError(
                "cannot be written as a tokenizer.json: superwords cannot be approximated with "
                "several regexes in a row"
            )
        regexes = [f"{RUN}|{regexes[0]}"]
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
        # With it, a word that is a token needs no merges. Looked-up tokens have none, and some
        # tokens lost theirs to deletions.
        "ignore_merges": has_deletions or bool(tok._model.lookup_tokens),
        "superword": {"exact": is_exact, "fingerprint": tok.fingerprint},
        "vocab": vocabulary | tok.special_tokens | tok.added_tokens,
        "merges": [[spell(left), spell(right)] for left, right in merges],
    }
    # Text between two matches stays a piece of its own, as in superword.
    splits: list[Json] = [
        {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
        for regex in regexes
    ]
    byte_level: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    whole: Json = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            *(describe_added(text, id, is_special=True) for text, id in tok.special_tokens.items()),
            *(describe_added(text, id, is_special=False) for text, id in tok.added_tokens.items()),
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [*splits, byte_level | {"use_regex": False}],
        },
        "post_processor": None,
        "decoder": byte_level | {"use_regex": False},
        "model": model,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n"


def describe_added(text: str, id: int, *, is_special: bool) -> Json:
    """Return the entry of a special token or an added token."""
    return {
        "id": id,
        "content": text,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        # These are searched for last, as here. The file has no normalizer.
        "normalized": not is_special,
        "special": is_special,
    }


def exact_merges(tok: Tokenizer) -> Iterator[Pair]:
    """Return the merges in order."""
    rules = list_ranked_rules(tok)
    return ((rule.left, rule.right) for rule in rules if rule.kind != "delete")


def near_merges(tok: Tokenizer) -> Iterator[Pair]:
    """Yield merges between tokens of the vocabulary, those of supermerges last.

    If a merge uses a deleted token, its result is first encoded with the merges before it. If that
    gives two tokens, they are merged instead.
    """
    vocabulary = {token for _, token in tok._model.vocabulary()}
    ranks: dict[Pair, int] = {}
    for kind in ("merge", "supermerge"):
        for rule in tok.rules:
            if rule.kind == "delete" or rule.kind != kind or rule.token not in vocabulary:
                continue
            parts: Iterable[bytes] = (rule.left, rule.right)
            if not vocabulary.issuperset(parts):
                parts = merge_bytes(rule.token, ranks)
            if len(pair := tuple(parts)) == 2 and pair not in ranks:
                ranks[pair[0], pair[1]] = len(ranks)
                yield pair[0], pair[1]


def merge_bytes(token: bytes, ranks: dict[Pair, int]) -> list[bytes]:
    """Merge the bytes of a token, lowest rank first.

    Example:
        >>> merge_bytes(b"abcab", {(b"a", b"b"): 0, (b"c", b"ab"): 1})
        [b'ab', b'cab']
    """
    parts = [token[at : at + 1] for at in range(len(token))]
    while True:
        pairs = zip(parts, parts[1:], strict=False)
        known = [(ranks[pair], at) for at, pair in enumerate(pairs) if pair in ranks]
        if not known:
            return parts
        _, at = min(known)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
