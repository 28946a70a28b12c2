"""`superword.export`: the files, opened with their libraries."""

from __future__ import annotations

import base64
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

import superword
from superword import ExportError, Rule, Tokenizer
from superword.exporting import Format, compare_export, export
from superword.interop import import_tokenizer
from superword.interop.export_checks import explain_no_ranks
from superword.tokenizer import TrainingConfig
from superword.tokenizer.rank_checks import explain_no_tiktoken

SECOND_PATTERN = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
SPECIAL = ["<|end|>", "<|pad|>"]


def merges(*pairs: tuple[bytes, bytes], pattern: str = ".+") -> Tokenizer:
    """Return a model with these merges, in order."""
    rules = [
        Rule(index, "merge", left, right, count=1) for index, (left, right) in enumerate(pairs)
    ]
    settings = TrainingConfig(pattern=pattern, supermerges=False, deletion=None)
    return Tokenizer._from_rules(rules, settings)


@pytest.fixture(scope="module", params=["gpt2", "gpt4", "gpt4o", "punct", "boundless"])
def plain(request: pytest.FixtureRequest) -> Tokenizer:
    return superword.train(
        superword.sample(),
        2000,
        pattern=request.param,
        supermerges=False,
        deletion=None,
        special_tokens=SPECIAL,
    )


@pytest.fixture(scope="module")
def boundless() -> Tokenizer:
    return superword.train(superword.sample(), 2000, deletion=None)


def opened(tok: Tokenizer, path: Path) -> tokenizers.Tokenizer:
    assert export(tok, path, "tokenizer.json")
    return tokenizers.Tokenizer.from_file(str(path))


def opened_tiktoken(tok: Tokenizer, path: Path) -> tiktoken.Encoding:
    assert export(tok, path, "tiktoken")
    about = json.loads(path.with_name(path.name + ".json").read_text())
    return tiktoken.Encoding(
        "exported",
        pat_str=about["pat_str"],
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens=about["special_tokens"],
    )


TEXTS = [
    "",
    "The end of the day isn't here, said XMLHttpRequest's snake_case 1234567.",
    "  two  spaces\r\n\n\ttabs — “quotes” … naïve café 猫猫 🐈‍⬛ नमस्ते ﷽",
    "don't DON'T I'll o’clock a1b2c3 !!!??? -- ///\n",
]


def test_a_plain_bpe_is_the_same_as_its_tokenizer_json(plain: Tokenizer, tmp_path: Path) -> None:
    other = opened(plain, tmp_path / "tokenizer.json")
    for text in [*TEXTS, *islice(superword.sample(), 5)]:
        assert other.encode(text).ids == plain.encode(text)
        assert other.decode(other.encode(text).ids) == text


def test_a_plain_bpe_is_the_same_as_its_tiktoken_file(plain: Tokenizer, tmp_path: Path) -> None:
    other = opened_tiktoken(plain, tmp_path / "plain.tiktoken")
    for text in [*TEXTS, *islice(superword.sample(), 5)]:
        assert other.encode_ordinary(text) == plain.encode(text)


def test_special_tokens_keep_their_ids(plain: Tokenizer, tmp_path: Path) -> None:
    text = "to be<|end|><|pad|> or not"
    expected = plain.encode(text, allowed_special="all")
    assert opened(plain, tmp_path / "tokenizer.json").encode(text).ids == expected
    other = opened_tiktoken(plain, tmp_path / "plain.tiktoken")
    assert other.encode(text, allowed_special="all") == expected
    assert other.n_vocab == plain.vocab_size + 2


def test_offsets_of_the_other_library_are_ours(plain: Tokenizer, tmp_path: Path) -> None:
    other = opened(plain, tmp_path / "tokenizer.json")
    for text in TEXTS:
        assert other.encode(text).offsets == plain.encode_with_offsets(text)[1].characters


def test_merges_under_a_second_pattern_are_exact_too(tmp_path: Path) -> None:
    # SuperBPE's last stage: merges across words, within the pretokens of its pattern.
    first = superword.train(
        superword.sample(), 1000, pattern="gpt4o", supermerges=False, deletion=None
    )
    rules = [
        *first.rules,
        Rule(len(first.rules), "merge", b" of", b" the", count=1),
        Rule(len(first.rules) + 1, "merge", b" the", b" end", count=1),
        Rule(len(first.rules) + 2, "merge", b" of the", b" day", count=1),
    ]
    settings = TrainingConfig(pattern=SECOND_PATTERN, supermerges=False, deletion=None)
    tok = Tokenizer._from_rules(rules, settings)
    other = opened(tok, tmp_path / "tokenizer.json")
    assert tok.tokens("at the end of the day") == ["at", " the end", " of the day"]
    for text in [*TEXTS, *islice(superword.sample(), 5)]:
        assert other.encode(text).ids == tok.encode(text)


