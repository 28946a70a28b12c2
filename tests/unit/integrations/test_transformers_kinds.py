"""`superword.transformers` with every kind of model."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import pytest
from transformers import AddedToken, AutoTokenizer, PreTrainedTokenizerFast

import superword
from superword import Tokenizer
from superword.interop import import_tokenizer
from superword.transformers import SuperwordTokenizer

TEXT = "at the end of the day<|end|> of the naïve café 猫\n\n  1234 isn't"


@pytest.fixture
def tokenizer(core_of_kind: Tokenizer) -> SuperwordTokenizer:
    named = {"bos_token": "<|bos|>", "eos_token": "<|end|>", "pad_token": "<|end|>"}
    return SuperwordTokenizer(core_of_kind, special_tokens_pattern="bos", **named)


def test_ids_of_a_padded_embedding_are_left_out(tokenizer: SuperwordTokenizer) -> None:
    tokenizer.add_tokens(["<one>"])
    beyond = len(tokenizer)
    ids = tokenizer.encode(TEXT + "<one>")
    padded = [beyond, *ids, beyond + 5, 2**31, 2**32]
    assert tokenizer.decode(padded) == tokenizer.decode(ids)
    assert tokenizer.decode(beyond) == ""
    assert tokenizer.batch_decode([padded], skip_special_tokens=True) == [
        TEXT.replace("<|end|>", "") + "<one>"
    ]
    tokens = tokenizer.convert_ids_to_tokens(ids)
    assert tokenizer.convert_ids_to_tokens(padded) == [None, *tokens, None, None, None]
    assert tokenizer.convert_ids_to_tokens(beyond) is None
    assert tokenizer.convert_tokens_to_string(
        tokenizer.convert_ids_to_tokens(padded)
    ) == tokenizer.decode(ids)
    with pytest.raises(superword.UnknownTokenError):
        tokenizer.core.decode([beyond])


def test_the_word_of_a_token_is_the_pretoken_of_its_first_byte(
    tokenizer: SuperwordTokenizer,
) -> None:
    encoded = tokenizer(TEXT, padding="max_length", max_length=80)
    pattern = tokenizer.core.parameters.pattern
    # The word of each byte. The special token within the text is a word.
    first, second = TEXT.split("<|end|>")
    words = superword.pretokenize(first, pattern) + ["<|end|>"]
    words += superword.pretokenize(second, pattern)
    word_of_byte = [number for number, word in enumerate(words) for _ in word.encode()]
    ids = tokenizer.encode(TEXT)[1:]
    starts = accumulate((len(tokenizer.core.token_bytes(id)) for id in ids), initial=0)
    expected = [word_of_byte[start] for start, _ in zip(starts, ids, strict=False)]
    padding = [None] * (79 - len(ids))
    assert encoded.word_ids() == [None, *expected, *padding]
    assert len(set(expected)) > 5


def test_added_tokens_of_the_model_are_words(
    tmp_path: Path, train_kind: Callable[[str], Tokenizer]
) -> None:
    path = tmp_path / "tokenizer.json"
    superword.export(train_kind("BPE"), path, "tokenizer.json")
    described = json.loads(path.read_text())
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized", "special"], False)
    described["added_tokens"].append({"id": 902, "content": "    ", **flags})
    path.write_text(json.dumps(described))
    mine = SuperwordTokenizer(import_tokenizer(path))
    theirs = PreTrainedTokenizerFast(tokenizer_file=str(path))
    for text in ("at    the day\n        of<|end|>the", "    café 猫    ", "    "):
        assert mine(text)["input_ids"] == theirs(text)["input_ids"]
        assert mine(text).word_ids() == theirs(text).word_ids()


def test_words_tokens_and_characters_agree(tokenizer: SuperwordTokenizer) -> None:
    encoded = tokenizer(TEXT, TEXT[:20], return_offsets_mapping=True)
    word_ids, sequence_ids = encoded.word_ids(), encoded.sequence_ids()
    for token, (word, sequence) in enumerate(zip(word_ids, sequence_ids, strict=True)):
        assert encoded.token_to_word(token) == word
        if word is None:
            continue
        start, end = encoded.word_to_tokens(word, sequence_index=sequence)
        assert start <= token < end
        assert set(word_ids[start:end]) == {word}
        characters = encoded.word_to_chars(word, sequence_index=sequence)
        assert characters.start == encoded["offset_mapping"][start][0]
        assert characters.end == encoded["offset_mapping"][end - 1][1]
        for at in range(characters.start, characters.end):
            assert encoded.char_to_word(at, sequence_index=sequence) in (word, word - 1)
    assert encoded.char_to_word(len(TEXT)) is None
    assert encoded.word_to_tokens(999) is None
    with pytest.raises(ValueError, match="no token begins in word 999"):
        encoded.word_to_chars(999)


def test_a_new_tokenizer_is_trained_alike(tokenizer: SuperwordTokenizer, tmp_path: Path) -> None:
    tokenizer.add_tokens(["<lost>"])
    tokenizer.add_special_tokens({"mask_token": AddedToken("<mask>", lstrip=True)})
    tokenizer.padding_side = "left"
    tokenizer.chat_template = "{{ messages }}"
    tokenizer.save_pretrained(tmp_path)
    batches = (list(superword.sample())[start : start + 4] for start in range(1, 40, 8))
    for source, texts in [
        (tokenizer, list(batches)),
        (AutoTokenizer.from_pretrained(tmp_path), list(superword.sample())[:20]),
    ]:
        new = source.train_new_from_iterator(
            texts, 600, new_special_tokens=["<new>"], special_tokens_map={"<|end|>": "</s>"}
        )
        assert type(new) is SuperwordTokenizer
        assert len(new) == 600
        assert set(new.core.special_tokens) == {"<|bos|>", "</s>", "<mask>", "<new>"}
        assert set(new.all_special_tokens) == set(new.core.special_tokens)
        assert (new.bos_token, new.eos_token, new.pad_token) == ("<|bos|>", "</s>", "</s>")
        assert new.mask_token == "<mask>"
        assert new.padding_side == source.padding_side
        assert new.chat_template == "{{ messages }}"
        old = tokenizer.core.parameters
        for name in ("pattern", "supermerges", "deletion", "tau", "second_pattern"):
            assert getattr(new.core.parameters, name) == getattr(old, name)
        assert (new.core.parameters.transition is None) == (old.transition is None)
        assert new.encode("day </s>") != new.encode("day  </s>")
        assert new.encode("day <mask>") == new.encode("day  <mask>")
        assert new.encode("day")[0] == new.bos_token_id
        assert new.decode(new.encode(TEXT), skip_special_tokens=True) == TEXT
        new.save_pretrained(tmp_path / "new")
        loaded = AutoTokenizer.from_pretrained(tmp_path / "new")
        assert loaded.encode(TEXT + " <mask>") == new.encode(TEXT + " <mask>")


def test_training_anew_takes_the_keywords_of_train(tokenizer: SuperwordTokenizer) -> None:
    texts = list(superword.sample())[:10]
    new = tokenizer.train_new_from_iterator(texts, 400, min_count=5, threads=1)
    assert new.core.parameters.min_count == 5
    with pytest.raises(ValueError, match="vocab_size must be at least 258, for 256 bytes and 2"):
        tokenizer.train_new_from_iterator(texts, 100)
    with pytest.raises(TypeError, match="not one string"):
        tokenizer.train_new_from_iterator("a text", 400)


def test_no_space_is_put_before_texts(tokenizer: SuperwordTokenizer, tmp_path: Path) -> None:
    assert tokenizer.add_prefix_space is False
    tokenizer.save_pretrained(tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path).add_prefix_space is False
    with pytest.raises(ValueError, match="add_prefix_space=True is not supported"):
        AutoTokenizer.from_pretrained(tmp_path, add_prefix_space=True)
