"""`superword explain --html` and `superword compare --html`."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import superword
from superword import Tokenizer
from superword.cli import app

HOSTILE = "</script><img src=x onerror=alert(1)>"
TEXT = f"One of the end of the day \x1b[31m\u202e {HOSTILE} 日本語\n"
VOID = {"meta", "br"}


class Page(HTMLParser):
    """Reads a page; it must hold nothing that runs or that is loaded."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(path.read_text())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "img", "link", "iframe", "object")
        for name, value in attributes:
            assert not name.startswith("on") and name not in ("src", "href")
            assert "url(" not in (value or "")
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def invoke(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [{"text": TEXT * 3, "source": HOSTILE}, {"text": "to be or not", "source": "plays"}]
    Path("corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_an_explanation_is_a_page(folder: Path, core_of_kind: Tokenizer) -> None:
    name = "<b>\x1bmodel.json"
    core_of_kind.save(name)
    done = invoke("explain", name, TEXT, "--html", "out.html")
    assert (done.exit_code, done.stdout) == (0, ""), done.stderr
    page = Page(Path("out.html"))
    assert "<b>\\x1bmodel.json" in page.text
    assert core_of_kind.show(TEXT).describe_counts() in page.text
    for step in core_of_kind.explain(TEXT):
        if step.rule is not None:
            assert f"{step.rule.kind} {step.rule.index}" in page.text
    assert page.text.replace("\n", "").isprintable()


def test_a_comparison_is_a_page(folder: Path, core_of_kind: Tokenizer) -> None:
    core_of_kind.save("model.json")
    superword.train([TEXT] * 3, 270, supermerges=False, deletion=None).save("bpe.json")
    arguments = ["compare", "bpe.json", "model.json", "--name", f"\x9b{HOSTILE}"]
    done = invoke(*arguments, "--corpus", "corpus.jsonl", "--html", "out.html")
    assert done.exit_code == 0, done.stderr
    page = Page(Path("out.html"))
    for expected in (
        f"\\x9b{HOSTILE}",
        "2 documents",
        "Bytes per token by source",
        "Bytes per token by script",
        "plays 0.00 MB",
        core_of_kind.show(TEXT * 3).describe_counts(),
    ):
        assert expected in page.text, expected
    done = invoke(*arguments, "--text", "one of the", "--html", "text.html")
    assert done.exit_code == 0, done.stderr
    assert core_of_kind.show("one of the").describe_counts() in Page(Path("text.html")).text


def test_tokenizers_of_other_libraries_are_on_the_page(
    folder: Path, train_kind: Callable[[str], Tokenizer]
) -> None:
    pytest.importorskip("tokenizers")
    superword.export(train_kind("SuperBPE"), "tokenizer.json", "tokenizer.json")
    train_kind("SuperBPE").save("model.json")
    arguments = ["--text", "one of the others", "--html", "out.html", "--pattern", "gpt4o"]
    done = invoke("compare", "model.json", "tokenizer.json", *arguments)
    assert done.exit_code == 0, done.stderr
    counts = train_kind("SuperBPE").show("one of the others").describe_counts()
    assert Page(Path("out.html")).text.count(counts) == 2


def test_a_long_corpus_is_shown_in_part(folder: Path, tok: Tokenizer) -> None:
    tok.save("model.json")
    Path("long.jsonl").write_text(json.dumps({"text": "of the day " * 10_000}) + "\n")
    done = invoke("compare", "model.json", "--corpus", "long.jsonl", "--html", "out.html")
    assert done.exit_code == 0
    assert tok.show(("of the day " * 55)[:600]).describe_counts() in Page(Path("out.html")).text


def test_pages_suit_phones_and_the_dark(folder: Path, tok: Tokenizer) -> None:
    tok.save("model.json")
    invoke("explain", "model.json", "of the", "--html", "out.html")
    page = Path("out.html").read_text()
    assert "width=device-width" in page
    assert "@media (prefers-color-scheme: dark)" in page
    assert "@media (max-width: 40rem)" in page


@pytest.mark.parametrize("link", [False, True])
def test_no_page_replaces_an_input(folder: Path, tok: Tokenizer, link: bool) -> None:
    tok.save("model.html")
    Path("text.html").write_text("of the day")
    if link:
        Path("link.html").symlink_to("corpus.jsonl")
    tries = [
        ["explain", "model.html", "of the", "--html", "model.html"],
        ["explain", "model.html", "--file", "text.html", "--html", "text.html"],
        ["compare", "model.html", "--text", "of the", "--html", "./model.html"],
        ["compare", "model.html", "--corpus", "corpus.jsonl", "--plot", "model.html"],
    ]
    if link:
        tries.append(["compare", "model.html", "--corpus", "*.jsonl", "--html", "link.html"])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for arguments in tries:
        done = invoke(*arguments)
        assert done.exit_code == 1
        assert "is a file that is read; name another one" in done.stderr
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_page_is_written_whole_or_not_at_all(folder: Path, tok: Tokenizer) -> None:
    tok.save("model.json")
    Path("out.html").write_text("before")
    long = "to be " * 1000
    done = invoke("explain", "model.json", long, "--html", "out.html")
    assert done.exit_code == 1 and "--force" in done.stderr
    assert Path("out.html").read_text() == "before"
    done = invoke("explain", "model.json", "to be", "--html", "out.html", "--json")
    assert done.exit_code == 1 and "exclude each other" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == [
        "corpus.jsonl",
        "model.json",
        "out.html",
    ]
