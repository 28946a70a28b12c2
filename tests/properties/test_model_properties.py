"""Properties of every model that the reference trains, and of damaged model files."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from superword import ModelFormatError, PatternError, Tokenizer, reference
from superword.reference import ELIGIBLE, SCRIPT_ELIGIBLE, Deletion
from superword.tokenizer import Training, TrainingConfig

TRAINING = Training(3, 14, 15, 9)

# Few letters and low thresholds: tokens are deleted, made again, and made by both kinds of rule.
texts = st.lists(
    st.sampled_from(
        ["a", "b", " ", "'", "ab", "ab", "aab", "abb", "abab", " ab", " a", "é", "日", "日本", "ー"]
    ),
    min_size=1,
    max_size=8,
).map("".join)
repeated = st.builds(lambda text, times: [text] * times, texts, st.sampled_from([1, 1, 2, 5]))
corpora = st.lists(repeated, min_size=2, max_size=5).map(lambda lists: sum(lists, []))
deletions: st.SearchStrategy[Deletion] = st.sampled_from(["bytes", "pair", None])
settings_of_training = st.builds(
    TrainingConfig,
    transition=st.none(),
    second_pattern=st.none(),
    vocab_size=st.sampled_from([300, 300, 258, 264, 256]),
    pattern=st.sampled_from(
        ["boundless", "gpt4o-scripts", " ?[ab']+", "[ab]+|.", "(?<= )[ab]+|.", "(?<=b)a+b?|.b"]
    ),
    eligible=st.sampled_from([".*", "[ab ]+", ELIGIBLE, SCRIPT_ELIGIBLE]),
    supermerges=st.sampled_from([True, True, False]),
    deletion=deletions,
    tau=st.sampled_from([0.2, 0.4, 0.5, 0.9, 1.0]),
    min_count=st.sampled_from([1, 1, 2]),
    max_superwords=st.sampled_from([None, None, 0, 1, 3, 0.004, 0.01, 0.02, 0.5]),
    max_words=st.sampled_from([None, None, 2, 3]),
    max_token_bytes=st.sampled_from([None, None, 3, 5]),
    forbid=st.sampled_from([None, None, "b ", "^a"]),
)
special_tokens = st.sampled_from([[], ["<|endoftext|>"], ["ab", "é<"]])


def train(
    documents: list[str], parameters: TrainingConfig
) -> tuple[list[reference.Rule], list[bytes]]:
    return reference.train(documents, **asdict(parameters))


def tokenizer(documents: list[str], parameters: TrainingConfig, special: list[str]) -> Tokenizer:
    rules, _ = train(documents, parameters)
    return Tokenizer._from_rules(rules, parameters, special, TRAINING)


def file_of(tok: Tokenizer) -> bytes:
    return tok._model.to_json()


@settings(max_examples=200)
@given(corpora, settings_of_training, special_tokens)
def test_vocabulary_ids_and_rules_are_the_reference_s(
    documents: list[str], parameters: TrainingConfig, special: list[str]
) -> None:
    rules, vocabulary = train(documents, parameters)
    tok = Tokenizer._from_rules(rules, parameters, special, TRAINING)
    assert tok._model.vocabulary() == list(enumerate(vocabulary))
    assert tok.vocab_size == len(vocabulary)
    assert [tok.token_id(token) for token in vocabulary] == list(range(len(vocabulary)))
    assert [tok.token_bytes(id) for id in range(len(vocabulary))] == vocabulary
    superwords = {rule.token for rule in rules if rule.kind == "supermerge"}
    assert [tok.is_superword(id) for id in range(len(vocabulary))] == [
        token in superwords for token in vocabulary
    ]
    assert [(r.index, r.kind, r.left, r.right, r.parts, r.count) for r in tok.rules] == [
        (r.index, r.kind, r.left, r.right, r.parts, r.count) for r in rules
    ]
    assert tok.special_tokens == {text: len(vocabulary) + i for i, text in enumerate(special)}
    assert (tok.parameters, tok.training) == (parameters, TRAINING)


@settings(max_examples=80)
@given(corpora, settings_of_training, special_tokens)
def test_truncation_gives_the_file_of_training_at_every_size(
    documents: list[str], parameters: TrainingConfig, special: list[str]
) -> None:
    tok = tokenizer(documents, parameters, special)
    last = min(parameters.vocab_size, tok.vocab_size + 2)
    for size in range(256, last + 1):
        trained = tokenizer(documents, replace(parameters, vocab_size=size), special)
        truncated = tok.truncate(size)
        assert file_of(truncated) == file_of(trained), size
        assert truncated.fingerprint == trained.fingerprint
    if tok.vocab_size < parameters.vocab_size:
        larger = replace(parameters, vocab_size=parameters.vocab_size + 7)
        share = parameters.max_superwords
        caps = [int((share or 0) * each.vocab_size) for each in (parameters, larger)]
        if isinstance(share, float) and caps[0] < caps[1]:
            with pytest.raises(ValueError, match="trained for"):
                tok.truncate(larger.vocab_size)
        else:
            assert tok.truncate(larger.vocab_size) == tokenizer(documents, larger, special)
    else:
        with pytest.raises(ValueError, match="trained for"):
            tok.truncate(parameters.vocab_size + 1)


@settings(max_examples=200)
@given(corpora, settings_of_training, special_tokens)
def test_a_file_read_and_written_again_is_the_same(
    documents: list[str], parameters: TrainingConfig, special: list[str]
) -> None:
    tok = tokenizer(documents, parameters, special)
    again = Tokenizer._from_json(file_of(tok))
    assert file_of(again) == file_of(tok)
    assert again.fingerprint == tok.fingerprint
    assert pickle.loads(pickle.dumps(tok)) == tok


@settings(max_examples=100)
@given(corpora, settings_of_training, special_tokens, st.randoms(use_true_random=False))
def test_ids_of_one_s_own_survive(
    documents: list[str], parameters: TrainingConfig, special: list[str], random: Any
) -> None:
    file = json.loads(file_of(tokenizer(documents, parameters, special)))
    named = {json.dumps(token) for rule in file["rules"] for token in rule[1:3]}
    named |= {json.dumps(part) for rule in file["rules"] if rule[0] == "delete" for part in rule[2]}
    spare = [token for _, token in file["vocabulary"][:256] if json.dumps(token) not in named]
    tokens = [token for _, token in file["vocabulary"] if token not in spare[:13]]
    random.shuffle(tokens)
    ids = random.sample(range(2**32), len(tokens) + len(special))
    file["vocabulary"] = [
        list(pair) for pair in zip(sorted(ids[: len(tokens)]), tokens, strict=True)
    ]
    file["special_tokens"] = [list(pair) for pair in zip(ids[len(tokens) :], special, strict=True)]
    tok = Tokenizer._from_json(json.dumps(file).encode())
    again = json.loads(file_of(tok))
    assert again == file
    for id, token in file["vocabulary"]:
        assert tok.token_id(tok.token_bytes(id)) == id
        assert isinstance(token, dict) or tok.token_bytes(id) == token.encode()
    with pytest.raises(ValueError, match="not those of training"):
        tok.truncate(256)


@cache
def small_file() -> bytes:
    documents = ["ab abab", "ab ab 'ab", "abé"]
    parameters = TrainingConfig(vocab_size=280, min_count=1, tau=0.5)
    return file_of(tokenizer(documents, parameters, ["<s>"]))


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return a model file with bytes removed, inserted or moved."""
    file = bytearray(small_file())
    # Most of a file is its 256 bytes; damage in the rest is more interesting.
    positions = st.integers(0, 1400) | st.integers(len(file) - 900, len(file))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(positions)
        end = start + draw(st.integers(0, 30))
        new = draw(
            st.binary(max_size=3)
            | st.sampled_from(
                [b"", b'"', b"ab", b"9", b"]", b"null", b"1e99", b"\\ud800", b"[[", b"-1"]
            )
            | st.just(bytes(file[end : end + 20]))
        )
        file[start:end] = new
    return bytes(file)