# Their matches leave gaps, and the last one none that its texts show.
GAPS = [SECOND_PATTERN, r"\p{L}+", r"(?i)the|\d", r" ?\w+|[^\w\s]+|\s+(?!\S)|\s+"]
FORMATS: list[Format] = ["tokenizer.json", "tiktoken"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("pattern", GAPS)
def test_text_that_a_pattern_leaves_unmatched_is_kept(
    tmp_path: Path, pattern: str, format: Format
) -> None:
    documents = list(islice(superword.sample(), 20))
    tok = superword.train(documents, 600, pattern=pattern, supermerges=False, deletion=None)
    path = tmp_path / format
    assert export(tok, path, format)
    found = compare_export(tok, path, format, [*TEXTS, *documents])
    assert found.differing_documents == 0
    # Imported again, it has its own pattern, not the longer one.
    again = import_tokenizer(path)
    assert again.pattern == tok.pattern
    assert again.encode_ordinary_batch(TEXTS) == tok.encode_ordinary_batch(TEXTS)
    assert export(again, tmp_path / "again", format)


@pytest.mark.parametrize("format", FORMATS)
def test_an_extended_model_is_exact_only_without_superwords(tmp_path: Path, format: Format) -> None:
    documents = list(islice(superword.sample(), 20))
    base = superword.train(documents, 600, pattern="gpt4o", supermerges=False, deletion=None)
    assert export(superword.extend(base, documents, 0), tmp_path / format, format)
    with pytest.raises(ExportError, match="is a supermerge"):
        export(superword.extend(base, documents, 20), tmp_path / format, format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("first", ["gpt4o", "punct", "boundless"])
def test_superbpe_is_exact(tmp_path: Path, first: str, format: Format) -> None:
    documents = list(islice(superword.sample(), 50))
    tok = superword.train(
        documents, 1200, pattern=first, transition=700, supermerges=False, deletion=None
    )
    assert any(b" " in rule.token.strip() for rule in tok.rules)
    path = tmp_path / format
    assert export(tok, path, format)
    assert compare_export(tok, path, format, [*TEXTS, *documents]).differing_documents == 0


@pytest.mark.parametrize("pattern", [r"(?<w>\p{L}+)", r"(\p{L})\1"])
def test_a_pattern_that_cannot_stand_twice_is_refused(tmp_path: Path, pattern: str) -> None:
    tok = merges((b"t", b"o"), pattern=pattern)
    assert export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    with pytest.raises(ExportError, match="may leave text unmatched, which tiktoken drops"):
        export(tok, tmp_path / "to.tiktoken", "tiktoken")


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_differs_on_the_built_in_texts_is_not_called_exact(
    tmp_path: Path, format: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In a file with the pattern of another model.
    monkeypatch.setattr("superword.patterns.NAMED_PATTERNS", {"gpt4o": r"\s|\S"})
    tok = superword.train(
        superword.sample(), 600, pattern="gpt4o", supermerges=False, deletion=None
    )
    path = tmp_path / format
    with pytest.raises(ExportError, match="the library encodes .The end of the day.* differently"):
        export(tok, path, format)
    assert list(tmp_path.iterdir()) == []
    if format == "tokenizer.json":
        assert not export(tok, path, format, approximate=True)
        assert json.loads(path.read_text())["model"]["superword"]["exact"] is False


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_the_library_cannot_use_is_refused(tmp_path: Path, format: Format) -> None:
    # superword ignores empty matches.
    tok = merges((b"t", b"o"), pattern="a*")
    with pytest.raises(ExportError, match="differently|tiktoken fails on a text"):
        export(tok, tmp_path / format, format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("format", "library"), [("tokenizer.json", "tokenizers"), ("tiktoken", "tiktoken")]
)
def test_a_file_that_could_not_be_compared_has_a_warning(
    tmp_path: Path, format: Format, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.warns(UserWarning, match=f"was not compared with the model: .* needs {library}"):
        assert export(merges((b"t", b"o")), tmp_path / format, format)


# Two merges make abc, and the rule between them joins it to d. Rules in order do not go back to it.
TWICE = [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"abc", b"d"), (b"a", b"bc")]


def test_rules_that_ranks_cannot_express_are_rejected(tmp_path: Path) -> None:
    tok = merges(*TWICE)
    with pytest.raises(ExportError, match="rules 2 and 4 make b'abc' and rule 3, between them"):
        export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    with pytest.raises(ExportError, match="rules 2 and 4"):
        export(tok, tmp_path / "tokenizer.tiktoken", "tiktoken")
    assert list(tmp_path.iterdir()) == []
    # If the two merges are adjacent, there is no rule in between.
    tok = merges(*TWICE[:3], TWICE[4], TWICE[3])
    assert explain_no_ranks(tok) is None


def test_tiktoken_would_merge_pairs_that_no_rule_joins() -> None:
    # bc is made before ab, so the bytes of abc become a and bc, and no rule joins these.
    tok = merges((b"b", b"c"), (b"a", b"b"), (b"ab", b"c"))
    assert explain_no_ranks(tok) is None
    assert explain_no_tiktoken(tok) == "the token b'abc' is not what its own bytes merge to"


pieces = st.sampled_from([b"a", b"b", b"c"])


@st.composite
def models(draw: st.DrawFn) -> Tokenizer:
    """Return models of random merges, each of tokens that earlier ones make."""
    tokens = [b"a", b"b", b"c"]
    pairs: list[tuple[bytes, bytes]] = []
    for _ in range(draw(st.integers(1, 9))):
        pair = (draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens)))
        if pair not in pairs:
            pairs.append(pair)
            tokens.append(pair[0] + pair[1])
    return merges(*pairs)


texts = st.lists(st.text("abc", max_size=40), min_size=1, max_size=30)


@settings(max_examples=20)
@given(models(), texts)
def test_an_exact_export_is_exact(
    tmp_path_factory: pytest.TempPathFactory, tok: Tokenizer, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("exported")
    if explain_no_ranks(tok) is None:
        other = opened(tok, folder / "tokenizer.json")
        for text in texts:
            assert other.encode(text).ids == tok.encode(text)
    if explain_no_tiktoken(tok) is None:
        ranked = opened_tiktoken(tok, folder / "tiktoken")
        for text in texts:
            assert ranked.encode_ordinary(text) == tok.encode(text)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"deletion": None}, "is a supermerge"),
        ({"supermerges": False, "deletion": "pair"}, "deletes a token"),
    ],
)
def test_models_with_other_rules_are_refused_unless_the_nearest_will_do(
    tmp_path: Path, options: dict[str, Any], reason: str
) -> None:
    tok = superword.train(superword.sample(), 1000, **options)
    path = tmp_path / "tokenizer.json"
    with pytest.raises(ExportError, match=reason):
        export(tok, path, "tokenizer.json")
    with pytest.raises(ExportError, match=reason):
        export(tok, path, "tiktoken", approximate=True)
    assert list(tmp_path.iterdir()) == []
    assert not export(tok, path, "tokenizer.json", approximate=True)
    assert json.loads(path.read_text())["model"]["superword"] == {
        "exact": False,
        "fingerprint": tok.fingerprint,
    }
    other = tokenizers.Tokenizer.from_file(str(path))
    documents = list(islice(superword.sample(), 5))
    for text in [*TEXTS, *documents]:
        ids = other.encode(text).ids
        assert tok.decode(ids) == text  # So every id is one of the model's.
    found = compare_export(tok, path, "tokenizer.json", documents)
    assert found.documents == 5
    assert found.tokens == sum(len(tok.encode(text)) for text in documents)
    assert 0 < found.differing_tokens < 0.01 * found.tokens


