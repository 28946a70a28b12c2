"""`superword encode`, through the installed command."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import superword

COMMAND = Path(sys.executable).parent / "superword"
DOCUMENTS = ["to be or not to be", "", "café <|end|>", "or not\n"]


def run(*arguments: str | Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([COMMAND, "encode", *arguments], input=text, capture_output=True)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.json"
    superword.train(["to be or not to be", "to be"], 259, special_tokens=["<|end|>", "7"]).save(
        path
    )
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.mkdir()
    return path


def read(folder: Path) -> list[list[int]]:
    ids = np.load(folder / "tokens.npy", mmap_mode="r")
    offsets = np.load(folder / "tokens.offsets.npy")
    return [ids[start:end].tolist() for start, end in zip(offsets, offsets[1:], strict=False)]


def refusal(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode().splitlines()
    (sentence,) = [line for line in lines if not line.startswith('{"stage"')]
    assert done.returncode == 1
    assert done.stdout == b""
    return sentence


def test_the_ids_of_a_text_are_printed(model: Path) -> None:
    tok = superword.load(model)
    text = "to be or café"
    ids = tok.encode(text)
    assert run(model, text).stdout.decode() == " ".join(map(str, ids)) + "\n"
    assert json.loads(run(model, text, "--json").stdout) == ids


def test_texts_come_from_files_and_pipes_too(model: Path, tmp_path: Path) -> None:
    tok = superword.load(model)
    text = b"to be\r\n\xff\xfe or not"  # Not UTF-8, and kept.
    (tmp_path / "text").write_bytes(text)
    for done in (
        run(model, text=text),
        run(model, "--file", tmp_path / "text"),
        run(model, "-f", "-", text=text),
    ):
        ids = [int(word) for word in done.stdout.split()]
        assert ids == tok.encode_bytes(text)
        assert tok.decode_bytes(ids) == text


def test_a_special_token_is_text(model: Path) -> None:
    tok = superword.load(model)
    ids = json.loads(run(model, "<|end|>", "--json").stdout)
    assert ids == tok.encode_ordinary("<|end|>") != [tok.special_tokens["<|end|>"]]


def test_a_corpus_becomes_a_file(model: Path, corpus: Path, folder: Path) -> None:
    tok = superword.load(model)
    done = run(model, corpus, "-o", folder / "tokens.npy", "--progress", "none")
    assert done.returncode == 0, done.stderr
    assert read(folder) == [tok.encode_ordinary(text) for text in DOCUMENTS]
    count = sum(map(len, read(folder)))
    assert f"tokens.npy: {count} tokens of 4 documents, 38 bytes; " in done.stderr.decode()
    assert done.stdout == b""


@pytest.mark.parametrize("typed", ["<|end|>", "7", "10"])
def test_an_end_of_text_is_a_special_token_or_an_id(
    model: Path, corpus: Path, folder: Path, typed: str
) -> None:
    tok = superword.load(model)
    end = tok.special_tokens.get(typed, 10)
    done = run(model, corpus, "-o", folder / "tokens.bin", "--end-of-text", typed, "--json")
    assert done.returncode == 0, done.stderr
    about = json.loads((folder / "tokens.bin.json").read_text())
    assert about["end_of_text"] == end
    ids = np.fromfile(folder / "tokens.bin", "<u2").tolist()
    assert ids == [id for text in DOCUMENTS for id in [*tok.encode_ordinary(text), end]]
    assert json.loads(done.stdout)["tokens"] == about["count"] == len(ids)


def test_several_files_standard_input_and_options(model: Path, corpus: Path, folder: Path) -> None:
    tok = superword.load(model)
    (corpus.parent / "b.jsonl").write_text('{"body": "to be"}\n{"body": "not read"}\n')
    line = b'{"body": "or"}\n[]\n{"body": "not"}\n'
    done = run(
        *(model, "-", corpus.parent / "b*.jsonl", "--output", folder / "tokens.npy"),
        *("--column", "body", "--max-documents", "3", "--on-error", "skip", "--threads", "2"),
        text=line,
    )
    assert done.returncode == 0, done.stderr
    assert [tok.decode(ids) for ids in read(folder)] == ["or", "not", "to be"]
    assert "superword: skipped input that cannot be read:" in done.stderr.decode()
    done = run(
        *(model, "-", "-o", folder / "tokens.npy", "--separator", "--", "--max-bytes", "6"),
        text=b"to--be--or--not",
    )
    assert [tok.decode(ids) for ids in read(folder)] == ["to", "be", "or"]


def test_a_table_is_encoded_to_a_table(model: Path, folder: Path) -> None:
    tok = superword.load(model)
    pyarrow.parquet.write_table(pyarrow.table({"text": DOCUMENTS}), folder / "in.parquet")
    done = run(model, folder / "in.parquet", "-o", folder / "out.parquet")
    assert done.returncode == 0, done.stderr
    rows = pyarrow.parquet.read_table(folder / "out.parquet")["ids"].to_pylist()
    assert rows == [tok.encode_ordinary(text) for text in DOCUMENTS]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a", "b"], "several texts"),
        (["a", "--file", "b"], "either a text or a file"),
        (["a", "--end-of-text", "7"], "name an --output"),
        (["-o", "tokens.npy"], "name the corpus after the model"),
        (["-", "-o", "tokens.txt"], "end in one of .npy, .bin, .parquet"),
        (["-", "-o", "tokens.npy", "--end-of-text", "</s>"], "no special token '</s>'"),
        (["-", "-o", "tokens.npy", "--end-of-text", "300"], "no token has the id 300"),
        (["missing.txt", "-o", "tokens.npy"], "missing.txt: No such file or directory"),
        (["--file", "missing.txt"], "missing.txt: No such file or directory"),
    ],
)
def test_invalid_options_end_in_one_sentence(
    model: Path, folder: Path, arguments: list[str], sentence: str
) -> None:
    done = subprocess.run(
        [COMMAND, "encode", model, *arguments], input=b"", capture_output=True, cwd=folder
    )
    assert sentence in refusal(done)
    assert list(folder.iterdir()) == []


def test_a_damaged_corpus_leaves_the_old_file(model: Path, corpus: Path, folder: Path) -> None:
    run(model, corpus, "-o", folder / "tokens.npy")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    corpus.write_bytes(corpus.read_bytes() + b'{"text": "to')
    done = run(model, corpus, "-o", folder / "tokens.npy")
    assert f"{corpus}, line 5" in refusal(done)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("kind", ["npy", "bin", "parquet"])
def test_a_disk_that_is_full_leaves_nothing(
    model: Path, corpus: Path, folder: Path, kind: str
) -> None:
    novels = [json.dumps({"text": text}) + "\n" for text in superword.sample()]
    corpus.write_text("".join(novels) * 3)
    done = subprocess.run(
        [COMMAND, "encode", model, corpus, "-o", folder / f"tokens.{kind}", "--progress", "none"],
        capture_output=True,
        # Stands in for a full disk: writing more fails.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
    )
    assert "File too large" in refusal(done)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["npy", "bin", "parquet"])
def test_control_c_stops_encoding_and_leaves_nothing(
    model: Path, corpus: Path, folder: Path, kind: str
) -> None:
    novels = [json.dumps({"text": text}) + "\n" for text in superword.sample()]
    corpus.write_text("".join(novels) * 20)
    process = subprocess.Popen(
        # The same file many times, so that encoding takes a while.
        [COMMAND, "encode", model, *[corpus] * 500, "-o", folder / f"tokens.{kind}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert process.stderr is not None
    assert json.loads(process.stderr.readline())["stage"] == "encode"
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        process.wait(30)
    finally:
        process.kill()
    assert time.monotonic() - sent < 5
    _, said = process.communicate()
    assert process.returncode == 130
    assert said.decode().splitlines()[-1] == "superword: interrupted"
    assert b"Traceback" not in said
    assert list(folder.iterdir()) == []


def test_help_shows_examples() -> None:
    shown = " ".join(run("--help").stdout.decode().split())
    assert 'superword encode superword-131k "To be or not to be"' in shown
    assert "superword encode model.json corpus/*.jsonl.zst -o tokens.npy" in shown


def test_shards_and_appending(model: Path, folder: Path, tmp_path: Path) -> None:
    for number, text in enumerate(DOCUMENTS):
        (tmp_path / f"{number}.jsonl").write_text(json.dumps({"text": text}) + "\n")
    tok = superword.load(model)
    for shard in ("0/2", "1/2"):
        done = run(model, tmp_path, "-o", folder / "tokens.npy", "--shard", shard, "--append")
        assert done.returncode == 0, done.stderr
    expected = [DOCUMENTS[0], DOCUMENTS[2], DOCUMENTS[1], DOCUMENTS[3]]
    assert read(folder) == [tok.encode_ordinary(text) for text in expected]
    done = run(model, tmp_path, "-o", folder / "tokens.npy", "--shard", "one")
    assert "a shard must be like 0/8, not 'one'" in refusal(done)
    done = run(model, "some text", "--append")
    assert "name an --output" in refusal(done)


def test_a_text_that_names_a_file_is_encoded_with_a_note(model: Path, corpus: Path) -> None:
    done = run(model, str(corpus))
    tok = superword.load(model)
    ids = tok.encode_ordinary(str(corpus))  # A special token may be in the path.
    assert done.stdout.decode().split() == list(map(str, ids))
    note = done.stderr.decode()
    assert f"superword: '{corpus}' is taken as a text, and there is a file of that name" in note
    assert f"--file {corpus} (as one text), or {corpus} -o tokens.npy (as documents)" in note
    assert run(model, f"{corpus} ").stderr == b""
    assert run(model, "--file", corpus).stderr == b""


@pytest.mark.parametrize(
    ("command", "how"),
    [
        (["explain", "model", "corpus"], "type --file {}"),
        (["pretokenize", "corpus"], "type < {}"),
        (["compare", "model", "--text", "corpus"], "type --corpus {}"),
    ],
)
def test_other_commands_note_it_too(
    model: Path, corpus: Path, command: list[str], how: str
) -> None:
    given = [{"model": str(model), "corpus": str(corpus)}.get(each, each) for each in command]
    done = subprocess.run([COMMAND, *given], capture_output=True, text=True)
    assert done.returncode == 0
    assert how.format(corpus) in done.stderr


def test_one_document_is_not_several(model: Path, folder: Path) -> None:
    (folder / "one.txt").write_text("to be")
    done = run(model, folder / "one.txt", "-o", folder / "one.npy")
    assert b" of 1 document, 5 bytes; " in done.stderr


@pytest.mark.parametrize(
    ("typed", "separator"),
    [(r"\0", "\0"), (r"\n\n", "\n\n"), (r"\t|\r", "\t|\r"), (r"a\\n", r"a\n"), ("\n", "\n")],
)
def test_a_separator_may_have_escapes(
    model: Path, folder: Path, typed: str, separator: str
) -> None:
    (folder / "texts.txt").write_bytes(separator.join(["to be", "or", "not"]).encode())
    output = folder / "separated.npy"
    done = run(model, folder / "texts.txt", "-o", output, "--separator", typed)
    assert done.returncode == 0, done.stderr
    assert b"of 3 documents" in done.stderr


@pytest.mark.parametrize("typed", [r"\d", "a\\"])
def test_a_backslash_that_starts_no_escape_is_refused(
    model: Path, folder: Path, typed: str
) -> None:
    (folder / "texts.txt").write_text("to be")
    output = folder / "refused.npy"
    done = run(model, folder / "texts.txt", "-o", output, "--separator", typed)
    assert done.returncode == 1
    assert f"in {typed} is no escape" in done.stderr.decode()
    assert not output.exists()
