"""Models with looked-up tokens against the reference: encoding, streams, extending and pruning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import Tokenizer, reference

ALPHABETS = ["ab ", "ab '", "abc  ", "aAb _", "ab \n1", "aé日 "]
PATTERNS = ["boundless", "gpt2", "gpt4o", r" ?\w|\s", "(?<= )[ab]+|.", "(?s).{1,2}", "ab|."]

LookUp = Callable[[Tokenizer, list[bytes]], Tokenizer]


@st.composite
def corpora(draw: st.DrawFn) -> list[str]:
    """Small corpora over small alphabets, with ties, overlaps and repeated words."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    words = draw(st.lists(st.text(alphabet, min_size=1, max_size=6), min_size=1, max_size=5))
    pieces = st.lists(st.sampled_from(words), max_size=14).map(" ".join)
    return draw(st.lists(pieces, min_size=1, max_size=5).filter(any))


@st.composite
def bases(draw: st.DrawFn) -> tuple[Tokenizer, list[bytes], dict[str, Any]]:
    """A plain BPE, pretokens to look up, and how it splits text."""
    how: dict[str, Any] = {
        "pattern": draw(st.sampled_from(PATTERNS)),
        "eligible": draw(st.sampled_from([reference.ELIGIBLE, ".*", "[^b]+"])),
    }
    documents = draw(corpora())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tok = superword.train(
            documents,
            draw(st.integers(256, 275)),
            supermerges=False,
            deletion=None,
            min_count=1,
            special_tokens=["<|a|>"],
            **how,
        )
    pretokens = [p for text in documents for p in reference.pretokenize(text, how["pattern"])]
    chosen = draw(st.lists(st.sampled_from(pretokens), max_size=5))
    return tok, [pretoken.encode() for pretoken in chosen], how


def as_reference(tok: Tokenizer) -> list[reference.Rule]:
    return [reference.Rule(r.index, r.kind, r.left, r.right, r.parts, r.count) for r in tok.rules]


def spell(tok: Tokenizer, text: str) -> list[bytes]:
    return [tok.token_bytes(id) for id in tok.encode(text)]


@settings(max_examples=120)
@given(
    made=bases(),
    others=corpora(),
    kind=st.sampled_from(["merges", "superwords", "both"]),
    add=st.integers(0, 12),
    min_count=st.integers(1, 3),
    choice=st.sampled_from([{"to": 262}, {"min_count": 2}, {"residues": 0.5}]),
    cuts=st.lists(st.integers(0, 80)),
)
def test_extending_encoding_and_pruning_are_those_of_the_reference(
    look_up: LookUp,
    made: tuple[Tokenizer, list[bytes], dict[str, Any]],
    others: list[str],
    kind: Any,
    add: int,
    min_count: int,
    choice: dict[str, Any],
    cuts: list[int],
) -> None:
    base, pretokens, how = made
    base = look_up(base, pretokens)
    lookup = base._model.lookup_tokens
    rules, vocabulary = reference.extend(
        others, as_reference(base), add, kind=kind, min_count=min_count, lookup=lookup, **how
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tok = superword.extend(
            base, others, add, kind=kind, min_count=min_count, verify_every=1, threads=1 + add % 3
        )
    assert as_reference(tok) == rules
    new = tok._model.vocabulary()[base.vocab_size :]
    assert new == list(enumerate(vocabulary[base.vocab_size :], base.n_vocab))
    assert tok._model.lookup_tokens == lookup
    texts = [*others, *(pretoken.decode() for pretoken in pretokens)]
    for text in texts:
        expected = reference.encode(text, rules, lookup=lookup, **how)
        assert spell(tok, text) == expected == tok._encoder.replay(text)
        *_, (_, units) = reference.explain(text, rules, lookup=lookup, **how)
        assert [*tok.explain(text)][-1].units == units
        assert feed(tok, text, cuts) == tok.encode(text)
    assert Tokenizer._from_json(tok._model.to_json()) == tok
    check_pruning(tok, texts, choice, how)


def check_pruning(
    tok: Tokenizer, texts: list[str], choice: dict[str, Any], how: dict[str, Any]
) -> None:
    rules, lookup = as_reference(tok), tok._model.lookup_tokens
    always = 257 + len(lookup)
    if "to" in choice:
        choice = {"to": max(choice["to"], always)}
    pruned = superword.prune(tok, texts, **choice).tokenizer
    if "to" in choice:  # The reference has no special tokens.
        choice = {"to": choice["to"] - 1}
    ours = [token for _, token in tok._model.vocabulary()]
    kept = reference.prune(texts, rules, ours, **choice, lookup=lookup, **how)
    assert [token for _, token in pruned._model.vocabulary()] == kept
    assert set(lookup) <= set(kept)
    for text in texts:
        assert spell(pruned, text) == reference.encode(text, rules, lookup=lookup, kept=kept, **how)
    assert Tokenizer._from_json(pruned._model.to_json()) == pruned


def feed(tok: Tokenizer, text: str, cuts: list[int]) -> list[int]:
    """Encode a text that arrives in pieces."""
    stream = tok.encode_stream()
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    ids = [id for a, b in zip(ends, ends[1:], strict=False) for id in stream.feed(text[a:b])]
    return ids + stream.finish()
