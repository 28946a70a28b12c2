"""Folders and pickles that an older version saved still open: tests/data/before/README.md."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import superword

BEFORE = Path(__file__).parents[1] / "data" / "before"
IDS: dict[str, list[int]] = json.loads((BEFORE / "ids.json").read_text(encoding="utf-8"))


def test_a_pickled_tokenizer() -> None:
    tok = pickle.loads((BEFORE / "tokenizer.pickle").read_bytes())
    assert isinstance(tok, superword.Tokenizer)
    assert {text: tok.encode(text, allowed_special="all") for text in IDS} == IDS
    assert tok == superword.load(BEFORE / "transformers" / "superword.json")
    assert pickle.loads(pickle.dumps(tok)) == tok


def test_a_pickled_tiktoken_adapter() -> None:
    adapter = pickle.loads((BEFORE / "tiktoken.pickle").read_bytes())
    assert {text: adapter.encode(text, allowed_special="all") for text in IDS} == IDS
    assert pickle.loads(pickle.dumps(adapter)) == adapter


@pytest.mark.parametrize("trust_remote_code", [True, False])
def test_a_folder_of_transformers(trust_remote_code: bool) -> None:
    transformers = pytest.importorskip("transformers")
    import superword.transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(
        BEFORE / "transformers", trust_remote_code=trust_remote_code
    )
    assert {text: tokenizer(text)["input_ids"] for text in IDS} == IDS
    assert isinstance(tokenizer.core, superword.Tokenizer)
    assert type(tokenizer) is superword.transformers.SuperwordTokenizer
