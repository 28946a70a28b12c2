"""The models in the package: loaded by name, at any size, and as their card says."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import superword
from superword.cli import app
from superword.evaluation import open_tokenizer
from superword.interop import open_base
from superword.playground import find_models
from superword.tokenizer import BUNDLED_MODELS

ROOT = Path(__file__).parents[3]
CARD = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
TEXT = "At the end of the day, fn main() {} über 東京 и так далее."


@pytest.fixture(scope="module", params=BUNDLED_MODELS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_card_tells_the_fingerprints(name: str) -> None:
    tok = superword.load(name)
    assert f"`{name}`" in CARD and f"`{tok.fingerprint}`" in CARD
    assert tok.vocab_size == 131_072 and not tok.special_tokens
    assert tok.decode(tok.encode(TEXT)) == TEXT


def test_the_models_keep_to_the_limits_of_the_card() -> None:
    tok = superword.load("superword-131k")
    superwords = [tok.token_bytes(id) for id in range(tok.vocab_size) if tok.is_superword(id)]
    assert len(superwords) == 131_072 // 16
    assert max(len(superword.pretokenize(each.decode())) for each in superwords) <= 4
    plain = superword.load("bpe-131k")
    assert {rule.kind for rule in plain.rules} == {"merge"}
    for each in (tok, plain):
        assert max(len(each.token_bytes(id)) for id in range(each.vocab_size)) == 32


def test_the_card_names_the_sources_and_licences_that_models_learn_from() -> None:
    with (ROOT / "scripts" / "bundled_sources.csv").open(newline="", encoding="utf-8") as file:
        listed = [(row["source"], row["licence"]) for row in csv.DictReader(file)]
    assert listed
    for source, licence in listed:
        escaped = source.replace("*", r"\*")
        assert f"| {source} | {licence} |" in CARD or f"| {escaped} | {licence} |" in CARD


@pytest.mark.parametrize("size", [256, 300, 40_960, 131_072])
def test_a_size_after_the_name_truncates(name: str, size: int) -> None:
    assert superword.load(f"{name}@{size}") == superword.load(name).truncate(size)


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        ("", "a vocabulary size follows the @"),
        ("32k", "a vocabulary size follows the @"),
        ("-1", "a vocabulary size follows the @"),
        ("255", "at least 256"),
        ("131073", "trained for 131072 tokens"),
        ("9" * 30, "below 2"),
    ],
)
def test_a_size_that_is_none_is_refused(name: str, size: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        superword.load(f"{name}@{size}")


def test_a_file_comes_before_a_model_of_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert superword.load(Path(name)).vocab_size == 131_072
    mine = superword.train(["to be or not to be"], 258)
    mine.save(name)
    assert superword.load(name) == mine == open_base(name)
    mine.save(f"{name}@300")
    assert superword.load(f"{name}@300") == mine


def test_a_missing_file_names_the_models(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="superword-131k and bpe-131k"):
        superword.load("superword-132k")
    for path in (tmp_path / "superword-131k", "superword-132k.json"):
        with pytest.raises(FileNotFoundError) as raised:
            superword.load(path)
        assert "package" not in str(raised.value)


def test_whatever_opens_models_opens_them_by_name(name: str) -> None:
    tok = superword.load(f"{name}@4096")
    assert open_base(f"{name}@4096") == tok
    measured = open_tokenizer(f"{name}@4096")
    assert measured.name == f"{name}@4096"
    assert b"".join(measured.tokenize(TEXT)) == TEXT.encode()
    [served] = find_models([f"{name}@4096"])
    assert served.read() == tok._model.to_json()
    with pytest.raises(ValueError, match="this model has its own"):
        open_base(name, pattern="gpt2")
    with pytest.raises(ValueError, match="word v1"):
        superword.load(name, deletion="pair")


def test_commands_take_the_names(name: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(TEXT * 10, encoding="utf-8")
    small = f"{name}@2048"
    ids = superword.load(small).encode(TEXT)

    def run(*arguments: Any) -> str:
        done = CliRunner().invoke(app, list(map(str, arguments)))
        assert done.exit_code == 0, done.output
        return done.stdout

    assert run("encode", small, TEXT) == " ".join(map(str, ids)) + "\n"
    assert run("decode", small, *ids).rstrip("\n") == TEXT
    assert run("explain", small, "at the end")
    assert run("inspect", small)
    assert small in run("evaluate", small, "--corpus", corpus)
    assert small in run("compare", small, "superword-131k@1024", "--corpus", corpus)
    run("extend", small, corpus, "-o", tmp_path / "more.json", "--add", 2)
    assert superword.load(tmp_path / "more.json").encode("q") == superword.load(small).encode("q")
    run("prune", small, corpus, "-o", tmp_path / "pruned", "--to", 2000)
    run("encode", small, corpus, "-o", tmp_path / "tokens.npy")
    run("export", "bpe-131k@2048", "-o", tmp_path / "tokenizer.json")
