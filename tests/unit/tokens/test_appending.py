"""Files to append to are checked as a whole before anything is written."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import superword
from superword import Tokenizer, encode_corpus
from superword.tokenizer import TrainingConfig

DOCUMENTS = ["to be or not to be", "", "café", "or not"]
MORE = ["to be", "or not"]


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return superword.train(["to be or not to be", "to be"], 259, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def large(tok: Tokenizer) -> Tokenizer:
    special = [f"<{number}>" for number in range(2**16)]
    return Tokenizer._from_rules(list(tok.rules), TrainingConfig(vocab_size=259), special)


def describe(name: str, **changed: object) -> Callable[[Path], None]:
    """Return a function that changes fields of a description."""

    def change(folder: Path) -> None:
        fields = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(fields | changed))

    return change


def write(name: str, data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return change


def edit(name: str, start: int, data: bytes) -> Callable[[Path], None]:
    """Return a function that overwrites some bytes of a file."""

    def change(folder: Path) -> None:
        with (folder / name).open("r+b") as file:
            file.seek(start)
            file.write(data)

    return change


def cut(name: str, by: int = 1) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:-by] if by > 0 else data + bytes(-by))

    return change


def save(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Return a function that changes the array in a file."""
    return lambda folder: np.save(folder / name, change(np.load(folder / name)))


def old(name: str, change: Callable[[Path], None]) -> Callable[[Path], None]:
    """Return a change, after one that makes the description that of an earlier version."""

    def change_both(folder: Path) -> None:
        describe(name, files={})(folder)
        change(folder)

    return change_both


def swap(values: Any) -> Any:
    """Return offsets with the same first, last and number, but others in between."""
    values[1:-1] = np.sort(values[-1] - values[1:-1])
    return values


