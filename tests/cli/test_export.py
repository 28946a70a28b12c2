"""`superword export`, through the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tokenizers
from command_line import run_command
from typer.testing import CliRunner

import superword
from superword.cli import app
from superword.exporting import Comparison

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = run_command("export", *arguments)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    documents = [*superword.sample()][:20]
    superword.train(documents, 600, supermerges=False, deletion=None).save(folder / "plain.json")
    superword.train(documents, 600, deletion=None).save(folder / "boundless.json")
    lines = [json.dumps({"text": text}) + "\n" for text in documents]
    (folder / "corpus.jsonl").write_text("".join(lines))
    return folder


def test_a_plain_model_is_exported_exactly(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    done = run(folder / "plain.json", "-o", path, "--check", folder / "corpus.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["exact"] is True
    assert found["check"]["documents"] == 20
    assert found["check"]["differing_tokens"] == 0
    assert f"{path}: exact\n" in done.stderr
    tok = superword.load(folder / "plain.json")
    other = tokenizers.Tokenizer.from_file(str(path))
    assert other.encode("to be").ids == tok.encode("to be")


def test_the_model_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_bytes((folder / "plain.json").read_bytes())
    done = run(model, "-o", tmp_path / "." / "model.json")
    assert done.returncode != 0
    assert "is a file that is read; name another one" in done.stderr
    assert model.read_bytes() == (folder / "plain.json").read_bytes()


def test_a_tiktoken_file_has_another_beside_it(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "plain.tiktoken"
    check = ["--check", str(folder / "corpus.jsonl"), "--max-documents", "3", "--json"]
    done = run(folder / "plain.json", "--format", "tiktoken", "-o", path, *check)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["check"]["documents"] == 3
    assert {file.name for file in tmp_path.iterdir()} == {"plain.tiktoken", "plain.tiktoken.json"}


@pytest.mark.parametrize(("given", "files"), [([], 2), (["--format", "tokenizer.json"], 1)])
def test_the_name_of_the_file_decides_unless_the_format_is_given(
    folder: Path, tmp_path: Path, given: list[str], files: int
) -> None:
    done = run(folder / "plain.json", *given, "-o", tmp_path / "plain.tiktoken")
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == files


def test_a_model_of_superwords_is_refused_without_approximate(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    done = run(folder / "boundless.json", "-o", path)
    assert done.returncode == 1
    assert "is a supermerge" in done.stderr
    assert "--approximate" in done.stderr
    assert not path.exists()


def test_an_approximate_file_is_measured(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    corpus = folder / "corpus.jsonl"
    done = run(folder / "boundless.json", "-o", path, "--approximate", "--check", corpus)
    assert done.returncode == 0, done.stderr
    assert "approximate: it gives other ids for some texts" in done.stderr
    assert "of 20 documents differ" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("format", ["tokenizer.json", "tiktoken"])
def test_superbpe_is_exported_exactly(folder: Path, tmp_path: Path, format: str) -> None:
    tok = superword.train(
        [*superword.sample()][:20], 600, transition=400, supermerges=False, deletion=None
    )
    tok.save(tmp_path / "superbpe.json")
    corpus = folder / "corpus.jsonl"
    done = run(
        *(tmp_path / "superbpe.json", "-o", tmp_path / "out", "--format", format),
        *("--check", corpus),
    )
    assert done.returncode == 0, done.stderr
    assert "out: exact" in done.stderr
    assert "0 of 20 documents differ" in done.stderr


def test_an_exact_file_that_differs_is_a_failure(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Comparison(20, 2, 5000, 3, 5001)
    monkeypatch.setattr("superword.commands.export.compare_export", lambda *_: found)
    arguments = [folder / "plain.json", "-o", tmp_path / "out", "--check", folder / "corpus.jsonl"]
    done = CliRunner().invoke(app, ["export", *map(str, arguments), "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["exact"] is False
    assert "out: not exact" in done.stderr
    assert "2 of 20 documents differ (10.00%)" in done.stderr
    assert "the file should be exact, but gives other ids for some texts" in done.stderr


def test_a_wrong_corpus_fails_before_anything_is_written(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    done = run(folder / "plain.json", "-o", path, "--check", tmp_path / "none.jsonl")
    assert done.returncode == 1
    assert "none.jsonl" in done.stderr
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("tokenizer.json", "tokenizers"),
        ("plain.tiktoken", "tiktoken"),
        ("portable.gguf", "llama_cpp"),
    ],
)
def test_a_file_that_was_not_compared_is_not_called_exact(
    folder: Path, tmp_path: Path, name: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = folder / "plain.json"
    if name == "portable.gguf":
        pytest.importorskip("gguf")
        model = tmp_path / "portable.json"
        documents = [*superword.sample()][:5]
        superword.train(documents, 400, profile="portable", special_tokens=["<|endoftext|>"]).save(
            model
        )
    monkeypatch.setitem(sys.modules, library, None)
    arguments = ["export", str(model), "-o", str(tmp_path / name)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "was not compared with the model" in done.stderr
    assert f"{name}: not known to be exact; it was not compared\n" in done.stderr
    assert json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)["exact"] is None
