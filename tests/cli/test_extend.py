"""`superword extend`, through the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from command_line import run_command

import superword

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = run_command("extend", *arguments)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_it_writes_the_model_of_extend(tmp_path: Path) -> None:
    documents = [*superword.sample()][:3]
    (tmp_path / "corpus.txt").write_text("\x00".join(documents), encoding="utf-8")
    base = superword.train(documents, 400, pattern="gpt2", supermerges=False, deletion=None)
    superword.export(base, tmp_path / "a.tiktoken", "tiktoken")
    (tmp_path / "a.tiktoken.json").unlink()
    output = tmp_path / "model.json"
    done = run(
        *(tmp_path / "a.tiktoken", tmp_path / "corpus.txt", "--separator", "\\0"),
        *("--add", "30", "-o", output, "--pattern", "gpt2", "--special-token", "<|end|>=400"),
    )
    assert done.returncode == 0, done.stderr
    tok = superword.load(output)
    expected = superword.extend(base.with_special_tokens(["<|end|>"]), documents, 30)
    assert tok.fingerprint == expected.fingerprint
    assert f"{output}: 430 tokens from 144 merges, 30 supermerges" in done.stderr


def test_errors_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "WordPiece"}}')
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("to be")
    done = run(tmp_path, corpus, "--add", "3", "-o", tmp_path / "model.json")
    assert done.returncode != 0
    assert "its model is WordPiece, not byte-level BPE" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model.json").exists()
    done = run(tmp_path, corpus, "--add", "3", "-o", tmp_path / "m.json", "--special-token", "x")
    assert "TEXT=ID" in done.stderr


def test_it_writes_the_map_of_ids_and_says_what_changes(tmp_path: Path) -> None:
    documents = [*superword.sample()][:3]
    (tmp_path / "corpus.txt").write_text("%%%".join(documents), encoding="utf-8")
    base = superword.train(documents, 400, supermerges=False, deletion=None)
    base.save(tmp_path / "base.json")
    corpus, output = tmp_path / "corpus.txt", tmp_path / "model.json"
    options: list[str | Path] = [
        "--separator",
        "%%%",
        "--kind",
        "merges",
        "--add",
        "30",
        "-o",
        output,
    ]
    done = run(tmp_path / "base.json", corpus, *options, "--base-text", str(corpus))
    assert done.returncode == 0, done.stderr
    tok = superword.extend(base, documents, 30, kind="merges")
    assert superword.load(output).fingerprint == tok.fingerprint
    found = json.loads((tmp_path / "id_map.json").read_text())
    assert found == json.loads(json.dumps(superword.map_ids(base, tok)))
    assert f"text of the base: {superword.measure_changes(base, tok, documents)}" in done.stderr
    named = tmp_path / "new_ids.json"
    done = run(tmp_path / "base.json", corpus, *options, "--id-map", named, "--json")
    assert json.loads(done.stdout)["id_map"] == str(named)
    assert json.loads(named.read_text()) == found


def test_limits_of_new_rules_are_options(tmp_path: Path) -> None:
    documents = [*superword.sample()][:3]
    (tmp_path / "corpus.txt").write_text("%%%".join(documents), encoding="utf-8")
    base = superword.train(documents, 400, supermerges=False, deletion=None)
    base.save(tmp_path / "base.json")
    output = tmp_path / "model.json"
    arguments: list[str | Path] = [tmp_path / "base.json", tmp_path / "corpus.txt", "-o", output]
    arguments += ["--separator", "%%%", "--add", "30"]
    limits = ["--max-words", "2", "--max-token-bytes", "9", "--forbid", "^ t"]
    done = run(*arguments, *limits, "--kind", "both", "--max-superwords", "0.02")
    assert done.returncode == 0, done.stderr
    tok = superword.extend(
        *(base, documents, 30),
        kind="both",
        max_superwords=0.02,
        max_words=2,
        max_token_bytes=9,
        forbid="^ t",
    )
    assert superword.load(output) == tok
    done = run(*arguments, "--max-superwords", "3")
    assert done.returncode != 0
    assert 'max_superwords needs kind "both"' in done.stderr
