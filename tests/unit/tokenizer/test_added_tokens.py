"""Added tokens that are not special: every method finds them, in every kind of model."""

from __future__ import annotations

import json
import pickle
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import ModelFormatError, Tokenizer
from superword.tokens.corpus_encoding import choose_dtype

ADDED = [" " * n for n in range(2, 9)] + ["\t", "<think>", "é "]
KINDS: dict[str, dict[str, Any]] = {
    "bpe": {"supermerges": False, "deletion": None},
    "picky": {"supermerges": False, "tau": 0.6},
    "boundless": {"tau": 0.7},
    "superbpe": {"transition": 600, "supermerges": False, "deletion": None},
    "gpt4o": {"pattern": "gpt4o"},
    "regex": {"pattern": r" ?\w+|\s+|[^\s\w]+"},
}
kinds = pytest.mark.parametrize("kind", KINDS)


def add_tokens(tok: Tokenizer, texts: list[str], first: int = 70_000) -> Tokenizer:
    """Return a model with added tokens."""
    file = json.loads(tok._model.to_json())
    file |= {"version": 2, "requires": ["added_tokens"]}
    file["added_tokens"] = [[first + at, text] for at, text in enumerate(texts)]
    return Tokenizer._from_json(json.dumps(file).encode())


@cache
def plain(kind: str) -> Tokenizer:
    code = ["def f(x):\n    if x:\n        return  x # of the\n\treturn of the\n"] * 9
    documents = [*list(superword.sample())[::12], *code]
    return superword.train(documents, 900, special_tokens=["<|end|>"], **KINDS[kind])


@cache
def added(kind: str) -> Tokenizer:
    return add_tokens(plain(kind), ADDED)


def expected_ids(kind: str, text: str) -> list[int]:
    """Encode the text between added tokens with the model that has none."""
    ids = dict(zip(ADDED, range(70_000, 80_000), strict=False))
    longest_first = sorted(ADDED, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
    encode = plain(kind).encode_ordinary
    return [id for part in parts for id in ([ids[part]] if part in ids else encode(part))]


pieces = [*ADDED, " ", "\n", "of", " the", "é", "<", "think>", "return", "x:\n", "'s", "12", "\t\t"]
texts = st.lists(st.sampled_from(pieces), max_size=14).map("".join)


@settings(max_examples=150)
@given(st.sampled_from(list(KINDS)), texts)
def test_every_method_finds_added_tokens(kind: str, text: str) -> None:
    tok, expected = added(kind), expected_ids(kind, text)
    assert tok.encode(text) == expected
    assert tok.encode_ordinary(text) == expected
    assert tok.encode_bytes(text.encode()) == expected
    assert tok.encode_batch([text, "", text]) == [expected, [], expected]
    assert tok.encode_ordinary_batch([text]) == [expected]
    assert tok.encode_to_numpy(text).tolist() == expected
    assert tok.encode_batch_to_numpy([text, text])[0].tolist() == expected * 2
    assert tok.count_tokens(text) == len(expected)
    assert tok.as_tiktoken().encode(text) == expected
    assert tok.decode(expected) == text
    ids, offsets = tok.encode_with_offsets(text)
    assert ids == expected
    assert [text.encode()[a:b] for a, b in offsets.bytes] == [tok.token_bytes(id) for id in ids]
    stream = tok.decode_stream()
    assert "".join(map(stream.feed, expected)) + stream.finish() == text
    assert [unit for step in tok.explain(text)[-1:] for part in step.units for unit in part] == [
        tok.token_bytes(id) for id in expected
    ]
    # Special tokens come first.
    ends = tok.special_tokens["<|end|>"]
    assert tok.encode(f"{text}<|end|>{text}", allowed_special="all") == [*expected, ends, *expected]


@kinds
def test_bytes_that_are_not_utf8_divide_a_text(kind: str) -> None:
    tok = added(kind)
    assert tok.decode_bytes(tok.encode_bytes(b"a    \xffb  ")) == b"a    \xffb  "
    assert tok.encode_bytes(b" \xff ") == [*tok.encode(" "), 255, *tok.encode(" ")]


@pytest.mark.parametrize("tokens", [ADDED, ["    ", "  "], ["\nx", "  "], ["x", "  "]])
@kinds
def test_threads_that_share_a_text_find_the_same_tokens(kind: str, tokens: list[str]) -> None:
    tok = add_tokens(plain(kind), tokens)
    lines = ["of the\n", "x\n", "    return x\n", "\n", "y  \n", "x <think>\n"]
    text = "".join(random.Random(3).choices(lines, k=120_000))
    (ids,) = tok.encode_batch([text], 2)
    assert ids == tok.encode_batch([text], 1)[0]
    # As parts of it that are too short to be shared, apart from added tokens that cross lines.
    if tokens[0] != "\nx":
        parts = re.findall(r"(?s).{1,20000}?\n(?=[oxy])|.+\Z", text)
        assert ids == [id for some in tok.encode_batch(parts) for id in some]
    assert tok.count_tokens(text) == len(ids)
    assert tok.decode(ids) == text


@kinds
def test_a_corpus_is_encoded_alike(kind: str, tmp_path: Path) -> None:
    tok = added(kind)
    texts = ["def f():\n        return 1", "", "\t<think>  "]
    superword.encode_corpus(tok, texts, tmp_path / "ids.npy", end_of_text="<|end|>")
    end = tok.special_tokens["<|end|>"]
    expected = [id for text in texts for id in [*expected_ids(kind, text), end]]
    written = np.load(tmp_path / "ids.npy")
    assert written.tolist() == expected
    assert str(written.dtype) == choose_dtype(tok) == "uint32"


@settings(max_examples=60)
@given(st.sampled_from(["bpe", "picky", "boundless", "gpt4o"]), texts, texts)
def test_no_continuation_changes_the_certain_ids_of_a_prompt(
    kind: str, text: str, more: str
) -> None:
    tok = added(kind)
    prompt = tok.encode_prompt(text)
    assert tok.decode_bytes(prompt.ids) + prompt.held_back == text.encode()
    for rest in (more, " ", "  ", "x", "ink>", " " * 9):
        assert tok.encode(text + rest)[: len(prompt.ids)] == prompt.ids


def test_an_added_token_far_from_the_end_of_a_prompt_is_certain() -> None:
    tok = added("boundless")
    text = "if x:\n    return one of the many" * 50
    prompt = tok.encode_prompt(text)
    assert len(prompt.ids) > len(tok.encode(text)) - 10


@kinds
def test_a_model_with_added_tokens_is_saved_loaded_and_pickled(kind: str, tmp_path: Path) -> None:
    tok = added(kind)
    tok.save(tmp_path / "model.json")
    for other in (superword.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(tok))):
        assert other == tok
        assert other.fingerprint == tok.fingerprint
        assert other.added_tokens == dict(zip(ADDED, range(70_000, 80_000), strict=False))
        assert other.special_tokens == {"<|end|>": tok.vocab_size}
        assert other.encode("  <think>") == tok.encode("  <think>")