@settings(max_examples=1000)
@given(damaged())
def test_a_damaged_file_is_refused_or_is_a_model(file: bytes) -> None:
    try:
        model = Tokenizer._from_json(file)
    except (ModelFormatError, PatternError) as refused:
        assert 0 < len(str(refused)) < 1000
    except UserWarning:  # Other Unicode tables.
        pass
    else:
        assert Tokenizer._from_json(file_of(model)) == model


@settings(max_examples=1000)
@given(st.data())
def test_a_file_with_a_value_of_another_kind_is_refused_or_is_a_model(data: st.DataObject) -> None:
    file = json.loads(small_file())
    file["vocabulary"] = file["vocabulary"][data.draw(st.sampled_from([0, 0, 0, 100])) :]
    node: Any = file
    while True:
        key = data.draw(st.sampled_from(list(node) if isinstance(node, dict) else range(len(node))))
        inner = node[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.integers(0, 4)) == 0:
            break
        node = inner
    values = [
        None,
        True,
        0,
        -1,
        1.5,
        2**32,
        2**64,
        "",
        "ab",
        "abab",
        [],
        {},
        {"hex": "f"},
        ["merge"],
    ]
    node[key] = data.draw(st.sampled_from(values))
    assume(node[key] != inner)
    try:
        model = Tokenizer._from_json(json.dumps(file).encode())
    except (ModelFormatError, PatternError) as refused:
        assert 0 < len(str(refused)) < 1000
    except UserWarning:
        pass
    else:
        assert Tokenizer._from_json(file_of(model)) == model
