"""`superword decode`, through the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_command

import superword

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str | Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return run_command(*arguments, text=text)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.json"
    superword.train(["to be or not to be", "to be"], 259, special_tokens=["<|end|>"]).save(path)
    return path


def test_ids_come_as_arguments_in_files_and_in_pipes(model: Path, tmp_path: Path) -> None:
    tok = superword.load(model)
    ids = [*tok.encode("to be\n"), 0xC3, *tok.special_tokens.values()]
    words = " ".join(map(str, ids))
    (tmp_path / "ids").write_text(words.replace(" ", "\n\n"))
    for done in (
        run("decode", model, *words.split()),
        run("decode", model, words),
        run("decode", model, "--file", tmp_path / "ids"),
        run("decode", model, text=words.encode()),
        run("decode", model, text=json.dumps(ids, indent=1).encode()),
    ):
        assert done.stdout == b"to be\n\xc3<|end|>", done.stderr
    assert json.loads(run("decode", model, words, "--json").stdout) == "to be\n\ufffd<|end|>"


def test_nothing_is_decoded_to_nothing(model: Path) -> None:
    for text in (b"", b"\n", b"[]"):
        done = run("decode", model, text=text)
        assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_decoding_returns_the_encoded_text(model: Path, options: list[str]) -> None:
    text = bytes(range(256)) + "to be or café\r\n".encode()
    encoded = run("encode", model, *options, text=text)
    assert run("decode", model, text=encoded.stdout).stdout == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"1 two", "an id must be an integer from 0 to 4294967295, not 'two'"),
        (b"1 -2", "an id must be an integer from 0 to 4294967295, not '-2'"),
        (b"[1, true]", "an id must be an integer from 0 to 4294967295, not True"),
        (b"[1, [2]]", "an id must be an integer from 0 to 4294967295, not [2]"),
        (b"[1, 2", "the ids are not a JSON array: "),
        (b"300", "300"),
        (b"99999999999", "an id must be an integer"),
        (b"\xff", "standard input: byte 0 is not UTF-8"),
    ],
)
def test_an_invalid_id_ends_in_one_sentence(model: Path, text: bytes, sentence: str) -> None:
    done = run("decode", model, text=text)
    (line,) = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert done.stdout == b""
    assert line.startswith("superword: ")
    assert sentence in line


def test_help_shows_examples() -> None:
    shown = " ".join(run("decode", "--help").stdout.decode().split())
    assert "superword decode model.json 84 111 32 98 101" in shown
