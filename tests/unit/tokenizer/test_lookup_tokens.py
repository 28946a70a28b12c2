"""Tokens that are looked up: pretokens that are tokens before any merge, as in Llama 3."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers

import superword
from superword import ExportError, ModelFormatError, Tokenizer
from superword.interop.byte_spelling import spell
from superword.tokenizer.inspection import inspect
from superword.vocabularies import VOCABULARIES

LLAMA3 = VOCABULARIES["llama3"].pattern
DOCUMENTS = list(superword.sample())[::6]
BYTES = [bytes([byte]) for byte in range(256)]

LookUp = Callable[[Tokenizer, list[bytes]], Tokenizer]


@pytest.fixture(scope="module")
def plain() -> Tokenizer:
    """Return a plain BPE with the pattern of Llama 3."""
    return superword.train(
        DOCUMENTS,
        700,
        pattern="llama3",
        supermerges=False,
        deletion=None,
        special_tokens=["<|end_of_text|>"],
    )


@pytest.fixture(scope="module")
def llama(plain: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a `tokenizer.json` as Llama 3's, umbrella lists every merge that spells a token.

    Some of its tokens are words that merges do not make.
    """
    words = [
        b" umbrella",
        b" giraffe",
        b" people",
        b"Therefore",
        b" umbr",
        " naïve".encode(),
        b"\n\n \n",
    ]
    tokens = [*dict(plain._model.vocabulary()).values(), *words]
    ranks = {token: rank for rank, token in enumerate(dict.fromkeys(tokens))}
    cuts = ((token[:at], token[at:]) for token in ranks for at in range(1, len(token)))
    merges = [(spell(a), spell(b)) for a, b in cuts if a in ranks and b in ranks]
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            {spell(token): rank for token, rank in ranks.items()}, merges, ignore_merges=True
        )
    )
    pre = tokenizers.pre_tokenizers
    split = pre.Split(tokenizers.Regex(LLAMA3), "isolated")
    theirs.pre_tokenizer = pre.Sequence([split, pre.ByteLevel(False, use_regex=False)])
    theirs.add_special_tokens(["<|end_of_text|>"])
    path = tmp_path_factory.mktemp("llama") / "tokenizer.json"
    theirs.save(str(path))
    return path


TEXTS = [
    *DOCUMENTS,
    " umbrella giraffe",
    "Therefore people",
    "\n\n \n",
    " umbrellas",
    " naïve naïvely",
]


def test_a_file_like_that_of_llama_3_has_the_ids_of_its_library(llama: Path) -> None:
    tok, theirs = superword.open_base(llama), tokenizers.Tokenizer.from_file(str(llama))
    assert b" umbrella" in tok._model.lookup_tokens
    expected = [encoding.ids for encoding in theirs.encode_batch(TEXTS)]
    assert tok.encode_ordinary_batch(TEXTS) == expected
    assert [tok.decode(ids) for ids in expected] == TEXTS
    merging = json.loads(llama.read_text())
    merging["model"]["ignore_merges"] = False
    without = tokenizers.Tokenizer.from_str(json.dumps(merging))
    assert [encoding.ids for encoding in without.encode_batch(TEXTS)] != expected


def test_it_is_written_with_ignore_merges_again(llama: Path, tmp_path: Path) -> None:
    tok = superword.open_base(llama)
    assert superword.export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    assert json.loads((tmp_path / "tokenizer.json").read_text())["model"]["ignore_merges"] is True
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert [e.ids for e in again.encode_batch(TEXTS)] == tok.encode_ordinary_batch(TEXTS)
    assert superword.open_base(tmp_path).fingerprint == tok.fingerprint
    grown = superword.extend(tok, [" umbrellas naïvely"] * 9, 9, kind="merges")
    assert superword.export(grown, tmp_path / "grown.json", "tokenizer.json")
    with pytest.raises(ExportError, match="is a supermerge"):
        superword.export(
            superword.extend(tok, DOCUMENTS, 9), tmp_path / "super.json", "tokenizer.json"
        )


def test_superwords_join_looked_up_words(llama: Path) -> None:
    tok = superword.open_base(llama)
    extended = superword.extend(tok, [" umbrella giraffe"] * 5, 1)
    assert [rule.token for rule in extended.rules[len(tok.rules) :]] == [b" umbrella giraffe"]
    assert len(extended.encode(" umbrella giraffe")) == 1
    assert [step.units for step in extended.explain(" umbrella giraffe")] == [
        [[b" umbrella"], [b" giraffe"]],
        [[b" umbrella giraffe"]],
    ]
    assert superword.map_ids(tok, extended)["added"] == [
        (tok.n_vocab, tok.encode(" umbrella giraffe"))
    ]


def test_a_stream_holds_back_what_may_become_a_looked_up_token(llama: Path) -> None:
    tok = superword.open_base(llama)
    stream = tok.encode_stream()
    assert stream.feed("a umbrell") == tok.encode("a")
    assert stream.held_back == b" umbrell"
    assert stream.feed("a") + stream.finish() == tok.encode(" umbrella")
    ids, held_back = tok.encode_prompt("a umbrell")
    assert ids == tok.encode("a") and held_back == b" umbrell"


def tiktoken_ranks(words: list[bytes]) -> dict[bytes, int]:
    return {token: rank for rank, token in enumerate([*BYTES, *words])}


