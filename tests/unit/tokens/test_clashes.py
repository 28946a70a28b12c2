"""Two outputs never share a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import superword
from superword import Tokenizer, encode_corpus

FIRST = ["to be or not to be", "to be"]
SECOND = ["or not", "to", "be"]


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return superword.train(["to be or not to be", "to be"], 259)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ("data.bin", "data.npy", "data.npy: its offsets go to data.offsets.npy, which belongs to"),
        ("data.npy", "data.bin", "data.bin: its offsets go to data.offsets.npy, which belongs to"),
        (
            "data.bin",
            "data.idx",
            "data.idx: its tokens go to data.bin, which exists and is another",
        ),
        ("data.idx", "data.bin", "data.bin: holds the tokens of data.idx"),
        ("data.npy", "data.offsets.npy", "a name of this form is for offsets"),
    ],
)
@pytest.mark.parametrize("is_described", [True, False])
@pytest.mark.parametrize("append", [False, True])
def test_an_output_that_would_replace_a_file_of_another_is_refused(
    tok: Tokenizer,
    tmp_path: Path,
    first: str,
    second: str,
    sentence: str,
    is_described: bool,
    append: bool,
) -> None:
    encode_corpus(tok, FIRST, tmp_path / first)
    if not is_described:
        for path in tmp_path.glob("*.json"):
            path.unlink()
    before = contents(tmp_path)
    with pytest.raises(ValueError, match="choose another") as refused:
        encode_corpus(tok, SECOND, tmp_path / second, append=append)
    assert sentence in str(refused.value)
    assert contents(tmp_path) == before
    # The first is still its own.
    if is_described:
        encode_corpus(tok, SECOND, tmp_path / first, append=True)


@pytest.mark.parametrize(("first", "second"), [("data.bin", "data.npy"), ("data.npy", "data.bin")])
def test_an_output_with_ends_leaves_the_offsets_of_another(
    tok: Tokenizer, tmp_path: Path, first: str, second: str
) -> None:
    encode_corpus(tok, FIRST, tmp_path / first)
    before = contents(tmp_path)
    encode_corpus(tok, SECOND, tmp_path / second, end_of_text=0)
    assert contents(tmp_path).items() > before.items()
    encode_corpus(tok, SECOND, tmp_path / first, append=True)
    assert len(np.load(tmp_path / "data.offsets.npy")) == 6
    # And the other way round: the first one has offsets again.
    encode_corpus(tok, SECOND, tmp_path / second, end_of_text=0)
    encode_corpus(tok, FIRST, tmp_path / first)
    assert contents(tmp_path).items() > before.items()


def test_an_index_and_an_array_share_nothing(tok: Tokenizer, tmp_path: Path) -> None:
    encode_corpus(tok, FIRST, tmp_path / "data.idx")
    encode_corpus(tok, SECOND, tmp_path / "data.npy")
    encode_corpus(tok, FIRST, tmp_path / "data.idx", append=True)
    encode_corpus(tok, SECOND, tmp_path / "data.npy", append=True)
    assert json.loads((tmp_path / "data.bin.json").read_text())["documents"] == 4
    assert json.loads((tmp_path / "data.npy.json").read_text())["documents"] == 6


def test_each_output_is_written_again(tok: Tokenizer, tmp_path: Path) -> None:
    for name in ("a.npy", "b.bin", "c.idx", "d.parquet"):
        encode_corpus(tok, FIRST, tmp_path / name)
        encode_corpus(tok, SECOND, tmp_path / name)
        encode_corpus(tok, SECOND, tmp_path / name, end_of_text=0)