NPY, BIN, OFFSETS = "tokens.npy", "tokens.bin", "tokens.offsets.npy"
CHANGES: dict[str, tuple[str, str, Callable[[Path], None]]] = {
    "pointers": (BIN, "tokens.bin.json", describe("tokens.bin.json", dtype="O")),
    "pointers in npy": (NPY, "tokens.npy.json", describe("tokens.npy.json", dtype="O")),
    "another dtype": (BIN, "tokens.bin.json", describe("tokens.bin.json", dtype="uint32")),
    "a dtype that is no text": (BIN, "tokens.bin.json", describe("tokens.bin.json", dtype=[1])),
    "a smaller count": (BIN, BIN, describe("tokens.bin.json", count=1)),
    "a larger count": (BIN, BIN, describe("tokens.bin.json", count=10**9)),
    "a count that is no size": (BIN, "tokens.bin.json", describe("tokens.bin.json", count=10**30)),
    "documents that are no size": (
        "tokens.idx",
        "tokens.bin.json",
        describe("tokens.bin.json", documents=2**64),
    ),
    "a negative count": (BIN, "tokens.bin.json", describe("tokens.bin.json", count=-1)),
    "a count of 1.5": (BIN, "tokens.bin.json", describe("tokens.bin.json", count=1.5)),
    "a count that is true": (BIN, "tokens.bin.json", describe("tokens.bin.json", count=True)),
    "other documents": (BIN, OFFSETS, describe("tokens.bin.json", documents=2)),
    "no documents": (BIN, "tokens.bin.json", describe("tokens.bin.json", documents=None)),
    "files that are a list": (BIN, "tokens.bin.json", describe("tokens.bin.json", files=[1])),
    "files of an index": (BIN, "tokens.bin.json", describe("tokens.bin.json", files={"index": {}})),
    "another checksum": (
        BIN,
        OFFSETS,
        describe("tokens.bin.json", files={"ids": {}, "offsets": {}}),
    ),
    "no JSON": (BIN, "tokens.bin.json", write("tokens.bin.json", b"{")),
    "no object": (BIN, "tokens.bin.json", write("tokens.bin.json", b"[]")),
    "deep nesting": (BIN, "tokens.bin.json", write("tokens.bin.json", b"[" * 10**6)),
    "no UTF-8": (BIN, "tokens.bin.json", write("tokens.bin.json", b'{"\xff": 1}')),
    "a truncated bin": (BIN, BIN, cut(BIN)),
    "a longer bin": (BIN, BIN, cut(BIN, -2)),
    "other ids": (BIN, BIN, edit(BIN, 0, b"\xff")),
    "a truncated npy": (NPY, NPY, cut(NPY)),
    "a longer npy": (NPY, NPY, cut(NPY, -2)),
    "a cut header": (NPY, NPY, write(NPY, b"\x93NUMPY")),
    "floats": (NPY, NPY, save(NPY, lambda ids: ids.astype("f4"))),
    "floats of the same size": (NPY, NPY, save(NPY, lambda ids: ids.astype("f2"))),
    "big-endian ids": (NPY, NPY, save(NPY, lambda ids: ids.astype(">u2"))),
    "two dimensions": (NPY, NPY, save(NPY, lambda ids: ids.reshape(1, -1))),
    "pickled objects": (NPY, NPY, save(NPY, lambda ids: ids.astype(object))),
    "other ids in npy": (NPY, NPY, save(NPY, lambda ids: ids + 1)),
    "no offsets": (NPY, OFFSETS, lambda folder: (folder / OFFSETS).unlink()),
    "foreign offsets": (NPY, OFFSETS, save(OFFSETS, lambda offsets: offsets[:-1])),
    "offsets of the same number": (NPY, OFFSETS, save(OFFSETS, swap)),
    "offsets beyond the end": (
        NPY,
        OFFSETS,
        old("tokens.npy.json", save(OFFSETS, lambda offsets: offsets * 2)),
    ),
    "falling offsets": (
        NPY,
        OFFSETS,
        old(
            "tokens.npy.json",
            save(OFFSETS, lambda offsets: offsets[[0, 2, 1, 3, 4]] + [0, 5, 0, 5, 0]),
        ),
    ),
    "offsets from 1": (
        NPY,
        OFFSETS,
        old("tokens.npy.json", save(OFFSETS, lambda offsets: np.maximum(offsets, 1))),
    ),
    "signed offsets": (NPY, OFFSETS, save(OFFSETS, lambda offsets: offsets.astype("i8"))),
    "another magic": ("tokens.idx", "tokens.idx", edit("tokens.idx", 0, b"X")),
    "another code": ("tokens.idx", "tokens.idx", edit("tokens.idx", 17, b"\4")),
    "other lengths": ("tokens.idx", "tokens.idx", edit("tokens.idx", 34, struct.pack("<2i", 1, 1))),
    "lengths of another file": (
        "tokens.idx",
        "tokens.idx",
        old("tokens.bin.json", edit("tokens.idx", 34, struct.pack("<2i", 1, 1))),
    ),
    "negative lengths": (
        "tokens.idx",
        "tokens.idx",
        old("tokens.bin.json", edit("tokens.idx", 34, struct.pack("<i", -1))),
    ),
    "other bounds": ("tokens.idx", "tokens.idx", edit("tokens.idx", 34 + 12 * 4, b"\1")),
    "more sequences": ("tokens.idx", "tokens.idx", edit("tokens.idx", 18, b"\xff" * 8)),
    "a truncated index": ("tokens.idx", "tokens.idx", cut("tokens.idx")),
    "tokens of another file": ("tokens.idx", BIN, edit(BIN, 0, b"\xff")),
    "truncated tokens": ("tokens.idx", BIN, cut(BIN, 2)),
    "no table": ("tokens.parquet", "tokens.parquet", write("tokens.parquet", b"PAR1")),
    "a truncated table": ("tokens.parquet", "tokens.parquet", cut("tokens.parquet", 9)),
    "damaged pages": ("tokens.parquet", "tokens.parquet", edit("tokens.parquet", 4, b"\xff" * 40)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_named_and_nothing_is_written(
    tok: Tokenizer, tmp_path: Path, name: str
) -> None:
    output, culprit, change = CHANGES[name]
    encode_corpus(tok, DOCUMENTS, tmp_path / output)
    change(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    documents = iter(MORE)
    with pytest.raises(ValueError, match=r"encode anew") as refused:
        encode_corpus(tok, documents, tmp_path / output, append=True)
    assert str(refused.value).startswith(f"{tmp_path / culprit}: ")
    assert list(documents) == MORE, "nothing is read"
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("column", ["ids", "texts"])
def test_a_table_of_other_columns_is_refused(tok: Tokenizer, tmp_path: Path, column: str) -> None:
    path = tmp_path / "tokens.parquet"
    metadata = {"superword.fingerprint": tok.fingerprint}
    table = pyarrow.table({column: [["to"], ["be"]]}).replace_schema_metadata(metadata)
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(ValueError, match="must have one column, ids, of lists of int32"):
        encode_corpus(tok, MORE, path, append=True)


@pytest.mark.parametrize("output", [NPY, BIN, "tokens.idx", "tokens.parquet"])
@pytest.mark.parametrize("end", [None, "<0>"])
@pytest.mark.parametrize("is_old", [False, True])
def test_files_of_earlier_versions_are_appended_to(
    large: Tokenizer, tmp_path: Path, output: str, end: str | None, is_old: bool
) -> None:
    encode_corpus(large, DOCUMENTS, tmp_path / output, end_of_text=end)
    for path in tmp_path.glob("*.json"):
        fields = json.loads(path.read_text())
        if is_old:
            del fields["files"]
        path.write_text(json.dumps(fields))
    encode_corpus(large, MORE, tmp_path / output, end_of_text=end, append=True)
    (tmp_path / "whole").mkdir()
    encode_corpus(large, [*DOCUMENTS, *MORE], tmp_path / "whole" / output, end_of_text=end)
    for path in (tmp_path / "whole").iterdir():
        if path.suffix == ".parquet":
            whole, pieces = map(pyarrow.parquet.read_table, (path, tmp_path / output))
            assert whole.equals(pieces)
        else:
            assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_a_description_cannot_make_numpy_read_pointers(tok: Tokenizer, tmp_path: Path) -> None:
    encode_corpus(tok, DOCUMENTS, tmp_path / BIN, end_of_text=0)
    tok.save(tmp_path / "model.json")
    (tmp_path / BIN).write_bytes(bytes(range(1, 255)) * 8)
    describe("tokens.bin.json", dtype="O", count=254)(tmp_path)
    (tmp_path / "more.txt").write_text("to be")
    arguments = ["encode", "model.json", "more.txt", "-o", BIN, "--append", "--end-of-text", "0"]
    done = subprocess.run(
        [sys.executable, "-c", "from superword.cli import app; app()", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, "a signal ended it"
    assert "tokens.bin.json: the dtype must be 'uint16'" in done.stderr