def open_ranks(folder: Path, ranks: dict[bytes, int]) -> Tokenizer:
    lines = [base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items()]
    (folder / "a.tiktoken").write_bytes(b"".join(lines))
    return superword.open_base(folder / "a.tiktoken", pattern="gpt2")


def test_a_tiktoken_file_is_looked_up_and_written_again(tmp_path: Path) -> None:
    # "abc" giraffe be (ab, c), but "bc" is merged first, and nothing makes "xyz".
    ranks = tiktoken_ranks([b"bc", b"ab", b"abc", b"xyz"])
    tok = open_ranks(tmp_path, ranks)
    assert tok._model.lookup_tokens == [b"xyz"]
    theirs = tiktoken.Encoding(
        "a", pat_str=r" ?\p{L}+|\s+|.", mergeable_ranks=ranks, special_tokens={}
    )
    for text in ["abc", "xyz", "xyzz", "abcabc", "ab xyz"]:
        assert tok.encode(text) == theirs.encode(text)
    assert tok.as_tiktoken()._mergeable_ranks == ranks
    assert superword.export(tok, tmp_path / "b.tiktoken", "tiktoken")
    assert (tmp_path / "b.tiktoken").read_bytes() == (tmp_path / "a.tiktoken").read_bytes()


def test_tiktoken_is_refused_where_it_would_merge_more(plain: Tokenizer, look_up: LookUp) -> None:
    tok = look_up(plain, [b"qqq", b"qq"])
    assert tok.encode("qqqq") == [ord("q")] * 4
    with pytest.raises(AttributeError, match="tiktoken would also merge b'qqq', which is looked"):
        tok.as_tiktoken()._mergeable_ranks  # noqa: B018


def test_llama_cpp_looks_up_with_the_pattern_of_llama_3_only(
    plain: Tokenizer, look_up: LookUp, tmp_path: Path
) -> None:
    pytest.importorskip("gguf")
    other = superword.train(
        DOCUMENTS, 300, pattern="gpt2", supermerges=False, deletion=None, special_tokens=["<s>"]
    )
    with pytest.raises(ExportError, match="llama.cpp does so only with the pattern llama3"):
        superword.export(look_up(other, [b" umbrella"]), tmp_path / "a.gguf", "gguf")


def test_the_file_lists_them(plain: Tokenizer, look_up: LookUp) -> None:
    tok = look_up(plain, [b" umbrella", b"\xff\xfe"])
    file = json.loads(tok._model.to_json())
    assert file["version"] == 2 and file["requires"] == ["lookup_tokens"]
    assert file["lookup_tokens"] == [" umbrella", {"hex": "fffe"}]
    again = Tokenizer._from_json(tok._model.to_json())
    assert again == tok and pickle.loads(pickle.dumps(tok)) == tok
    assert again.encode(" umbrella") == [701]
    assert tok.fingerprint == again.fingerprint != plain.fingerprint
    assert look_up(plain, [b"\xff\xfe", b" umbrella"]).fingerprint != tok.fingerprint
    assert tok.with_special_tokens(["<s>"])._model.lookup_tokens == tok._model.lookup_tokens


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"requires": []}, "lookup_tokens must be both a field and listed in requires"),
        (
            {"lookup_tokens": [" umbrella", " umbrella"]},
            '" umbrella" must have two bytes or more, and',
        ),
        ({"lookup_tokens": ["a"]}, 'the looked-up token "a" must have two bytes or more'),
        ({"lookup_tokens": [" umbrella", "never"]}, 'the looked-up token "never" has no id'),
        ({"lookup_tokens": []}, 'no rule makes the token " umbrella"'),
        ({"version": 1}, "unknown field `requires` in version 1"),
        ({"deletion": "bytes"}, "a model with deletion has no looked-up tokens"),
        (
            {"transition": 300, "first_pattern": "gpt2"},
            "a model with a second stage has no looked-up tokens",
        ),
    ],
)
def test_errors_say_what_is_wrong(
    plain: Tokenizer, look_up: LookUp, change: dict[str, Any], message: str
) -> None:
    file = json.loads(look_up(plain, [b" umbrella"])._model.to_json())
    for name, value in change.items():
        (file if name in file else file["parameters"])[name] = value
    with pytest.raises(ModelFormatError) as caught:
        Tokenizer._from_json(json.dumps(file).encode())
    assert message in str(caught.value)


def test_they_stay_when_a_model_is_pruned_and_keep_it_from_being_truncated(
    plain: Tokenizer, look_up: LookUp
) -> None:
    tok = look_up(plain, [b" umbrella", b" giraffe"])
    pruned = superword.prune(tok, DOCUMENTS, to=259).tokenizer
    assert pruned.vocab_size == 258
    assert list(map(pruned.token_bytes, pruned.encode(" umbrella giraffe"))) == [
        b" umbrella",
        b" giraffe",
    ]
    with pytest.raises(ValueError, match="to must be at least 259, since single bytes, special"):
        superword.prune(tok, DOCUMENTS, to=258)
    with pytest.raises(ValueError, match="looked-up token"):
        tok._model.prune([701])
    with pytest.raises(ValueError, match="ids are not those of training"):
        tok.truncate(500)


def test_inspect_counts_them(plain: Tokenizer, look_up: LookUp) -> None:
    found = inspect(look_up(plain, [b" umbrella", b" giraffe"]))
    assert found.lookup_count == found.as_json()["lookup_count"] == 2
