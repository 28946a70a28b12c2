"""The benchmarks run on any text, and say what was run where; public packages make such text."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import public_corpus
import superword
from public_corpus import Document, find_source, mix_documents, read_package, read_translations
from public_packages import CODE, PACKAGES, TEXT, TRANSLATIONS, Package

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(work: Path, *options: str) -> subprocess.CompletedProcess[str]:
    variables = {"SUPERWORD_BENCH": str(work), "SUPERWORD_SHARED": str(work)}
    command = [sys.executable, str(BENCHMARKS / "corpus.py"), "--size", "10", "--repeats", "1"]
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, env={**os.environ, **variables}
    )


def test_a_benchmark_takes_the_text_that_its_options_name(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.jsonl" for name in ("a", "b")]
    for path in paths:
        path.write_text(json.dumps({"text": f"text {path.stem}"}) + "\n")
    done = run(tmp_path / "work", "--corpus", *map(str, paths))
    assert done.returncode == 0, done.stderr
    assert "12 bytes" in done.stdout
    # Not in benchmarks/results, which hold the results of the project's own corpus.
    [found] = (tmp_path / "work").glob("*/results/corpus.json")
    result = json.loads(found.read_text())
    assert "--corpus" in result["command"]
    assert result["versions"] == {"superword": superword.__version__}
    assert result["machine"]["cores"] == os.cpu_count()
    assert result["commit"]
    page = found.with_suffix(".md").read_text()
    assert f"superword {superword.__version__}" in page and result["commit"] in page


def test_a_benchmark_without_text_says_what_to_pass(tmp_path: Path) -> None:
    (tmp_path / "eval.txt").write_text("text")
    for options in ([], ["--eval", str(tmp_path / "eval.txt")]):
        done = run(tmp_path, *options)
        assert done.returncode == 1
        assert "pass --corpus, with files, folders or globs of text" in done.stderr
        assert "Traceback" not in done.stderr


def test_every_benchmark_takes_text() -> None:
    sources = {path.name: path.read_text() for path in BENCHMARKS.glob("*.py")}
    parsing = {name for name, text in sources.items() if "argparse.ArgumentParser(" in text}
    taking = {name for name, text in sources.items() if "parse_options(" in text}
    assert parsing - taking == {"public_corpus.py"}
    listed = (BENCHMARKS.parent / "Makefile").read_text()
    assert all(f"benchmarks/{name} $(TEXT)" in listed for name in ("train.py", "model.py"))


def test_translations_are_read_from_catalogs() -> None:
    catalog = """
msgid ""
msgstr ""
"Language: de\\n"

#: a.py:1
msgctxt "menu"
msgid "Open \\"%s\\"\\n"
msgstr ""
"\\"%s\\" "
"öffnen\\n"

msgid "same"
msgstr "same"

msgid "none"
msgstr ""

msgid "a file"
msgid_plural "%d files"
msgstr[0] "eine Datei"
msgstr[1] "%d Dateien"
"""
    assert read_translations(catalog) == '"%s" öffnen\neine Datei\n%d Dateien\n'


PACKAGE = Package("p-1.tar.gz", "", {CODE: "code", TRANSLATIONS: "translations", TEXT: "science"})


def test_files_have_the_source_of_their_ending() -> None:
    found = [find_source(PACKAGE, f"p-1/{name}") for name in ("a.rs", "a.po", "a.md", "a.png")]
    assert found == ["code", "translations", "science", None]


def test_files_that_are_binary_short_or_long_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_corpus, "MAX_BYTES", 1000)
    files = {
        "a.py": b"x = 1\n" * 50,
        "b.py": b"x",
        "c.py": b"\xff" * 300,
        "d.py": b"\0" * 300,
        "e.py": b"x = 1\n" * 500,
    }
    with tarfile.open(tmp_path / "p.tar.gz", "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(f"p-1/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    found = list(read_package(PACKAGE, tmp_path / "p.tar.gz"))
    assert found == [Document("code", "x = 1\n" * 50)]


def test_the_mixture_is_the_same_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_corpus, "MEGABYTES", {"code": 0.001, "science": 1})
    documents = [Document("code", f"code {number}") for number in range(1000)]
    documents += [Document("science", f"text {number}") for number in range(1000)]
    train, evaluation = mix_documents(documents)
    assert mix_documents([*reversed(documents), *documents]) == (train, evaluation)
    assert not {*train} & {*evaluation}
    assert 20 < len(evaluation) < 90
    chosen = [*train, *evaluation]
    assert sum(document.source == "science" for document in chosen) == 1000
    code = [document for document in chosen if document.source == "code"]
    assert 950 < sum(len(document.text) for document in code) <= 1000
    # The sources are mixed: both halves have code.
    half = [document.source for document in train[: len(train) // 2]]
    assert 30 < half.count("code") < 85


def test_packages_are_pinned() -> None:
    for package in PACKAGES:
        assert package.file.endswith(".tar.gz")
        assert len(bytes.fromhex(package.sha256)) == 32
        assert {*package.sources.values()} <= public_corpus.MEGABYTES.keys()
