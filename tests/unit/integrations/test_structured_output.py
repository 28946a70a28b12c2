"""Grammars of xgrammar and llguidance constrain every kind of model to texts that match."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from superword import Tokenizer
from superword.integrations.structured_output import accept_in_xgrammar
from superword.transformers import SuperwordTokenizer

# Superwords, and characters that some or all models divide among tokens.
REGEX = r"(?:of the|at the end|é|猫| ){3,9}"
SCHEMA = {
    "type": "object",
    "properties": {
        "when": {"enum": ["at the end of the day", "à la café 猫"]},
        "age": {"type": "integer", "minimum": 0, "maximum": 99},
    },
    "required": ["when", "age"],
    "additionalProperties": False,
}


@pytest.fixture
def tokenizer(core_of_kind: Tokenizer) -> SuperwordTokenizer:
    tokenizer = SuperwordTokenizer(core_of_kind, bos_token="<|bos|>", eos_token="<|end|>")
    tokenizer.add_tokens(["<tool>"])
    tokenizer.special_tokens_pattern = "bos"
    return tokenizer


def test_the_table_has_the_bytes_of_every_token(tokenizer: SuperwordTokenizer) -> None:
    text = "at the end of the naïve café 猫<tool><|end|>"
    tokens, special_ids = tokenizer.token_table()
    ids = tokenizer.encode(text)
    assert b"".join(tokens[id] for id in ids) == b"<|bos|>" + text.encode()
    assert special_ids == sorted(tokenizer.all_special_ids)
    assert {*special_ids} == {tokenizer.bos_token_id, tokenizer.eos_token_id}
    assert len(tokens) == len(tokenizer)
    padded = tokenizer.token_table(vocab_size=2048)
    assert padded.tokens == tokens + [b""] * (2048 - len(tokens))
    assert tokenizer.token_table(vocab_size=300).tokens == tokens[:300]


def is_match(text: str) -> bool:
    return re.fullmatch(REGEX, text) is not None


def is_valid(text: str) -> bool:
    value = json.loads(text)
    properties: Any = SCHEMA["properties"]
    return (
        value.keys() == {"when", "age"}
        and value["when"] in properties["when"]["enum"]
        and type(value["age"]) is int
        and 0 <= value["age"] <= 99
    )


def sample_texts(
    tokenizer: SuperwordTokenizer, size: int, start: Callable[[], tuple[Any, Any]]
) -> Iterator[str]:
    """Choose allowed tokens at random, long ones more often, until the end of the text.

    `start` returns a function that returns the mask of allowed ids, and one that takes an id.
    """
    chooser = random.Random(1)
    lengths = [len(token) for token in tokenizer.token_table(size).tokens]
    written: set[int] = set()
    for _ in range(25):
        read_mask, accept = start()
        ids: list[int] = []
        while True:
            bits = np.unpackbits(read_mask().view(np.uint8), bitorder="little")
            allowed = np.flatnonzero(bits[:size]).tolist()
            assert allowed, "a token must be allowed"
            assert all(id < len(tokenizer) for id in allowed), "padded ids must not be"
            assert not {*allowed} & {*tokenizer.all_special_ids} - {tokenizer.eos_token_id}
            allowed.sort(key=lambda id: -lengths[id])
            id = chooser.choice(allowed[: max(1, len(allowed) // chooser.choice([1, 4, 16]))])
            if id == tokenizer.eos_token_id:
                break
            accept(id)
            ids.append(id)
            assert len(ids) < 500
        written.update(ids)
        # Whole characters only: no byte is replaced.
        yield tokenizer.core.decode_bytes(ids).decode()
    tokens = tokenizer.token_table().tokens
    assert any(b"\xc3" in tokens[id] and len(tokens[id]) == 1 for id in written)


@pytest.mark.parametrize(("kind", "holds"), [("regex", is_match), ("json", is_valid)])
def test_llguidance_allows_only_texts_that_match(
    tokenizer: SuperwordTokenizer, kind: str, holds: Callable[[str], bool]
) -> None:
    llguidance = pytest.importorskip("llguidance", reason="needs llguidance")
    masks = pytest.importorskip("llguidance.numpy", reason="needs llguidance")
    size = 1100
    ll_tokenizer = tokenizer.init_llguidance(vocab_size=size)
    assert ll_tokenizer.vocab_size == size
    text = "at the end of the naïve café"
    assert ll_tokenizer.tokenize_str(text) == tokenizer.core.encode(text)
    if kind == "regex":
        grammar = llguidance.LLMatcher.grammar_from_regex(REGEX)
    else:
        grammar = llguidance.LLMatcher.grammar_from_json_schema(
            SCHEMA, {"whitespace_flexible": False}
        )

    def start() -> tuple[Any, Any]:
        matcher = llguidance.LLMatcher(ll_tokenizer, grammar)
        assert not matcher.is_error(), matcher.get_error()

        def read_mask() -> Any:
            mask = masks.allocate_token_bitmask(1, size)
            masks.fill_next_token_bitmask(matcher, mask)
            return mask

        return read_mask, matcher.consume_token

    for text in sample_texts(tokenizer, size, start):
        assert holds(text), text


@pytest.mark.parametrize(("kind", "holds"), [("regex", is_match), ("json", is_valid)])
def test_xgrammar_allows_only_texts_that_match(
    tokenizer: SuperwordTokenizer, kind: str, holds: Callable[[str], bool]
) -> None:
    xgrammar = pytest.importorskip("xgrammar", reason="needs xgrammar")
    size = 1100
    info, stops = tokenizer.init_xgrammar(vocab_size=size)
    accept_in_xgrammar()
    accepted = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=size)
    assert accepted.decoded_vocab == info.decoded_vocab
    assert accepted.stop_token_ids == stops == [tokenizer.eos_token_id]
    compiler = xgrammar.GrammarCompiler(info)
    if kind == "regex":
        grammar = compiler.compile_regex(REGEX)
    else:
        grammar = compiler.compile_json_schema(json.dumps(SCHEMA), any_whitespace=False)

    def start() -> tuple[Any, Any]:
        matcher = xgrammar.GrammarMatcher(grammar)

        def read_mask() -> Any:
            mask = xgrammar.allocate_token_bitmask(1, size)
            matcher.fill_next_token_bitmask(mask)
            return mask.numpy()

        return read_mask, matcher.accept_token

    for text in sample_texts(tokenizer, size, start):
        assert holds(text), text


class TokenizerInfo:
    """Stands in for xgrammar's."""

    def __init__(self, tokens: list[bytes], *, vocab_size: int, stop_token_ids: list[int]) -> None:
        self.tokens, self.vocab_size, self.stop_token_ids = tokens, vocab_size, stop_token_ids

    @staticmethod
    def from_huggingface(tokenizer: Any, **kwargs: Any) -> Any:
        raise ValueError(f"Unsupported tokenizer type: {type(tokenizer)}")


