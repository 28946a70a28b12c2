"""Tokenizers are measured as files, as folders and as objects of every library."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
from tokenizers import Tokenizer as Tokenizers
from transformers import PreTrainedTokenizerFast
from transformers.tokenization_python import PythonBackend
from typer.testing import CliRunner

import superword
from superword import Tokenizer
from superword.cli import app
from superword.errors import ModelFormatError, SuperwordError
from superword.evaluation import AnyTokenizer, compare, evaluate, flatten_ids, open_tokenizer
from superword.interop import import_tokenizer
from superword.patterns import NAMED_PATTERNS
from superword.transformers import SuperwordTokenizer


@cache
def documents() -> list[str]:
    return list(superword.sample())[:12]


@cache
def core(kind: str) -> Tokenizer:
    options: dict[str, Any] = {
        "BPE": {"supermerges": False, "deletion": None},
        "PickyBPE": {"supermerges": False, "tau": 0.7},
        "BoundlessBPE": {},
        "SuperBPE": {"supermerges": False, "deletion": None, "transition": 300},
    }
    if kind == "extended":
        return superword.extend(core("BPE"), documents(), 50)
    special = ["<|end|>"]
    return superword.train(
        documents(), 400, pattern="gpt4o", special_tokens=special, **options[kind]
    )


def summarize(source: Any) -> dict[str, object]:
    return {**evaluate(source, documents()).summary(), "name": None}


@pytest.mark.parametrize("kind", ["BPE", "PickyBPE", "BoundlessBPE", "SuperBPE", "extended"])
def test_every_form_of_a_model_measures_alike(kind: str, tmp_path: Path) -> None:
    tok = core(kind)
    tok.save(tmp_path / "model.json")
    wrapped = SuperwordTokenizer(tok, eos_token="<|end|>")
    wrapped.save_pretrained(tmp_path / "saved")
    forms = [tok, wrapped, tok.as_tiktoken(), tmp_path / "model.json", str(tmp_path / "saved")]
    expected = summarize(tok)
    for form in forms:
        assert summarize(form) == expected
    assert expected["tokens"] == sum(map(len, tok.encode_batch(documents())))
    assert open_tokenizer(tmp_path / "saved").name == "saved"
    assert import_tokenizer(tmp_path / "saved") == tok


def test_objects_of_other_libraries_measure_as_plain_bpe(tmp_path: Path) -> None:
    tok = core("BPE")
    path = tmp_path / "tokenizer.json"
    superword.export(tok, path, "tokenizer.json")
    fast = PreTrainedTokenizerFast(tokenizer_file=str(path), pad_token="<|end|>")
    # The call leaves truncation and padding on.
    fast("to be", truncation=True, max_length=2, padding="max_length")
    ranks = {token: id for id, token in tok._model.vocabulary()}
    special = {"<|end|>": 400}
    encoding = tiktoken.Encoding(
        "mine", pat_str=NAMED_PATTERNS["gpt4o"], mergeable_ranks=ranks, special_tokens=special
    )
    expected = summarize(tok)
    sources = [encoding, fast, Tokenizers.from_file(str(path)), path]
    for source in sources:
        assert summarize(source) == expected
    assert [open_tokenizer(source).name for source in sources[:2]] == ["mine", "TokenizersBackend"]
    assert fast.backend_tokenizer.truncation is not None


def test_a_corpus_that_can_be_read_once_is_measured_for_all() -> None:
    measured = compare({"one": core("BPE"), "two": core("SuperBPE")}, iter(documents()))
    assert [each.name for each in measured] == ["one", "two"]
    assert measured[0].bytes == measured[1].bytes


def test_tokenizers_of_one_name_are_told_apart() -> None:
    measured = compare([core("BPE"), core("SuperBPE")], documents())
    assert [each.name for each in measured] == ["superword", "superword (2)"]


def test_other_objects_are_rejected() -> None:
    slow = PythonBackend.__new__(PythonBackend)
    slow.name_or_path = ""
    for source in (slow, object()):
        with pytest.raises(TypeError, match="cannot measure a .* implement superword.evaluation"):
            evaluate(source, documents())


class Letters(AnyTokenizer):
    """The smallest tokenizer that can be measured."""

    name = "letters"
    vocabulary = {code: bytes([code]) for code in range(128)}

    def encode_batch(self, texts: Any, threads: int = 1) -> Any:
        """Encode each character as its code point."""
        return flatten_ids([[ord(letter) for letter in text] for text in texts])


def test_the_interface_for_other_tokenizers_is_enough() -> None:
    measured = evaluate(Letters(), ["to be or not", "to be"])
    assert (measured.tokens, measured.altered, measured.bytes_per_token) == (17, 0, 1.0)
    assert np.array_equal(open_tokenizer(Letters()).encode_batch(["to"])[0], [116, 111])
    with pytest.raises(ValueError, match="a text has the id 239, but the largest id is 127"):
        evaluate(Letters(), ["naïve"])


def test_the_commands_take_a_folder(tmp_path: Path) -> None:
    SuperwordTokenizer(core("BoundlessBPE")).save_pretrained(tmp_path / "saved")
    core("BPE").save(tmp_path / "plain.json")
    text = tmp_path / "text.txt"
    text.write_text("to be or not to be")
    for command in (
        ["evaluate", str(tmp_path / "saved"), "--corpus", str(text)],
        ["compare", str(tmp_path / "saved"), str(tmp_path / "plain.json"), "--corpus", str(text)],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["evaluate", str(tmp_path), "--corpus", str(text)])
    assert done.exit_code != 0
    assert "neither superword.json nor tokenizer.json" in done.output.replace("\n", " ")


def test_encodings_of_tiktoken_are_opened_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    tok = core("BPE")
    ranks = {token: id for id, token in tok._model.vocabulary()}
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=NAMED_PATTERNS["gpt4o"], mergeable_ranks=ranks, special_tokens={}
    )
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: encoding)
    for name in ("gpt2", Path("gpt2")):
        assert open_tokenizer(name).name == "gpt2"
        assert summarize(name) == summarize(tok)
    # A file of this name comes first.
    core("BoundlessBPE").save("gpt2")
    assert summarize("gpt2") == summarize(core("BoundlessBPE"))
    with pytest.raises(FileNotFoundError):
        open_tokenizer("gpt1")


def test_a_download_that_fails_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    def fail(name: str) -> Any:
        raise ConnectionError("unreachable")

    monkeypatch.setattr(tiktoken, "get_encoding", fail)
    with pytest.raises(SuperwordError, match="cannot download o200k_base: ConnectionError; pass"):
        open_tokenizer("o200k_base")


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_a_sentencepiece_model_is_measured(kind: str, tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    texts = [" ".join(text.split())[:4000].strip() for text in documents()[:4]]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_prefix=str(tmp_path / "spm"),
        vocab_size=500,
        model_type=kind,
        byte_fallback=True,
        add_dummy_prefix=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    path = tmp_path / "spm.model"
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    measured = evaluate(path, [*texts, "naïve ☃"])
    expected = sum(map(len, processor.encode([*texts, "naïve ☃"])))
    assert (measured.name, measured.tokens, measured.altered) == ("spm", expected, 0)
    # Without the unknown token, and the begin and end of a sentence.
    assert measured.vocab_size == 497
    assert open_tokenizer(path).tokenize("to be ☃")[-3:] == [b"\xe2", b"\x98", b"\x83"]
    # Two spaces become one, so this document is not the bytes of its tokens.
    assert evaluate(path, ["to  be"]).altered == 1
    (tmp_path / "damaged.model").write_bytes(path.read_bytes()[:300])
    with pytest.raises(ModelFormatError, match="damaged.model: not a SentencePiece model"):
        open_tokenizer(tmp_path / "damaged.model")
