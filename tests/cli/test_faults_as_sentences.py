"""A damaged file, a hostile argument, or an output that fails ends a command in one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import superword
from superword.cli import app
from superword.evaluation import bits_per_byte, save_bits_per_byte

RUN = [sys.executable, "-c", "from superword.cli import app; app()"]
DEEP = 100_000


def run(
    folder: Path, *arguments: str | bytes, text: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*RUN, *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        env={**os.environ, **environment},
    )


def only_sentence(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the sentence that a command ends in."""
    (line,) = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert done.stdout in (b"", None)
    assert line.startswith("superword: ")
    return line


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model, its tiktoken file, and a corpus."""
    path = tmp_path_factory.mktemp("folder")
    documents = ["to be or not to be", "to be"] * 3
    plain = {"supermerges": False, "deletion": None, "pattern": "gpt2"}
    tok = superword.train(documents, 258, special_tokens=["<|end|>"], **plain)  # type: ignore[arg-type]
    tok.save(path / "model.json")
    superword.export(tok, path / "bpe.tiktoken", "tiktoken")
    (path / "corpus.txt").write_text("to be or not to be")
    bits = bits_per_byte(
        lambda windows: [[-1.0] * (len(ids) - first) for ids, first in windows],
        documents,
        tokenizer=tok,
    )
    save_bits_per_byte([bits], path / "bits.json")
    return path


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        ("4294967296", "an id must be an integer from 0 to 4294967295, not '4294967296'"),
        ("[4294967296]", "an id must be an integer from 0 to 4294967295, not 4294967296"),
        ("9" * 5000, "an id must be an integer from 0 to 4294967295, not '9999"),
        ("[" + "9" * 5000 + "]", "an id must be an integer from 0 to 4294967295, not '9999"),
        ("[-" + "9" * 5000 + "]", "an id must be an integer from 0 to 4294967295, not '-999"),
        ("[" * DEEP, "the ids are not a JSON array: it is nested too deeply"),
    ],
)
def test_ids_that_no_model_has(folder: Path, ids: str, sentence: str) -> None:
    line = only_sentence(run(folder, "decode", "model.json", text=ids.encode()))
    assert sentence in line
    assert len(line) < 200


@pytest.mark.parametrize("start", ["[", '{"a":', '{"model":{"vocab":'])
def test_deep_nesting(folder: Path, tmp_path: Path, start: str) -> None:
    (tmp_path / "deep.json").write_text(start * DEEP)
    deep = str(tmp_path / "deep.json")
    only_sentence(run(folder, "inspect", deep))
    arguments = ["extend", deep, "corpus.txt", "--add", "1", "-o", "new.json"]
    assert "deep.json" in only_sentence(run(folder, *arguments))


@pytest.mark.parametrize(
    "damage",
    [
        *("", "{}", "[]", "null", '"x"', '{"pat_str": 1', "[" * DEEP),
        '{"pat_str": "x", "special_tokens": {"<e>": 4294967296}}',
        '{"pat_str": "x", "special_tokens": {"<e>": "7"}}',
        '{"pat_str": "x", "special_tokens": []}',
        '{"pat_str": 7, "special_tokens": {}}',
    ],
)
def test_a_damaged_file_beside_a_vocabulary(folder: Path, tmp_path: Path, damage: str) -> None:
    (tmp_path / "a.tiktoken").write_bytes((folder / "bpe.tiktoken").read_bytes())
    (tmp_path / "a.tiktoken.json").write_text(damage)
    arguments = ["extend", str(tmp_path / "a.tiktoken"), "corpus.txt", "--add", "1", "-o", "n.json"]
    assert "a.tiktoken.json: " in only_sentence(run(folder, *arguments))


@pytest.mark.parametrize("damage", ["", "[]", "null", '"x"', '{"dtype"', "[" * DEEP])
def test_a_damaged_file_beside_tokens(folder: Path, tmp_path: Path, damage: str) -> None:
    output = tmp_path / "tokens.bin"
    superword.encode_corpus(superword.load(folder / "model.json"), ["to be"], output)
    (tmp_path / "tokens.bin.json").write_text(damage)
    arguments = ["encode", "model.json", "corpus.txt", "-o", str(output), "--append"]
    assert "tokens.bin.json: " in only_sentence(run(folder, *arguments))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            '{"model": {"type": "BPE", "vocab": {"a": 4294967296}, "merges": []}}',
            "",
        ),
        ('{"model": {"type": "BPE", "vocab": {"\\ud800": 1}, "merges": []}}', ""),
        ('{"model": 5}', "not a tokenizer.json"),
    ],
)
def test_a_damaged_tokenizer_json(
    folder: Path, tmp_path: Path, content: str, sentence: str
) -> None:
    (tmp_path / "tokenizer.json").write_text(content)
    arguments = [str(tmp_path), "corpus.txt", "--add", "1", "-o", "new.json"]
    line = only_sentence(run(folder, "extend", *arguments))
    assert "tokenizer.json: " in line
    assert sentence in line


PRINTING = {
    "inspect": ["inspect", "model.json"],
    "inspect as JSON": ["inspect", "model.json", "--json"],
    "inspect as CSV": ["inspect", "model.json", "--csv"],
    "encode": ["encode", "model.json", "to be café"],
    "decode": ["decode", "model.json", "116 111"],
    "explain": ["explain", "model.json", "to be café"],
    "explain as JSON": ["explain", "model.json", "to be café", "--json"],
    "pretokenize": ["pretokenize", "to be café"],
    "compare": ["compare", "model.json", "--text", "to be café"],
    "evaluate": ["evaluate", "model.json", "--corpus", "corpus.txt", "--progress", "none"],
    "bpb": ["bpb", "bits.json"],
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", [*PRINTING, "help", "help of a command", "version"])
def test_a_full_standard_output(folder: Path, name: str) -> None:
    more = {"help": ["--help"], "help of a command": ["train", "--help"], "version": ["--version"]}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*RUN, *(PRINTING | more)[name]],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1" * (len(name) % 2)},
        )
    assert only_sentence(done) == "superword: standard output: No space left on device"


@pytest.mark.parametrize("name", PRINTING)
def test_a_closed_standard_output(folder: Path, name: str) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *RUN, *PRINTING[name]], cwd=folder, stderr=subprocess.PIPE
    )
    assert only_sentence(done) == "superword: standard output: Bad file descriptor"


def test_a_closed_output_that_is_not_needed(folder: Path, tmp_path: Path) -> None:
    arguments = ["encode", "model.json", "corpus.txt", "-o", str(tmp_path / "tokens.npy")]
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *RUN, *arguments], cwd=folder)
        assert done.returncode == 0
    missing = ["sh", "-c", '"$@" 2>&-', "sh", *RUN, "inspect", "missing.json"]
    assert subprocess.run(missing, cwd=folder).returncode == 1


@pytest.mark.parametrize("name", PRINTING)
def test_a_pipe_that_nobody_reads(folder: Path, name: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*RUN, *PRINTING[name]],
        cwd=folder,
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1" * (len(name) % 2)},
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("name", "encoding"),
    [*((name, "ascii") for name in PRINTING), ("compare", "cp1252"), ("explain", "utf-16")],
)
def test_an_output_encoding_that_is_not_utf8(folder: Path, name: str, encoding: str) -> None:
    done = run(folder, *PRINTING[name], PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    if name != "decode":
        done.stdout.decode(encoding)


def test_an_error_in_an_encoding_that_is_not_utf8(folder: Path) -> None:
    done = run(folder, "inspect", "é.json", PYTHONIOENCODING="ascii:strict")
    assert only_sentence(done) == "superword: \\xe9.json: No such file or directory"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_file_name_that_is_not_utf8(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("to be")
    ignored = os.fsencode(tmp_path) + b"/\xff.png"
    bad = os.fsencode(tmp_path) + b"/\xff.txt"
    Path(os.fsdecode(ignored)).write_text("not read")
    encode = ["encode", "model.json", str(tmp_path), "-o", str(tmp_path / "tokens.npy")]
    assert run(folder, *encode).returncode == 0
    Path(os.fsdecode(bad)).write_text("or not")
    reason = "\\udcff.txt': the name is not UTF-8; rename the file, or pass it on standard input"
    assert reason in only_sentence(run(folder, *encode))
    named = run(folder, "evaluate", "model.json", "--corpus", bad)
    assert reason in only_sentence(named)
    piped = run(folder, *encode[:2], "-", *encode[3:], text=b'{"text": "to be"}\n')
    assert piped.returncode == 0


@pytest.mark.parametrize("output", [".", "missing/model.json", "/proc/model.json"])
@pytest.mark.parametrize("command", ["train", "extend"])
def test_an_output_is_tried_before_the_corpus_is_read(
    command: str, output: str, tmp_path: Path
) -> None:
    model = tmp_path / "model.json"
    superword.train(["to be or not to be"], 258).save(model)
    before = sorted(tmp_path.iterdir())
    arguments = {
        "train": ["train", "no such corpus", "--vocab-size", "300"],
        "extend": ["extend", str(model), "no such corpus", "--add", "1"],
    }[command]
    path = tmp_path / output
    result = CliRunner().invoke(app, [*arguments, "-o", str(path)])
    assert result.exit_code == 1
    assert "corpus" not in result.stderr
    assert str(path.parent if output.startswith("missing") else path) in result.stderr
    assert sorted(tmp_path.iterdir()) == before
