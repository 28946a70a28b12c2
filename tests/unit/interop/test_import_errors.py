"""Files that cannot be imported are refused in a sentence that names them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import ModelFormatError
from superword.interop.tokenizer_json import write_tokenizer_json

BIGGEST = "an id must be from 0 to 4294967295"
ADDED = {"id": 5000, "content": "xx", "special": False, "normalized": False}


@cache
def written() -> str:
    tok = superword.train(
        ["to be or not to be"] * 2, 260, pattern="gpt2", supermerges=False, deletion=None
    )
    return write_tokenizer_json(tok, is_exact=True).decode()


def tekken(**config: Any) -> dict[str, Any]:
    tokens = [*(bytes([byte]) for byte in range(256)), b"th"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode()}
        for rank, token in enumerate(tokens)
    ]
    sizes = {"default_vocab_size": 277, "default_num_special_tokens": 20}
    return {"config": {"pattern": "a+"} | sizes | config, "vocab": vocab}


def check(path: Path, sentence: str, **options: Any) -> None:
    with pytest.raises(ModelFormatError) as refused:
        superword.open_base(path, **options)
    assert sentence in str(refused.value)
    assert str(refused.value).startswith(f"{path}: ")


CHANGES: list[tuple[Callable[[Any], object], str]] = [
    (lambda d: d["model"]["merges"].append("a b c"), 'its merge "a b c" is not of two tokens'),
    (lambda d: d["model"]["merges"].append(["a"]), "a merge is not of two tokens at line 1"),
    (lambda d: d["model"]["merges"].append(3), "expected two tokens, or a string of both"),
    (lambda d: d["model"]["vocab"].update(zz=2**32), BIGGEST),
    (lambda d: d["model"]["vocab"].update(zz=2**70), BIGGEST),
    (lambda d: d["model"]["vocab"].update(zz=-1), BIGGEST),
    (lambda d: d["model"]["vocab"].update(zz=1.5), "expected an id"),
    (lambda d: d["model"]["vocab"].update(to=0), "ids must ascend"),
    (lambda d: d["model"]["vocab"].update({"a b": 900}), '"a b" does not spell bytes'),
    (lambda d: d["model"].update(vocab=[["a", 0]]), "its vocabulary is a list"),
    (lambda d: d["model"].pop("merges"), "its model lacks vocab or merges"),
    (lambda d: d.update(model=3), "expected an object"),
    (lambda d: d.update(model={"type": "WordPiece"}), "its model is WordPiece"),
    (lambda d: d.pop("model"), "neither a superword model nor a tokenizer.json"),
    (lambda d: d.update(pre_tokenizer={"type": "Sequence"}), "its pre-tokenizer is empty"),
    (lambda d: d["added_tokens"].append(ADDED | {"content": "\ud800"}), "a lone surrogate"),
    (lambda d: d["added_tokens"].append(ADDED | {"content": ""}), "is empty"),
    (lambda d: d["added_tokens"].append(ADDED | {"id": 5}), "which another token has"),
    # " x" is looked up, and "Ġx" is an added token with the same id.
    (
        lambda d: (
            d["model"].update(ignore_merges=True),
            d["model"]["vocab"].update({"Ġx": 5000}),
            d["added_tokens"].append(ADDED | {"content": "Ġx"}),
        ),
        "which another token has",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), CHANGES)
def test_a_changed_tokenizer_json(
    change: Callable[[Any], object], sentence: str, tmp_path: Path
) -> None:
    described = json.loads(written())
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(described))
    superword.open_base(path)
    change(described)
    path.write_text(json.dumps(described))
    check(path, sentence)
    check(path, sentence, approximate=True)


NESTED = b'{"type": "Sequence", "normalizers": ['


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"model": {"type": "\xff"}}', "invalid unicode code point"),
        (b'{"model": ' * 100_000, "neither a superword model, a tokenizer.json nor a tiktoken"),
        (b'{"model": {}, "normalizer": %s}' % (NESTED * 300 + b"0" + b"]}" * 300), "too deeply"),
        (b'{"model": {"vocab": %s}}' % (b"[" * 10_000 + b"]" * 10_000), "no pre-tokenizer"),
        (b'{"model": 1, "model": 2}', "duplicate field `model`"),
        (b"YQ== 0\nYg==\n", "line 2: not a token in base 64 and its rank, as other lines are"),
        (b"YQ== 0\n\nYg= 1\n", "line 3: not a token in base 64"),
        (b"YQ== 0\nYg== 4294967296\n", f"line 2: {BIGGEST}"),
    ],
)
def test_damaged_files(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "o200k_base.tiktoken"
    path.write_bytes(content)
    check(path, sentence)


@pytest.mark.parametrize(
    ("described", "sentence"),
    [
        # They are not listed, so a small file could ask for any amount of memory.
        (tekken(default_num_special_tokens=2**32 - 1), "it must be at most 65536"),
        (tekken(default_num_special_tokens=2**32), BIGGEST),
        (tekken(pattern=3), "not a tekken.json as Mistral writes it"),
        (tekken() | {"vocab": [{"rank": 0, "token_bytes": "a"}]}, "of rank 0 are not in base 64"),
    ],
)
def test_damaged_tekken_files(described: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(tekken()))
    assert len(superword.open_base(path).special_tokens) == 20
    path.write_text(json.dumps(described))
    check(path, sentence)


def test_overlaps_of_many_added_tokens_are_found_without_comparing_all_pairs(
    tmp_path: Path,
) -> None:
    described = json.loads(written())
    path = tmp_path / "tokenizer.json"
    for at in range(30_000):
        content, normalized = f"<{at}>", at % 2 == 0
        described["added_tokens"].append(
            ADDED | {"id": 5000 + at, "content": content, "normalized": normalized}
        )
    path.write_text(json.dumps(described))
    assert len(superword.open_base(path).added_tokens) == 30_000
    described["added_tokens"].append(ADDED | {"id": 50_000, "content": "12>", "normalized": False})
    path.write_text(json.dumps(described))
    check(path, 'added tokens "12>" and "<12>" may overlap')


def test_overlaps_are_one_warning(tmp_path: Path) -> None:
    described = json.loads(written())
    for at, (content, normalized) in enumerate([("ab", False), ("bc", True), ("xab", True)]):
        described["added_tokens"].append(
            ADDED | {"id": 5000 + at, "content": content, "normalized": normalized}
        )
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(described))
    with pytest.warns(UserWarning) as warned:
        superword.open_base(path, approximate=True)
    (sentence,) = [str(warning.message) for warning in warned]
    assert sentence.startswith(f"{path}: its added tokens")
    assert sentence.endswith("in another order (normalized); ignored")
    assert warned[0].filename == __file__


def test_a_malformed_regex_is_an_error_of_patterns(tmp_path: Path) -> None:
    described = json.loads(written())
    described["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "("
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(described))
    with pytest.raises(superword.PatternError):
        superword.open_base(path)
