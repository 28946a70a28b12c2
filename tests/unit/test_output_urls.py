"""Nothing is written to a folder named `s3:`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import superword
from superword import Tokenizer
from superword.cli import app
from superword.evaluation import evaluate, save_bits_per_byte, save_plot
from superword.reproduction import read_settings
from superword.transformers import SuperwordTokenizer

TEXTS = ["to be or not to be", "to be"]
URLS = ["s3://bucket", "hf://datasets/me", "https://example.com/a", "gs:/bucket", "file:///tmp/x"]
WRITERS: dict[str, Callable[[Tokenizer, str], object]] = {
    "save": lambda tok, url: tok.save(f"{url}/model.json"),
    "save a path": lambda tok, url: tok.save(Path(url, "model.json")),
    "export": lambda tok, url: superword.export(tok, f"{url}/tokenizer.json", "tokenizer.json"),
    "export tiktoken": lambda tok, url: superword.export(tok, f"{url}/x.tiktoken", "tiktoken"),
    "encode_corpus": lambda tok, url: superword.encode_corpus(tok, TEXTS, f"{url}/tokens.npy"),
    "count": lambda _, url: superword.count(TEXTS, url),
    "merge_counts": lambda _, url: superword.merge_counts(["counts"], url),
    "train_on_counts": lambda _, url: superword.train_on_counts(url, 258, corpus=TEXTS),
    "extend_on_counts": lambda tok, url: superword.extend_on_counts(tok, url, 1, corpus=TEXTS),
    "save_pretrained": lambda tok, url: SuperwordTokenizer(tok).save_pretrained(url),
    "save_plot": lambda tok, url: save_plot([evaluate(tok, TEXTS)], Path(url, "plot.svg")),
    "save_bits_per_byte": lambda tok, url: save_bits_per_byte([], f"{url}/bits.json"),
    "reproduce": lambda _, url: read_settings(None, {"train": "a", "eval": "b", "out": Path(url)}),
}


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return superword.train(TEXTS, 258, pattern="gpt2", supermerges=False, deletion=None)


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("name", WRITERS)
def test_urls_are_refused_as_outputs(
    tok: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    # A folder that an earlier version made.
    (tmp_path / "gs:").mkdir()
    (tmp_path / "gs:/bucket").mkdir()
    scheme = url.partition(":")[0]
    with pytest.raises(ValueError, match=f"^{scheme}://.*superword writes to local folders only"):
        WRITERS[name](tok, url)
    assert [file.name for file in tmp_path.rglob("*")] == ["gs:", "bucket"]


@pytest.mark.parametrize(
    "command",
    [
        ["train", "text.txt", "--vocab-size", "258", "-o", "s3://bucket/model.json"],
        ["extend", "model.json", "text.txt", "--add", "1", "-o", "s3://bucket/model.json"],
        ["encode", "model.json", "text.txt", "-o", "s3://bucket/tokens.npy"],
        ["export", "model.json", "-o", "s3://bucket/tokenizer.json"],
        ["count", "text.txt", "-o", "s3://bucket/counts"],
        ["merge-counts", "counts", "-o", "s3://bucket/counts"],
        ["compare", "model.json", "--corpus", "text.txt", "--plot", "s3://bucket/plot.svg"],
        ["bpb", "bits.json", "-o", "s3://bucket/bits.json"],
        ["reproduce", "--train", "text.txt", "--eval", "text.txt", "--out", "s3://bucket/results"],
    ],
    ids=lambda command: command[0],
)
def test_commands_refuse_urls_as_outputs(
    tok: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tok.save("model.json")
    Path("text.txt").write_text("to be or not to be")
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1, done.output
    assert "s3://bucket" in done.output
    assert "superword writes to local folders only" in done.output
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.json", "text.txt"]


def test_names_with_a_colon_are_no_urls(tok: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a:").mkdir()
    tok.save(tmp_path / "a:" / "b: c.json")
    assert superword.load(tmp_path / "a:" / "b: c.json") == tok