def test_differences_are_counted_by_position(boundless: Tokenizer, tmp_path: Path) -> None:
    # On a part of a word: " thexyz" is two tokens, the first " the".
    path = tmp_path / "tokenizer.json"
    export(boundless, path, "tokenizer.json", approximate=True)
    assert boundless.tokens("end of thexyz") == ["end", " of", " the", "x", "y", "z"]
    other = tokenizers.Tokenizer.from_file(str(path)).encode("end of thexyz").ids
    assert [boundless.token_bytes(id) for id in other][1] == b" of the"
    found = compare_export(boundless, path, "tokenizer.json", ["end of thexyz", "end of the"])
    assert found == (2, 1, 8, 2, 7)


@pytest.mark.parametrize(("byte", "is_refused"), [(b"a", True), (b"\xff", False)])
def test_a_byte_without_a_token_is_refused_if_texts_may_have_it(
    tmp_path: Path, byte: bytes, is_refused: bool
) -> None:
    lines = merges((b"t", b"o"))._model.to_json().splitlines(keepends=True)
    start = b"[%d," % byte[0]
    tok = Tokenizer._from_json(b"".join(line for line in lines if not line.startswith(start)))
    path = tmp_path / "tokenizer.json"
    if is_refused:
        with pytest.raises(ExportError, match="the byte 0x61 has no token"):
            export(tok, path, "tokenizer.json", approximate=True)
    else:
        assert opened(tok, path).encode("to be").ids == tok.encode("to be")


def test_a_special_token_that_is_spelled_like_a_token_is_refused(tmp_path: Path) -> None:
    tok = merges((b"t", b"o")).with_special_tokens(["to"])
    with pytest.raises(ExportError, match="the special token 'to' is spelled like a token"):
        export(tok, tmp_path / "tokenizer.json", "tokenizer.json", approximate=True)


def test_a_tiktoken_file_is_tokens_and_ranks(tmp_path: Path) -> None:
    export(merges((b"t", b"o")), tmp_path / "to.tiktoken", "tiktoken")
    lines = (tmp_path / "to.tiktoken").read_text().splitlines()
    assert len(lines) == 257
    assert lines[256] == f"{base64.b64encode(b'to').decode()} 256"
    assert lines[0] == "AA== 0"


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"format must be one of tokenizer\.json, tiktoken, gguf"):
        export(merges((b"t", b"o")), tmp_path / "x", "spm")  # type: ignore[arg-type]


def test_real_texts_have_the_same_ids(tmp_path: Path, real_texts: list[str]) -> None:
    tok = superword.train(real_texts, 4000, pattern="gpt4o", supermerges=False, deletion=None)
    for format in FORMATS:
        path = tmp_path / format
        assert export(tok, path, format)
        found = compare_export(tok, path, format, real_texts)
        assert found.documents == len(real_texts)
        assert found.differing_documents == found.differing_tokens == 0
