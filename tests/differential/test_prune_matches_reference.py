"""Pruning against the reference: the same tokens are kept, and texts have the same tokens."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import Tokenizer, reference
from superword.tokenizer import Deletion

ALPHABETS = ["ab ", "ab '", "abc  ", "aAb _", "ab \n1"]
PATTERNS = ["boundless", "gpt2", "gpt4o", r" ?\w|\s", "(?<= )[ab]+|.", "(?s).{1,2}", "ab|."]
KINDS = ["trained", "SuperBPE", "extended", "pruned"]


@st.composite
def corpora(draw: st.DrawFn) -> list[str]:
    """Small corpora over small alphabets, with ties, overlaps and repeated words."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    words = draw(st.lists(st.text(alphabet, min_size=1, max_size=6), min_size=1, max_size=5))
    pieces = st.lists(st.sampled_from(words), max_size=14).map(" ".join)
    return draw(st.lists(pieces, min_size=1, max_size=5).filter(any))


@st.composite
def tokenizers(draw: st.DrawFn) -> tuple[Tokenizer, dict[str, Any]]:
    """A tokenizer of some kind, and how it splits text."""
    pattern = draw(st.sampled_from(PATTERNS))
    eligible = draw(st.sampled_from([reference.ELIGIBLE, ".*", "[^b]+"]))
    kind = draw(st.sampled_from(KINDS))
    documents = draw(corpora())
    deletions: list[Deletion] = [None, "bytes", "pair"]
    options: dict[str, Any] = {
        "supermerges": draw(st.booleans()),
        "deletion": draw(st.sampled_from(deletions)),
        "special_tokens": draw(st.sampled_from([[], ["<|a|>", "<|b|>"]])),
    }
    if kind == "SuperBPE":
        second = draw(st.sampled_from(PATTERNS))
        options |= {"supermerges": False, "deletion": None}
        options |= {"transition": 260, "second_pattern": second}
    size = draw(st.integers(260, 275))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tok = superword.train(
            documents, size, pattern=pattern, eligible=eligible, min_count=1, **options
        )
        if kind == "extended":
            tok = superword.extend(tok, documents, 4, min_count=1)
        if kind == "pruned":
            tok = superword.prune(tok, documents, min_count=2).tokenizer
    return tok, {"pattern": tok.pattern, "eligible": eligible}


CHOICES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"to": st.integers(258, 280)}),
    st.fixed_dictionaries({"min_count": st.integers(1, 6)}),
    st.fixed_dictionaries({"residues": st.sampled_from([0.1, 0.5, 2 / 3, 0.75, 0.9, 1.0])}),
)


@settings(max_examples=150)
@given(made=tokenizers(), documents=corpora(), choice=CHOICES, cuts=st.lists(st.integers(0, 80)))
def test_kept_tokens_and_encodings_are_those_of_the_reference(
    made: tuple[Tokenizer, dict[str, Any]],
    documents: list[str],
    choice: dict[str, Any],
    cuts: list[int],
) -> None:
    tok, split = made
    rules = [reference.Rule(r.index, r.kind, r.left, r.right, r.parts, r.count) for r in tok.rules]
    vocabulary = [token for _, token in tok._model.vocabulary()]
    pruned = superword.prune(tok, documents, **choice)
    if "to" in choice:  # The reference has no special tokens.
        choice = {"to": choice["to"] - len(tok.special_tokens)}
    kept = reference.prune(documents, rules, vocabulary, **choice, **split)
    small = pruned.tokenizer
    assert [token for _, token in small._model.vocabulary()] == kept
    assert list(small.rules) == list(tok.rules)
    for text in documents:
        expected = reference.encode(text, rules, kept=kept, **split)
        ids = small.encode(text)
        assert [small.token_bytes(id) for id in ids] == expected
        assert small._encoder.replay(text) == expected
        assert small.decode(ids) == text
        assert [part for old in tok.encode(text) for part in translate(pruned, old)] == ids
        assert feed(small, text, cuts) == ids
    again = pickle.loads(pickle.dumps(small))
    assert again == small and again.fingerprint == small.fingerprint


@settings(max_examples=60)
@given(
    documents=corpora(),
    others=corpora(),
    pattern=st.sampled_from(PATTERNS),
    size=st.integers(258, 275),
    choice=CHOICES.filter(lambda choice: "residues" not in choice),
    transition=st.sampled_from([None, 257]),
)
def test_without_their_rules_the_same_tokens_are_removed_as_in_the_reference(
    documents: list[str],
    others: list[str],
    pattern: str,
    size: int,
    choice: dict[str, Any],
    transition: int | None,
) -> None:
    plain: dict[str, Any] = {"supermerges": False, "deletion": None, "min_count": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tok = superword.train(documents, size, pattern=pattern, transition=transition, **plain)
    rules = [reference.Rule(r.index, r.kind, r.left, r.right, r.parts, r.count) for r in tok.rules]
    vocabulary = [token for _, token in tok._model.vocabulary()]
    kept = reference.prune(
        others, rules, vocabulary, **choice, drop_rules=True, pattern=tok.pattern
    )
    small = superword.prune(tok, others, **choice, drop_rules=True).tokenizer
    assert [token for _, token in small._model.vocabulary()] == kept
    left = [rule for rule in rules if rule.token in kept]
    assert [rule.token for rule in small.rules] == [rule.token for rule in left]
    for text in others:
        expected = reference.encode(text, left, pattern=tok.pattern)
        assert [small.token_bytes(id) for id in small.encode(text)] == expected


def translate(pruned: superword.evaluation.Pruned, old: int) -> list[int]:
    """Return the new ids of an old one."""
    return [pruned.kept[old]] if old in pruned.kept else pruned.removed[old]


def feed(tok: Tokenizer, text: str, cuts: list[int]) -> list[int]:
    """Encode a text that arrives in pieces."""
    stream = tok.encode_stream()
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    ids = [id for a, b in zip(ends, ends[1:], strict=False) for id in stream.feed(text[a:b])]
    return ids + stream.finish()
