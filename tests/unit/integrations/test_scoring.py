"""Scoring a continuation: the scored ids are the end of the text, and hold all of it."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

import superword
from superword.integrations.scoring import encode_pair
from superword.transformers import SuperwordTokenizer

SPECIAL = ["<|bos|>", "<|end|>"]
KINDS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "PickyBPE": {"supermerges": False, "tau": 0.7},
    "BoundlessBPE": {},
    "SuperBPE": {"supermerges": False, "deletion": None, "transition": 1000},
}


@cache
def core(kind: str) -> superword.Tokenizer:
    documents = list(superword.sample())[::2]
    return superword.train(documents, 2000, special_tokens=SPECIAL, **KINDS[kind])


@pytest.fixture(params=KINDS)
def tokenizer(request: pytest.FixtureRequest) -> SuperwordTokenizer:
    tok = core(request.param)
    named = {"bos_token": "<|bos|>", "eos_token": "<|end|>", "pad_token": "<|end|>"}
    return SuperwordTokenizer(tok, **named)


def pairs() -> list[tuple[str, str]]:
    """Contexts of the sample, and the word after each; and some with an end of any kind."""
    generator = random.Random(18)
    documents = list(superword.sample())[1::20]
    found = []
    for document in documents:
        for _ in range(10):
            at = document.find(" ", generator.randrange(len(document) // 2))
            end = document.find(" ", at + 1)
            found.append((document[max(0, at - 300) : at], document[at:end]))
    return [*found, ("", "of the"), (" ", "of the"), ("of", " the"), ("o", "f"), ("naïv", "e")]


@pytest.mark.parametrize("pattern", [None, "bos", "bos_eos"])
def test_the_scored_ids_are_the_end_of_the_text(
    tokenizer: SuperwordTokenizer, pattern: str | None
) -> None:
    tokenizer.special_tokens_pattern = pattern
    before = [900] if pattern is None else [tokenizer.bos_token_id]
    changed = 0
    for context, continuation in pairs():
        head, scored, held_back = encode_pair(tokenizer, context, continuation, 900)
        whole = tokenizer.core.encode(context + continuation)
        assert head + scored in (whole, before + whole)
        assert head and scored
        text = tokenizer.core.decode_bytes(scored)
        assert text == held_back + continuation.encode()
        assert (context + continuation).encode().endswith(text)
        alone = tokenizer.core.encode(context)
        changed += whole[: len(alone)] != alone
    # The usual way, encode(text)[len(encode(context)):], fails for some of them.
    if tokenizer.core.parameters.supermerges or tokenizer.core.parameters.transition:
        assert changed > 3


def test_all_continuations_of_a_context_are_scored_from_the_same_ids(
    tokenizer: SuperwordTokenizer,
) -> None:
    heads = [
        encode_pair(tokenizer, "It was the end", end, 900).head
        for end in (" of the day", " of", "s", "", ".", " and the", "\n", " 12")
    ]
    assert all(head == heads[0] for head in heads)


def test_an_empty_context_is_scored_from_the_first_token(tokenizer: SuperwordTokenizer) -> None:
    bos = tokenizer.convert_tokens_to_ids("<|bos|>")
    assert isinstance(bos, int)
    of_the = tokenizer.core.encode("of the")
    assert encode_pair(tokenizer, "", "of the", bos) == ([bos], of_the, b"")
    assert encode_pair(tokenizer, "", "<|bos|>of the", bos) == ([bos], of_the, b"")
    assert encode_pair(tokenizer, " t", "he", bos).head == [bos]  # All of it is held back.
