"""`superword evaluate` and `superword compare`, through the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import superword

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    given = [COMMAND, *arguments, "--progress", "none"]
    return subprocess.run(given, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models and a corpus in two files."""
    folder = tmp_path_factory.mktemp("compared")
    texts = list(superword.sample())[:20]
    superword.train(texts, 600, supermerges=False, deletion=None).save(folder / "bpe.json")
    superword.train(texts, 600, pattern="boundless").save(folder / "boundless.json")
    for name, part in (("a", texts[:2]), ("b", texts[2:3])):
        rows = (json.dumps({"text": text, "source": name}) + "\n" for text in part)
        (folder / f"{name}.jsonl").write_text("".join(rows))
    return folder


def test_evaluate_prints_a_table(folder: Path) -> None:
    done = run("evaluate", folder / "boundless.json", "--corpus", folder / "a.jsonl")
    assert done.returncode == 0, done.stderr
    assert "2 documents" in done.stdout
    for label in ("bytes per token", "Rényi efficiency", "unstable prompt ends"):
        assert label in done.stdout


def test_evaluate_prints_json(folder: Path) -> None:
    corpus = ("--corpus", folder / "a.jsonl", folder / "b.jsonl")
    done = run("evaluate", folder / "boundless.json", *corpus, "--json")
    found = json.loads(done.stdout)
    assert found["documents"] == 3
    assert {name: share["documents"] for name, share in found["sources"].items()} == {
        "a": 2,
        "b": 1,
    }
    assert found["bytes_per_token"] == pytest.approx(found["bytes"] / found["tokens"])
    assert found["pattern"] == "boundless"


def test_tokenizers_are_compared_with_the_first(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    done = run("compare", *models, "--corpus", folder / "a.jsonl", "--json")
    bpe, boundless = json.loads(done.stdout)["measured"]
    assert bpe["differences"]["tokens"] == 0
    change = boundless["tokens"] / bpe["tokens"] - 1
    assert boundless["differences"]["tokens"] == pytest.approx(change)
    shown = run("compare", *models, "--corpus", folder / "a.jsonl").stdout
    assert f"{change:+.1%}" in shown
    assert max(map(len, shown.splitlines())) < 120


def test_a_text_is_shown_with_aligned_boundaries(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    done = run("compare", *models, "--text", "one of the others", "--name", "A", "--name", "B")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("A") and lines[1].startswith("B")
    assert " of| the|" in lines[0]
    assert " of  the|" in lines[1]
    assert lines[0].index("the|") == lines[1].index("the|")


@pytest.mark.parametrize("form", ["png", "svg", "html"])
def test_a_comparison_is_drawn(folder: Path, form: str) -> None:
    plot = folder / f"plot.{form}"
    models = folder / "bpe.json", folder / "boundless.json"
    done = run("compare", *models, "--corpus", folder / "a.jsonl", "--plot", plot)
    assert done.returncode == 0, done.stderr
    content = plot.read_bytes()
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "html": b"<!doctype html>"}
    assert content.startswith(starts[form])
    if form == "html":
        assert b"<svg" in content and b"bytes per token" in content
        assert b"http://" not in content.replace(b"http://www.w3.org", b"").replace(
            b"http://purl.org", b""
        ).replace(b"http://creativecommons.org", b"")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "nothing to compare on"),
        (("--text", "x", "--plot", "x.png"), "--plot needs a corpus"),
        (("--corpus", "x.jsonl", "--plot", "x.pdf"), "a .png, an .svg or an .html"),
        (("--corpus", "missing.jsonl"), "missing.jsonl: No such file"),
    ],
)
def test_an_error_is_one_sentence(folder: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = run("compare", folder / "bpe.json", *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
