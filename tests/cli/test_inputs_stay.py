"""No command overwrites what it reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pyarrow
import pyarrow.parquet
import pytest
import typer.main
from typer.testing import CliRunner

import superword
from superword import Tokenizer, encode_corpus
from superword.cli import app
from superword.evaluation import bits_per_byte, save_bits_per_byte

TEXTS = ["to be or not to be", "to be", "or not"]
GROUP: Any = typer.main.get_command(app)
COMMANDS: dict[str, click.Command] = GROUP.commands
# Each command, with OUT for the output, and the input that it must not be.
CASES: list[tuple[str, str]] = [
    ("train c.jsonl -o OUT --vocab-size 257", "c.jsonl"),
    ("train texts -o OUT --vocab-size 257", "texts/deep/a.jsonl"),
    ("train texts/*/*.jsonl -o OUT --vocab-size 257", "texts/deep/a.jsonl"),
    ("train c.jsonl texts/**/*.jsonl -o OUT --vocab-size 257", "texts/deep/a.jsonl"),
    ("train --counts counted -o OUT --vocab-size 257", "counted/pretokens-0-of-1.parquet"),
    ("train --counts counted -o OUT --vocab-size 257", "counted/pretokens-0-of-1.json"),
    ("extend bpe.json c.jsonl -o OUT --add 1", "bpe.json"),
    ("extend folder c.jsonl -o OUT --add 1", "folder/superword.json"),
    ("extend bpe.json c.jsonl -o OUT --add 1", "c.jsonl"),
    ("extend bpe.json c.jsonl -o new.json --id-map OUT --add 1", "bpe.json"),
    ("extend bpe.json c.jsonl -o OUT --add 1 --base-text texts", "texts/deep/a.jsonl"),
    ("extend bpe.json --counts counted -o OUT --add 1", "counted/bigrams-0-of-1.parquet"),
    ("count c.jsonl counted/*.parquet -o OUT", "counted"),
    ("count texts -o OUT", "texts"),
    ("count texts -o OUT", "texts/deep"),
    ("merge-counts counted -o OUT", "counted"),
    ("encode model.json c.parquet -o OUT", "c.parquet"),
    ("encode model.json tables -o OUT", "tables/a.parquet"),
    ("encode model.json tables/*.parquet -o OUT", "tables/a.parquet"),
    ("encode m.parquet c.jsonl -o OUT", "m.parquet"),
    ("decode model.json --file ids.txt -o OUT", "ids.txt"),
    ("decode model.json 65 -o OUT", "model.json"),
    ("explain m.html to --html OUT", "m.html"),
    ("explain model.json --file page.html --html OUT", "page.html"),
    ("export bpe.json -o OUT", "bpe.json"),
    ("export bpe.json -o OUT --check c.jsonl", "c.jsonl"),
    ("prune folder c.jsonl --to 257 -o folder", "folder/superword.json"),
    ("prune bpe.json c.jsonl --to 257 -o linked", "bpe.json"),
    ("compare m.html bpe.json --corpus c.jsonl --html OUT", "m.html"),
    ("compare m.svg bpe.json --corpus c.jsonl -o OUT", "m.svg"),
    ("bpb bits.json -o OUT", "bits.json"),
    (
        "reproduce --train results/models/a.jsonl --eval c.jsonl -o results",
        "results/models/a.jsonl",
    ),
    ("reproduce --config results/steps.json -o results", "results/steps.json"),
]
# Files beside an output, or two outputs of one name.
BESIDE = [
    ("encode t.bin.json c.jsonl -o t.bin", "t.bin.json is a file that is read"),
    ("encode t.bin.json c.jsonl -o t.idx", "t.bin.json is a file that is read"),
    ("export x.tiktoken.json -o x.tiktoken", "x.tiktoken.json is a file that is read"),
    ("extend bpe.json c.jsonl -o id_map.json --add 1", "id_map.json is written twice"),
    ("compare bpe.json --corpus c.jsonl -o p.html --html p.html", "p.html is written twice"),
]


@pytest.fixture(scope="module")
def models() -> dict[str, Tokenizer]:
    plain: dict[str, Any] = {"supermerges": False, "deletion": None, "pattern": "gpt2"}
    return {
        "bpe": superword.train(TEXTS, 258, **plain),
        "model": superword.train(TEXTS, 258),
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: dict[str, Tokenizer]) -> Path:
    """Change to a folder with everything that the commands read."""
    monkeypatch.chdir(tmp_path)
    for name in ("texts/deep", "tables", "folder", "linked", "results/models"):
        Path(name).mkdir(parents=True)
    rows = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    for name in ("c.jsonl", "texts/deep/a.jsonl", "results/models/a.jsonl"):
        Path(name).write_text(rows)
    for name in ("c.parquet", "tables/a.parquet"):
        pyarrow.parquet.write_table(pyarrow.table({"text": TEXTS}), name)
    Path("ids.txt").write_text("65 66")
    Path("page.html").write_text("to be")
    Path("results/steps.json").write_text('train = "c.jsonl"\neval = "c.jsonl"\n')
    for name in ("bpe.json", "folder/superword.json", "t.bin.json", "x.tiktoken.json"):
        models["bpe"].save(name)
    for name in ("model.json", "m.parquet", "m.html", "m.svg"):
        models["model"].save(name)
    superword.count([Path("c.jsonl")], "counted")
    bits = bits_per_byte(
        lambda windows: [[-1.0] * (len(ids) - first) for ids, first in windows],
        TEXTS,
        tokenizer=models["bpe"],
        end_of_text=0,
    )
    save_bits_per_byte([bits], "bits.json")
    os.link("bpe.json", "linked/superword.json")
    return tmp_path


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refuse(folder: Path, arguments: list[str], sentence: str) -> None:
    """Check that a command is refused, and that everything is as it was."""
    before = contents(folder)
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (1, ""), done.output
    assert sentence in done.stderr
    assert contents(folder) == before


def test_every_command_that_writes_is_here() -> None:
    names = {"--output", "--html"}
    writing = {
        name
        for name, command in COMMANDS.items()
        if any(names.intersection(each.opts) for each in command.params)
    }
    assert {case.split()[0] for case, _ in CASES} == writing


def list_ways(command: str, read: str) -> list[str]:
    """Return the ways to name an input as the output; folders have no hard links."""
    links = ["symbolic link", "hard link"] if Path(read).suffix else ["symbolic link"]
    return ["same", "other spelling", *(links if "OUT" in command else [])]


@pytest.mark.parametrize(
    ("command", "read", "way"), [(*case, way) for case in CASES for way in list_ways(*case)]
)
def test_an_output_that_is_an_input_is_refused(
    folder: Path, command: str, read: str, way: str
) -> None:
    output = Path(read)
    if way == "other spelling":
        output = folder / "texts" / ".." / read
    elif way != "same":
        output = Path(f"other{output.suffix}")
        (os.link if way == "hard link" else os.symlink)(read, output)
    arguments = [str(output) if each == "OUT" else each for each in command.split()]
    refuse(folder, arguments, " that is read; name another one")


@pytest.mark.parametrize(("command", "sentence"), BESIDE)
def test_files_beside_an_output_are_outputs(folder: Path, command: str, sentence: str) -> None:
    refuse(folder, command.split(), sentence)


def test_a_file_on_standard_input_is_an_input(folder: Path) -> None:
    before = contents(folder)
    with Path("c.jsonl").open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", "from superword.cli import app; app()"]
            + ["train", "-", "-o", "c.jsonl", "--vocab-size", "257"],
            stdin=file,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert "c.jsonl is a file that is read" in done.stderr
    assert contents(folder) == before


def test_an_output_that_exists_and_is_not_read_is_replaced(folder: Path) -> None:
    shutil.copy("bpe.json", "counted/model.json")
    shutil.copy("bpe.json", "texts/model.json")
    for arguments in (
        ["train", "texts", "-o", "texts/model.json", "--vocab-size", "257"],
        ["train", "c.jsonl", "-o", "counted/model.json", "--vocab-size", "257"],
        ["encode", "model.json", "c.jsonl", "-o", "t.npy"],
        ["encode", "model.json", "c.jsonl", "-o", "t.npy"],
    ):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize("kind", [list, iter, tuple, set])
def test_functions_refuse_too(folder: Path, models: dict[str, Tokenizer], kind: Any) -> None:
    before = contents(folder)
    for corpus in (kind([Path("c.parquet")]), "c.parquet", Path("*.parquet")):
        with pytest.raises(ValueError, match="^c.parquet is a file that is read"):
            encode_corpus(models["model"], corpus, "c.parquet")
    if kind is not set:
        with pytest.raises(ValueError, match="^texts is a folder that is read"):
            superword.count(kind([Path("texts")]), "texts")
    with pytest.raises(superword.CountsError, match="^counted is a folder that is read"):
        superword.merge_counts(kind([Path("counted")]), "counted")
    assert contents(folder) == before
