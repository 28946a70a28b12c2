"""Extending a tokenizer: what is kept, what is added, what is rejected."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import CorpusError, ModelFormatError, Tokenizer
from superword.interop.byte_spelling import spell
from superword.interop.importing import import_tokenizer

BYTES = [bytes([byte]) for byte in range(256)]
MERGES = [(b"t", b"o"), (b" ", b"b"), (b" b", b"e"), (b" ", b"o")]
DOCUMENTS = ["to be or to be", "to be"]


def tokenizer_json(**changed: Any) -> dict[str, Any]:
    """Return a small tokenizer; ids start at 10, and one is unused."""
    tokens = [*BYTES, *(left + right for left, right in MERGES)]
    ids = [id for id in range(10, 400) if id != 20]
    whole: dict[str, Any] = {
        "added_tokens": [
            {"id": 5, "content": "<|end|>", "special": True},
            {"id": 500, "content": "<think>", "special": False},
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
        "model": {
            "type": "BPE",
            "vocab": {spell(token): id for token, id in zip(tokens, ids, strict=False)},
            "merges": [f"{spell(left)} {spell(right)}" for left, right in MERGES],
        },
    }
    whole["model"]["vocab"]["<|end|>"] = 5
    for name, value in changed.items():
        (whole if name in whole else whole["model"])[name] = value
    return whole


def saved(folder: Path, whole: dict[str, Any]) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_existing_ids_stay_and_superwords_follow(tmp_path: Path) -> None:
    path = saved(tmp_path, tokenizer_json())
    tok = superword.extend(path, DOCUMENTS, 1)
    assert tok.special_tokens == {"<|end|>": 5}
    assert tok.added_tokens == {"<think>": 500}
    assert tok.pattern == "gpt2"
    assert tok.token_id(b"\x00") == 10
    assert tok.token_id(b"\x0a") == 21  # 20 is unused.
    assert tok.token_id(b" o") == 270
    # "to" and " be" are neighbours twice, and " to" is two tokens. The new id is the last.
    assert tok.encode("to be") == [501]
    assert tok.is_superword(501)
    assert [(rule.kind, rule.token, rule.count) for rule in tok.rules][-2:] == [
        ("merge", b" o", 0),
        ("supermerge", b"to be", 2),
    ]
    assert tok.encode("to be<think>") == [501, 500]
    assert superword.extend(tmp_path, DOCUMENTS, 1) == tok  # Its folder.
    tok.save(tmp_path / "model.json")
    assert superword.load(tmp_path / "model.json") == tok


def test_nothing_added_is_the_base(tmp_path: Path) -> None:
    path = saved(tmp_path, tokenizer_json())
    base, tok = import_tokenizer(path), superword.extend(path, DOCUMENTS, 0)
    assert tok.fingerprint == base.fingerprint
    assert tok.encode("to be or") == [267, 269, 270, 125]
    assert tok.training.documents == 2


def test_superwords_of_a_base_grow() -> None:
    base = superword.train([" to be or", " to be or"], 264, deletion=None)
    assert base.encode(" to be or") == [base.token_id(b" to be or")]
    tok = superword.extend(base, [" to be or to be or"], 1, min_count=1)
    assert [rule.token for rule in tok.rules[len(base.rules) :]] == [b" to be or to be or"]
    assert tok.token_bytes(base.vocab_size) == b" to be or to be or"


def test_a_supermerge_may_spell_an_existing_token() -> None:
    # " ab" is a token by its merges in one split, and a superword of " a" and "b" in the other.
    base = superword.train(
        ["ab ab", "a b a b"], 258, pattern="ab| ?[ab]| ", eligible=".*", supermerges=False,
        deletion=None, min_count=1,
    )  # fmt: skip
    with pytest.warns(UserWarning, match="pairs for"):
        tok = superword.extend(base, ["a b", "a b"], 50, min_count=1)
    tokens = [token for _, token in tok._model.vocabulary()]
    assert len(tokens) == len(set(tokens))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"normalizer": {"type": "NFC"}}, "its normalizer NFC"),
        (
            {"normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}},
            "its normalizer Lowercase changes texts; approximate=True",
        ),
        ({"dropout": 0.1}, "dropout"),
        ({"type": "Unigram"}, "its model is Unigram"),
        ({"byte_fallback": True}, "byte_fallback"),
        ({"continuing_subword_prefix": "##"}, "continuing_subword_prefix"),
        ({"end_of_word_suffix": "</w>"}, "end_of_word_suffix"),
        ({"pre_tokenizer": None}, "no pre-tokenizer"),
        ({"pre_tokenizer": {"type": "Whitespace"}}, "its pre-tokenizer is Whitespace"),
        (
            {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True}},
            "add_prefix_space",
        ),
        (
            {"added_tokens": [{"id": 5, "content": "<|end|>", "lstrip": True}]},
            '"<|end|>" is matched with lstrip',
        ),
        ({"merges": ["t o"]}, "no merge makes the token"),
    ],
)
def test_unsupported_features_are_rejected_by_name(
    changed: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    path = saved(tmp_path, tokenizer_json(**changed))
    with pytest.raises(ModelFormatError) as refused:
        superword.extend(path, DOCUMENTS, 1)
    assert reason in str(refused.value)
    assert str(refused.value).startswith(f"{path}: ")


def test_some_of_it_can_be_left_out(tmp_path: Path) -> None:
    path = saved(tmp_path, tokenizer_json(normalizer={"type": "NFC"}))
    with pytest.warns(UserWarning, match="NFC changes texts, except .* in NFC already; ignored"):
        tok = superword.extend(path, DOCUMENTS, 1, approximate=True)
    assert tok.encode("to be") == [501]


def test_tokens_that_merges_do_not_make_are_looked_up_as_whole_pretokens(tmp_path: Path) -> None:
    whole = tokenizer_json(ignore_merges=True)
    tok = import_tokenizer(saved(tmp_path, whole))
    assert tok.encode("to be") == [267, 269] and not tok._model.lookup_tokens
    # "abc" is (a, bc), but "ab" is merged first: only ignore_merges gives it.
    for left, right in [("a", "b"), ("b", "c"), ("a", "bc")]:
        whole["model"]["merges"].append(f"{left} {right}")
        whole["model"]["vocab"][left + right] = 300 + len(whole["model"]["merges"])
    tok = import_tokenizer(saved(tmp_path, whole))
    assert tok._model.lookup_tokens == [b"abc"]
    assert tok.encode("abc") == [307] and tok.encode("abcd") == [305, 10 + 1 + ord("c"), 111]
    whole["model"]["ignore_merges"] = False
    assert import_tokenizer(saved(tmp_path, whole)).encode("abc") == [305, 10 + 1 + ord("c")]


def tiktoken_file(path: Path) -> Path:
    tokens = [*reversed(BYTES), *(left + right for left, right in MERGES)]
    lines = [base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)]
    path.write_bytes(b"".join(lines))
    return path


def test_a_tiktoken_file_needs_its_pattern(tmp_path: Path) -> None:
    path = tiktoken_file(tmp_path / "small.tiktoken")
    with pytest.raises(ModelFormatError, match=r"pass it .* or put small.tiktoken.json"):
        superword.extend(path, DOCUMENTS, 1)
    tok = superword.extend(path, DOCUMENTS, 1, pattern="gpt4", special_tokens={"<|end|>": 999})
    assert tok.token_id(b"\xff") == 0
    assert tok.token_id(b"to") == 256
    assert tok.encode("to be") == [1000]
    about = {"pat_str": "gpt2", "special_tokens": {"<|end|>": 300}}
    (tmp_path / "small.tiktoken.json").write_text(json.dumps(about))
    assert superword.extend(path, DOCUMENTS, 1).encode("to be") == [301]


def test_tiktoken_files_of_openai_are_known_by_their_names(tmp_path: Path) -> None:
    path = tiktoken_file(tmp_path / "o200k_base.tiktoken")
    tok = import_tokenizer(path)
    assert tok.pattern == "gpt4o"
    assert tok.special_tokens == {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}


def test_an_export_is_a_base(tmp_path: Path) -> None:
    documents = [*superword.sample()][:3]
    plain = superword.train(
        documents, 500, supermerges=False, deletion=None, special_tokens=["<|end|>"]
    )
    superword.export(plain, tmp_path / "tokenizer.json", "tokenizer.json")
    superword.export(plain, tmp_path / "plain.tiktoken", "tiktoken")
    for name in ("tokenizer.json", "plain.tiktoken"):
        assert import_tokenizer(tmp_path / name).fingerprint == plain.fingerprint
        tok = superword.extend(tmp_path / name, documents, 20)
        assert tok.fingerprint == superword.extend(plain, documents, 20).fingerprint


def test_invalid_arguments_are_rejected(tmp_path: Path) -> None:
    base = superword.train(DOCUMENTS, 258, supermerges=False, deletion=None)
    two_stages = superword.train(DOCUMENTS, 258, supermerges=False, deletion=None, transition=257)
    with pytest.raises(ValueError, match="add must be at least 0"):
        superword.extend(base, DOCUMENTS, -1)
    with pytest.raises(ValueError, match="min_count must be at least 1"):
        superword.extend(base, DOCUMENTS, 1, min_count=0)
    with pytest.raises(ValueError, match="for tiktoken files"):
        superword.extend(base, DOCUMENTS, 1, pattern="gpt2")
    with pytest.raises(ValueError, match="for tiktoken files"):
        superword.extend(saved(tmp_path, tokenizer_json()), DOCUMENTS, 1, pattern="gpt2")
    with pytest.raises(ValueError, match="SuperBPE"):
        superword.extend(two_stages, DOCUMENTS, 1)
    with pytest.raises(CorpusError, match="no text"):
        superword.extend(base, [""], 1)


def test_threads_and_memory_change_nothing() -> None:
    documents = [*superword.sample()][:10]
    base: Tokenizer = superword.train(documents, 1000, supermerges=False, deletion=None)
    one = superword.extend(base, documents, 300, threads=1)
    assert superword.extend(base, documents, 300, threads=3, memory_limit="256MB") == one
    assert superword.extend(base, reversed(documents), 300, verify_every=100) == one
