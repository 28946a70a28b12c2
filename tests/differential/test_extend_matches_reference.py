"""Extending against the reference: the same rules, and the same tokens."""

from __future__ import annotations

import math
import warnings
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import reference
from superword.tokenizer import Deletion, Tokenizer

ALPHABETS = ["ab ", "ab '", "abc  ", "aAb _", "ab \n1", "日本a ", "日本 "]
PATTERNS = [
    "boundless",
    "gpt2",
    "gpt4",
    r" ?\w|\s",
    "(?<= )[ab]+|.",
    "(?s).{1,2}",
    "ab|.",
    "gpt4o-scripts",
    r"a(?then)\s+(?!\S)|\s|b+",
]

NUMBERS = ["max_superwords", "max_words", "max_token_bytes"]
OWN_LIMITS: dict[str, st.SearchStrategy[Any]] = {
    "max_words": st.sampled_from([1, 2, 4]),
    "max_token_bytes": st.sampled_from([3, 6]),
    "forbid": st.sampled_from(["a b", "b$"]),
}


@st.composite
def corpora(draw: st.DrawFn) -> list[str]:
    """Small corpora over small alphabets, with ties, overlaps and repeated words."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    words = draw(st.lists(st.text(alphabet, min_size=1, max_size=6), min_size=1, max_size=5))
    pieces = st.lists(st.sampled_from(words), max_size=14).map(" ".join)
    return draw(st.lists(pieces, min_size=1, max_size=5))


def quietly_extended(base: Tokenizer, documents: list[str], add: int, **how: Any) -> Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return superword.extend(base, documents, add, **how)


def read_limit(tok: Tokenizer, name: str) -> float:
    limit = getattr(tok.parameters, name)
    return inf if limit is None else limit


def seen(rules: Any) -> list[tuple[object, ...]]:
    return [(rule.kind, rule.left, rule.right, rule.parts, rule.count) for rule in rules]


@settings(max_examples=80)
@given(
    documents=corpora(),
    others=corpora(),
    pattern=st.sampled_from(PATTERNS),
    eligible=st.sampled_from([reference.ELIGIBLE, ".*", "[^b]+"]),
    size=st.integers(256, 275),
    supermerges=st.booleans(),
    deletion=st.sampled_from([None, "bytes", "pair"]),
    kind=st.sampled_from(["merges", "superwords", "both"]),
    add=st.integers(0, 12),
    min_count=st.integers(1, 3),
    max_words=st.sampled_from([None, None, 1, 2, 3]),
    max_token_bytes=st.sampled_from([None, None, 4, 8]),
    forbid=st.sampled_from([None, None, "b a", "^a"]),
    own=st.fixed_dictionaries({}, optional=OWN_LIMITS),
    cap=st.sampled_from([None, 0, 1, 2, 4, 0.005, 0.01]),
)
def test_rules_counts_ids_and_encodings_are_those_of_the_reference(
    documents: list[str],
    others: list[str],
    pattern: str,
    eligible: str,
    size: int,
    supermerges: bool,
    deletion: Deletion,
    kind: Any,
    add: int,
    min_count: int,
    max_words: int | None,
    max_token_bytes: int | None,
    forbid: str | None,
    own: dict[str, Any],
    cap: int | float | None,
) -> None:
    if not any(documents) or not any(others):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        base = superword.train(
            documents,
            size,
            pattern=pattern,
            eligible=eligible,
            supermerges=supermerges,
            deletion=deletion,
            min_count=1,
            max_words=max_words,
            max_token_bytes=max_token_bytes,
            forbid=forbid,
            special_tokens=["<|a|>", "<|b|>"],
        )
    given_rules = [
        reference.Rule(r.index, r.kind, r.left, r.right, r.parts, r.count) for r in base.rules
    ]
    how: dict[str, Any] = {"pattern": pattern, "eligible": eligible}
    # The limits of the base are those of its extension, unless it has its own.
    limits = reference.Limits(inf, max_words or inf, max_token_bytes or inf, forbid)._replace(**own)
    learned: dict[str, Any] = {"kind": kind, "min_count": min_count}
    if kind == "both" and cap is not None:
        own["max_superwords"] = cap
        size = math.floor(cap * (base.vocab_size + add)) if isinstance(cap, float) else cap
        made = {rule.token for rule in base.rules if rule.kind == "supermerge"}
        superwords = len([token for token in made if not reference.is_unspaced_word(token)])
        if size < superwords:
            with pytest.raises(ValueError, match=f"the base has {superwords} superwords already"):
                quietly_extended(base, others, add, **learned, **own)
            return
        limits = limits._replace(max_superwords=size)
    rules, vocabulary = reference.extend(others, given_rules, add, limits=limits, **learned, **how)
    tok = quietly_extended(base, others, add, **learned, **own, verify_every=1, threads=1 + add % 3)
    assert seen(tok.rules) == seen(rules)
    saved = [limits.max_superwords, limits.max_words, limits.max_token_bytes]
    assert [read_limit(tok, name) for name in NUMBERS] == saved
    assert tok.parameters.forbid == limits.forbid
    new = tok._model.vocabulary()[base.vocab_size :]
    last = base.vocab_size + 2
    assert new == list(enumerate(vocabulary[base.vocab_size :], last))
    assert tok._model.vocabulary()[: base.vocab_size] == base._model.vocabulary()
    assert tok.special_tokens == base.special_tokens
    for text in [*documents, *others]:
        ids = tok.encode_ordinary(text)
        assert [tok.token_bytes(id) for id in ids] == reference.encode(text, rules, **how)
    assert Tokenizer._from_json(tok._model.to_json()) == tok


@pytest.mark.parametrize("kind", ["merges", "superwords", "both"])
def test_real_text(kind: Any, real_texts: list[str]) -> None:
    documents = [text[:2500] for text in real_texts[:: len(real_texts) // 30]]
    base = superword.train(documents, 500, pattern="gpt4o", supermerges=False, deletion=None)
    rules = [reference.Rule(r.index, r.kind, r.left, r.right, (), r.count) for r in base.rules]
    expected, _ = reference.extend(documents, rules, 20, kind=kind, pattern="gpt4o")
    assert seen(superword.extend(base, documents, 20, kind=kind).rules) == seen(expected)
