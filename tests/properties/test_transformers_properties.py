"""`superword.transformers` against the library's own tokenizers, and offsets on any text."""

from __future__ import annotations

import tempfile
import unicodedata
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

import superword
from superword.exporting import export
from superword.transformers import SuperwordTokenizer

SPECIAL = ["<|bos|>", "<|end|>"]
NAMED = {"bos_token": "<|bos|>", "eos_token": "<|end|>", "pad_token": "<|end|>"}

words = st.sampled_from(
    [" the", " of", "day", "é", "猫", "🐈‍⬛", "e\u0301", " ", "\n", *SPECIAL, "<x>"]
)
sentences = st.lists(words, max_size=12).map("".join)
texts = st.one_of(
    sentences,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
# The library has older Unicode tables, and splits newer characters differently.
old_characters = st.characters(exclude_categories=["Cs", "Cn"]).filter(
    lambda one: unicodedata.ucd_3_2_0.category(one) != "Cn"
)
old_texts = st.one_of(sentences, st.text(old_characters, max_size=12))


@cache
def ours(supermerges: bool, pattern: str | None) -> SuperwordTokenizer:
    tok = superword.train(
        superword.sample(),
        600,
        pattern="gpt4o",
        supermerges=supermerges,
        deletion="bytes" if supermerges else None,
        special_tokens=SPECIAL,
    )
    tokenizer = SuperwordTokenizer(tok, special_tokens_pattern=pattern, **NAMED)
    tokenizer.add_tokens(["<x>"])
    return tokenizer


@cache
def theirs(pattern: str | None) -> PreTrainedTokenizerFast:
    """Return the library's own tokenizer with the same plain BPE."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "tokenizer.json"))
        assert export(ours(False, pattern).core, path, "tokenizer.json")
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=path, **NAMED)
    tokenizer.add_tokens(["<x>"])
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    if pattern == "bos":
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
            single="<|bos|> $A",
            pair="<|bos|> $A <|bos|> $B",
            special_tokens=[("<|bos|>", tokenizer.bos_token_id)],
        )
    return tokenizer


def spans(text: str, tokens: list[bytes]) -> list[tuple[int, int]]:
    """Return the start and end character of each token, counted byte by byte."""
    character = [at for at, one in enumerate(text) for _ in one.encode()]
    ends = list(accumulate(map(len, tokens), initial=0))
    assert ends[-1] == len(character)
    return [(character[a], character[b - 1] + 1) for a, b in pairwise(ends)]


@given(st.sampled_from([None, "bos"]), st.booleans(), texts, st.one_of(st.none(), texts))
def test_offsets_are_the_characters_of_each_token(
    pattern: str | None, supermerges: bool, first: str, second: str | None
) -> None:
    tokenizer = ours(supermerges, pattern)
    added = {id: text.encode() for text, id in tokenizer.get_added_vocab().items()}
    encoded = tokenizer(first, second, return_offsets_mapping=True)
    rows = list(
        zip(encoded["input_ids"], encoded["offset_mapping"], encoded.sequence_ids(), strict=True)
    )
    for which, text in enumerate([first, second or ""]):
        own = [(id, span) for id, span, sequence in rows if sequence == which]
        tokens = [added.get(id) or tokenizer.core.token_bytes(id) for id, _ in own]
        assert b"".join(tokens) == text.encode()
        assert [span for _, span in own] == spans(text, tokens)
    others = [(id, span) for id, span, sequence in rows if sequence is None]
    bos = [] if pattern is None else [(tokenizer.bos_token_id, (0, 0))]
    assert others == bos * (1 if second is None else 2)


options = st.fixed_dictionaries(
    {},
    optional={
        "padding": st.sampled_from([False, True, "max_length"]),
        "truncation": st.sampled_from([False, True, "longest_first", "only_first"]),
        "max_length": st.integers(4, 12),
        "pad_to_multiple_of": st.sampled_from([None, 8]),
        "padding_side": st.sampled_from(["left", "right"]),
        "add_special_tokens": st.booleans(),
        "return_special_tokens_mask": st.booleans(),
        "return_offsets_mapping": st.booleans(),
        "return_attention_mask": st.booleans(),
        "return_length": st.booleans(),
        "return_overflowing_tokens": st.booleans(),
        "stride": st.integers(0, 1),
    },
)
batches = st.one_of(
    old_texts,
    st.lists(old_texts, min_size=1, max_size=4),
    st.lists(st.tuples(old_texts, old_texts), min_size=1, max_size=3),
)


# Both warn that max_length means nothing without truncation or padding.
@pytest.mark.filterwarnings("ignore:.max_length. is ignored:UserWarning")
@settings(max_examples=300)
@given(
    st.sampled_from([None, "bos"]),
    batches,
    options,
    st.sampled_from(["left", "right"]),
)
def test_a_plain_bpe_gives_the_ids_of_the_library(
    pattern: str | None, batch: Any, options: dict[str, Any], side: str
) -> None:
    if options.get("padding") == "max_length":
        options.setdefault("max_length", 12)
    mine, real = ours(False, pattern), theirs(pattern)
    mine.truncation_side = real.truncation_side = side
    is_pair = isinstance(batch, list) and isinstance(batch[0], tuple)
    if is_pair:
        # Two sequences that overflow: ours raises an error, the library returns some, or panics.
        options = options | {"return_overflowing_tokens": False, "stride": 0}
    try:
        expected = real(batch, **options)
    except Exception:  # Of no class that matters.
        with pytest.raises(ValueError, match="truncation|Truncation"):
            mine(batch, **options)
        return
    encoded = mine(batch, **options)
    assert {**encoded} == {**expected}
    assert len(encoded.encodings) == len(expected.encodings)
    for row, other in zip(encoded.encodings, expected.encodings, strict=True):
        assert row.ids == other.ids
        assert row.tokens == other.tokens
        assert row.offsets == other.offsets
        assert row.sequence_ids == other.sequence_ids
        assert row.special_tokens_mask == other.special_tokens_mask
        check_words(row, other)


def check_words(row: Any, other: Any) -> None:
    """Compare all functions from characters to tokens and words, and back."""
    assert row.word_ids == other.word_ids
    for token in range(len(row.ids)):
        assert row.token_to_sequence(token) == other.token_to_sequence(token)
        assert row.token_to_word(token) == other.token_to_word(token)
    for sequence in range(row.n_sequences):
        for at in range(6):
            assert row.char_to_token(at, sequence) == other.char_to_token(at, sequence)
            assert row.char_to_word(at, sequence) == other.char_to_word(at, sequence)
            assert row.word_to_tokens(at, sequence) == other.word_to_tokens(at, sequence)
            if row.word_to_tokens(at, sequence):
                assert row.word_to_chars(at, sequence) == other.word_to_chars(at, sequence)


@given(st.lists(st.lists(texts.filter(bool), min_size=1, max_size=4), min_size=1, max_size=3))
def test_words_are_encoded_one_by_one(batch: list[list[str]]) -> None:
    mine, real = ours(False, None), theirs(None)
    options = {"is_split_into_words": True, "return_offsets_mapping": True}
    expected = real(batch, **options)
    encoded = mine(batch, **options)
    assert {**encoded} == {**expected}
    for row, other in zip(encoded.encodings, expected.encodings, strict=True):
        check_words(row, other)


@given(st.lists(st.integers(0, 602), max_size=20), st.booleans())
def test_ids_are_decoded_alike(ids: list[int], skip_special_tokens: bool) -> None:
    mine, real = ours(False, None), theirs(None)
    decoded = mine.decode(ids, skip_special_tokens=skip_special_tokens)
    if "�" not in decoded:
        assert decoded == real.decode(ids, skip_special_tokens=skip_special_tokens)
    tokens = mine.convert_ids_to_tokens(ids)
    assert tokens == real.convert_ids_to_tokens(ids)
    assert mine.convert_tokens_to_ids(tokens) == ids
    assert mine.convert_tokens_to_string(tokens) == mine.decode(ids)


def test_stride_needs_room() -> None:
    with pytest.raises(
        ValueError, match="stride must be smaller than the room for tokens, 4, not 4"
    ):
        ours(False, None)(
            "the end of the day, of the day",
            truncation=True,
            max_length=4,
            stride=4,
            return_overflowing_tokens=True,
        )