@kinds
def test_the_fingerprint_covers_added_tokens(kind: str) -> None:
    prints = {
        tok.fingerprint
        for tok in (plain(kind), added(kind), add_tokens(plain(kind), ADDED[:3]),
                    add_tokens(plain(kind), ADDED, 70_001))
    }  # fmt: skip
    assert len(prints) == 4


def test_added_tokens_are_tokens_of_texts() -> None:
    tok = added("boundless")
    two = tok.added_tokens["  "]
    assert tok.token_bytes(two) == b"  "
    assert tok.token_id(b"<think>") == tok.added_tokens["<think>"]
    assert not tok.is_superword(two)
    sizes = tok.bytes_per_token_id()
    assert sizes[two] == 2 and sizes[tok.special_tokens["<|end|>"]] == 0
    enc = tok.as_tiktoken()
    assert enc.max_token_value == max(tok.added_tokens.values())
    assert not enc.is_special_token(two)
    assert enc.encode_single_token("<think>") == tok.added_tokens["<think>"]
    assert b"<think>" in enc.token_byte_values()
    from superword.tokenizer.inspection import inspect

    assert inspect(tok).added_tokens == tok.added_tokens


def test_an_added_token_may_be_a_token_of_the_vocabulary() -> None:
    tok = plain("boundless")
    id = tok.token_id(b" of")
    shared = add_tokens(tok, [" of"], id)
    assert shared.encode("x offer") == [*tok.encode("x"), id, *tok.encode("fer")]
    with pytest.raises(ModelFormatError, match='"of" has the id .*, which another token has'):
        add_tokens(tok, ["of"], id)


def test_more_special_tokens_keep_the_added_ones() -> None:
    tok = added("boundless").with_special_tokens(["<|pad|>"])
    assert tok.added_tokens == added("boundless").added_tokens
    assert tok.special_tokens["<|pad|>"] == 70_000 + len(ADDED)
    with pytest.raises(ValueError, match='"<think>" is repeated'):
        tok.with_special_tokens(["<think>"])
    with pytest.raises(ValueError, match="cannot be truncated"):
        tok.truncate(300)


@kinds
def test_they_are_shown_as_what_they_are(kind: str) -> None:
    text = "if x:\n    <think>of the"
    shown = added(kind).show(text)
    assert [each.id for each in shown.tokens] == expected_ids(kind, text)
    assert b"".join(each.token for each in shown.tokens) == text.encode()
    named = {each.token for each in shown.tokens if each.origin == "added token"}
    assert named == {b"    ", b"<think>"}
    assert "&lt;think&gt;" in shown._repr_html_()
    assert "&lt;think&gt;" in added(kind).explain(text)._repr_html_()
