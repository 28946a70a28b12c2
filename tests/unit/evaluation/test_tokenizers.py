"""Tokenizer files of every library are recognized, and lose no byte."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken

import superword
from superword.errors import ModelFormatError, SuperwordError
from superword.evaluation import (
    AnyTokenizer,
    HuggingFace,
    Ours,
    evaluate,
    import_extra,
    open_tokenizer,
)
from superword.evaluation.alignment import find_pretoken_ends
from superword.evaluation.tokenizers import Tiktoken
from superword.interop import import_tokenizer
from superword.patterns import find_pattern_name
from superword.reproduction.baselines import (
    BASELINES,
    Baseline,
    make_wordpiece,
    train_baseline,
    truncate_baseline,
)
from superword.vocabularies import VOCABULARIES

TEXTS = [
    "To be or not to be, that isn't the question.",
    "",
    "naïve 日本語 \n\n  x = 12345\t\0\x7f",
    "a" * 500,
    "🙂 " * 3,
]


@cache
def documents() -> list[str]:
    return list(superword.sample())[:20]


@cache
def baseline(kind: Baseline, vocab_size: int = 600) -> Any:
    return train_baseline(kind, documents(), vocab_size)


def decode(tok: AnyTokenizer, texts: list[str]) -> list[str]:
    ids, offsets = tok.encode_batch(texts)
    parts = [ids[offsets[at] : offsets[at + 1]] for at in range(len(texts))]
    return [b"".join(tok.token_bytes(int(id)) for id in part).decode() for part in parts]


@pytest.mark.parametrize("kind", BASELINES)
def test_a_baseline_loses_no_byte_and_has_no_unknown_token(kind: Baseline) -> None:
    tok = HuggingFace(baseline(kind), kind)
    assert decode(tok, TEXTS) == TEXTS
    assert {bytes([byte]) for byte in range(256)} <= set(tok.vocabulary.values())
    assert tok.pattern == "gpt4o"
    assert evaluate(tok, TEXTS).altered == 0


@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
def test_a_truncated_baseline_is_the_one_trained_at_that_size(kind: Baseline) -> None:
    truncated = truncate_baseline(baseline(kind), 400)
    trained = train_baseline(kind, documents(), 400)
    assert json.loads(truncated.to_str()) == json.loads(trained.to_str())


def test_unigram_cannot_be_truncated() -> None:
    with pytest.raises(ValueError, match="train it at the smaller size"):
        truncate_baseline(baseline("unigram"), 300)


def test_the_bpe_baseline_matches_ours() -> None:
    """Ties are broken differently, so not token for token."""
    ours = superword.train(documents(), 600, pattern="gpt4o", supermerges=False, deletion=None)
    mine = evaluate(Ours(ours), documents())
    theirs = evaluate(HuggingFace(baseline("bpe"), "bpe"), documents())
    assert mine.tokens == pytest.approx(theirs.tokens, rel=0.002)
    assert theirs.alignment.pretokens == mine.alignment.pretokens


def test_formats_are_detected(tmp_path: Path) -> None:
    superword.train(documents(), 400, pattern="boundless").save(tmp_path / "ours.json")
    (tmp_path / "theirs").mkdir()
    baseline("bpe").save(str(tmp_path / "theirs" / "tokenizer.json"))
    ranks = [*(bytes([byte]) for byte in range(256)), b" t", b"he", b" the"]
    lines = (f"{base64.b64encode(t).decode()} {rank}\n" for rank, t in enumerate(ranks))
    (tmp_path / "cl100k_base.tiktoken").write_text("".join(lines))

    ours = open_tokenizer(tmp_path / "ours.json")
    theirs = open_tokenizer(tmp_path / "theirs")
    ranked = open_tokenizer(tmp_path / "cl100k_base.tiktoken")
    assert [type(tok) for tok in (ours, theirs, ranked)] == [Ours, HuggingFace, Tiktoken]
    assert [tok.name for tok in (ours, theirs, ranked)] == ["ours", "theirs", "cl100k_base"]
    names = [find_pattern_name(tok.pattern) for tok in (ours, theirs, ranked)]
    assert names == ["boundless", "gpt4o", "cl100k_base"]
    assert [tok.vocab_size for tok in (ours, theirs, ranked)] == [400, 600, 259]
    for tok in (ours, theirs, ranked):
        assert decode(tok, TEXTS) == TEXTS
    assert ranked.encode_batch(["of the"])[0].tolist() == [ord("o"), ord("f"), 258]
    assert isinstance(ranked, Tiktoken)
    assert isinstance(ranked._encoding, tiktoken.Encoding)
    assert open_tokenizer(tmp_path / "ours.json", name="x", pattern="gpt2").pattern == "gpt2"


def write_ranks(path: Path, *tokens: bytes) -> Path:
    """Write a tiktoken file of the single bytes and these tokens."""
    ranks = [*(bytes([byte]) for byte in range(256)), *tokens]
    lines = (f"{base64.b64encode(t).decode()} {rank}\n" for rank, t in enumerate(ranks))
    path.write_text("".join(lines))
    return path


# White space at the end of a text, which `gpt4` splits after its last line end.
@pytest.mark.parametrize(
    "text", ["a\n ", "a \n\n  ", "x = 1\n\t", "\r\n\r\n \u00a0", "It's 12345."]
)
@pytest.mark.parametrize("name", [name for name, each in VOCABULARIES.items() if each[1]])
def test_a_vocabulary_splits_alike_when_imported_and_when_measured(
    tmp_path: Path, name: str, text: str
) -> None:
    made = [b"\n ", b" \n", b"\n\t", b"\r\n", b"\r\n\r\n"]
    path = write_ranks(tmp_path / f"{name}.tiktoken", *made)
    imported = import_tokenizer(path)
    for measured in (open_tokenizer(path), open_tokenizer(path, name="x", pattern="boundless")):
        assert measured.encode_batch([text])[0].tolist() == imported.encode_ordinary(text)
    ends, words = find_pretoken_ends([text], open_tokenizer(path).pattern)
    theirs, others = find_pretoken_ends([text], Ours(imported).pattern)
    assert (ends.tolist(), words.tolist()) == (theirs.tolist(), others.tolist())
    pretokens = superword.pretokenize(text, name)
    assert ends.tolist() == np.cumsum([len(each.encode()) for each in pretokens]).tolist()


def test_cl100k_base_keeps_white_space_at_the_end_whole(tmp_path: Path) -> None:
    path = write_ranks(tmp_path / "cl100k_base.tiktoken", b"\n ")
    assert open_tokenizer(path).encode_batch(["a\n "])[0].tolist() == [97, 256]
    assert import_tokenizer(path).encode_ordinary("a\n ") == [97, 256]


def test_a_tiktoken_file_is_measured_with_the_pattern_of_the_file_beside_it(tmp_path: Path) -> None:
    options = {"supermerges": False, "deletion": None}
    plain = superword.train(documents(), 300, pattern="gpt2", **options)  # type: ignore[arg-type]
    superword.export(plain, tmp_path / "mine.tiktoken", "tiktoken")
    tok = open_tokenizer(tmp_path / "mine.tiktoken")
    assert tok.pattern == "gpt2"
    assert tok.encode_batch(["don't 12345"])[0].tolist() == plain.encode("don't 12345")


def test_a_tiktoken_file_of_unknown_pattern_needs_one(tmp_path: Path) -> None:
    path = write_ranks(tmp_path / "mine.tiktoken", b" the")
    with pytest.raises(ModelFormatError, match=r"pass it \(pattern=, --pattern\)"):
        open_tokenizer(path)
    assert open_tokenizer(path, pattern="llama3").token_bytes(256) == b" the"


@pytest.mark.parametrize("content", ['{"model": 1}', "neither", "", "IHRoZQ== 1\nbroken\n"])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "some.json"
    path.write_text(content)
    with pytest.raises(ModelFormatError, match=r"some\.json"):
        open_tokenizer(path)


def test_superwords_are_tokens_with_letters_of_several_pretokens() -> None:
    tok = Ours(superword.train(documents(), 600))
    made = {tok.token_bytes(id) for id in tok.superwords}
    assert b" of the" in made
    assert tok.superwords == {id for id in tok.vocabulary if tok.model.is_superword(id)}
    # The rule for other tokenizers finds the same.
    assert AnyTokenizer.superwords.func(tok) == tok.superwords  # type: ignore[attr-defined]
    assert not HuggingFace(baseline("bpe"), "bpe").superwords


def test_a_model_of_whole_lines_has_superwords_too() -> None:
    model = superword.train(documents(), 600, pattern=r"\n", supermerges=False, deletion=None)
    tok = Ours(model)
    assert tok.pattern == "gpt4o"
    assert any(b"of the" in tok.token_bytes(id) for id in tok.superwords)


def test_documents_that_a_tokenizer_alters_are_counted() -> None:
    tokenizers = import_extra("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_str(baseline("bpe").to_str())
    tokenizer.normalizer = import_extra("tokenizers.normalizers").Lowercase()
    measured = evaluate(HuggingFace(tokenizer, "lower"), ["quite the same", "Not The Same"])
    assert (measured.documents, measured.altered) == (2, 1)
    assert measured.alignment.pretokens == 3
    assert measured.bytes == 26


def test_a_missing_library_is_named() -> None:
    with pytest.raises(SuperwordError, match=r"pip install 'superword\[eval\]'"):
        import_extra("a_library_that_is_not_there")


def test_wordpiece_has_the_vocabulary_of_a_bpe_of_the_same_text() -> None:
    assert make_wordpiece(baseline("bpe")).to_str() == baseline("wordpiece").to_str()