@pytest.fixture
def xgrammar_stand_in(monkeypatch: pytest.MonkeyPatch) -> type[TokenizerInfo]:
    stand_in = ModuleType("xgrammar")
    info = type("TokenizerInfo", (TokenizerInfo,), {})
    stand_in.__dict__["TokenizerInfo"] = info
    monkeypatch.setitem(sys.modules, "xgrammar", stand_in)
    return info


def test_xgrammar_gets_empty_special_tokens_and_the_size_of_the_language_model(
    tokenizer: SuperwordTokenizer, xgrammar_stand_in: type[TokenizerInfo], tmp_path: Path
) -> None:
    info, stops = tokenizer.init_xgrammar()
    assert (info.vocab_size, info.stop_token_ids) == (len(tokenizer), [tokenizer.eos_token_id])
    assert [info.tokens[id] for id in tokenizer.all_special_ids] == [b"", b""]
    tool = tokenizer.convert_tokens_to_ids("<tool>")
    assert info.tokens[tool] == b"<tool>"
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama", "vocab_size": 1024}')
    loaded = SuperwordTokenizer.from_pretrained(tmp_path)
    assert loaded.init_xgrammar()[0].tokens == info.tokens + [b""] * (1024 - len(tokenizer))
    assert loaded.init_xgrammar(1056, stop_token_ids=[3, 4])[0].vocab_size == 1056
    assert loaded.init_xgrammar(stop_token_ids=[3, 4])[1] == [3, 4]


def test_xgrammar_takes_superword_tokenizers_and_treats_others_as_before(
    tokenizer: SuperwordTokenizer, xgrammar_stand_in: type[TokenizerInfo]
) -> None:
    with pytest.raises(ValueError, match="Unsupported"):
        xgrammar_stand_in.from_huggingface(tokenizer)
    accept_in_xgrammar()
    once = xgrammar_stand_in.from_huggingface
    accept_in_xgrammar()
    assert xgrammar_stand_in.from_huggingface is once
    info = once(tokenizer, vocab_size=1024, stop_token_ids=7)
    assert (info.vocab_size, info.stop_token_ids) == (1024, [7])
    with pytest.raises(ValueError, match="Unsupported"):
        once("another tokenizer")


def test_a_grammar_needs_a_token_that_ends_a_text(
    tok: Tokenizer, xgrammar_stand_in: type[TokenizerInfo]
) -> None:
    with pytest.raises(ValueError, match="set eos_token, or pass stop_token_ids"):
        SuperwordTokenizer(tok).init_xgrammar()


@pytest.mark.parametrize("library", ["xgrammar", "llguidance"])
def test_without_the_library_the_error_says_what_to_install(
    tok: Tokenizer, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    accept_in_xgrammar()
    with pytest.raises(ImportError, match=f"pip install {library}"):
        getattr(SuperwordTokenizer(tok), f"init_{library}")()
