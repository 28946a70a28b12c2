"""Tokenizer files of every library are recognized, and lose no byte."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

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
from superword.evaluation.tokenizers import Tiktoken
from superword.reproduction.baselines import (
    BASELINES,
    Baseline,
    train_baseline,
    truncate_baseline,
)

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
    assert [tok.pattern for tok in (ours, theirs, ranked)] == ["boundless", "gpt4o", "gpt4"]
    assert [tok.vocab_size for tok in (ours, theirs, ranked)] == [400, 600, 259]
    for tok in (ours, theirs, ranked):
        assert decode(tok, TEXTS) == TEXTS
    assert ranked.encode_batch(["of the"])[0].tolist() == [ord("o"), ord("f"), 258]
    assert isinstance(ranked, Tiktoken)
    assert isinstance(ranked._encoding, tiktoken.Encoding)
    assert open_tokenizer(tmp_path / "ours.json", name="x", pattern="gpt2").pattern == "gpt2"


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
