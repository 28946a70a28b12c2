"""`superword.encode_corpus` and its files."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

import superword
from superword import Tokenizer, encode_corpus
from superword.tokenizer import TrainingConfig
from superword.tokens import writers
from superword.tokens.corpus_encoding import choose_dtype

# Empty documents at the start, in the middle and at the end; a special token as text; non-ASCII.
DOCUMENTS = ["", "to be or not to be", "", "café <|end|>", "or not\r\n", ""]
FORMATS = ["npy", "bin", "parquet"]


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return superword.train(["to be or not to be", "to be"], 259, special_tokens=["<|end|>", "7"])


@pytest.fixture(scope="module")
def large(tok: Tokenizer) -> Tokenizer:
    """Return a tokenizer with more ids than uint16 holds."""
    special = [f"<{number}>" for number in range(2**16)]
    return Tokenizer._from_rules(list(tok.rules), TrainingConfig(vocab_size=259), special)


def read(path: Path) -> list[list[int]]:
    """Return the documents of a file with offsets, or of a table."""
    if path.suffix == ".parquet":
        rows: list[list[int]] = pyarrow.parquet.read_table(path)["ids"].to_pylist()
        return rows
    ids = read_flat(path)
    offsets = np.load(path.with_suffix(".offsets.npy"), mmap_mode="r")
    assert offsets.dtype == np.dtype("<u8")
    return [ids[start:end].tolist() for start, end in zip(offsets, offsets[1:], strict=False)]


def read_flat(path: Path) -> np.ndarray[Any, np.dtype[Any]]:
    if path.suffix == ".npy":
        array: np.ndarray[Any, np.dtype[Any]] = np.load(path, mmap_mode="r")
        return array
    about = json.loads(path.with_name(path.name + ".json").read_text())
    assert path.stat().st_size == np.dtype(about["dtype"]).itemsize * about["count"]
    return np.fromfile(path, np.dtype(about["dtype"]).newbyteorder("<"))


def checksum(path: Path, header: int = 0) -> dict[str, object]:
    data = path.read_bytes()[header:]
    return {"bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}


@pytest.mark.parametrize("kind", FORMATS)
def test_documents_are_returned_in_order(tok: Tokenizer, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"tokens.{kind}"
    encoded = encode_corpus(tok, DOCUMENTS, path)
    assert read(path) == [tok.encode_ordinary(document) for document in DOCUMENTS]
    assert encoded.documents == len(DOCUMENTS)
    assert encoded.bytes == sum(len(document.encode()) for document in DOCUMENTS)
    assert encoded.tokens == sum(map(len, read(path)))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("threads", [1, 3])
def test_several_batches_give_the_same_result(
    tok: Tokenizer, tmp_path: Path, kind: str, threads: int
) -> None:
    # The document in the middle is larger than a batch.
    novels = list(superword.sample())
    documents = [*novels, "\n".join(novels) * 6, "", *novels[::-1]]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents))
    path = tmp_path / f"tokens.{kind}"
    encode_corpus(tok, corpus, path, threads=threads)
    ids, offsets = tok.encode_batch_to_numpy(documents, 2)
    if kind == "parquet":
        rows = pyarrow.parquet.read_table(path)["ids"].combine_chunks()
        assert np.array_equal(rows.values.to_numpy(), ids)
        assert np.array_equal(rows.offsets.to_numpy(), offsets)
        assert pyarrow.parquet.ParquetFile(path).num_row_groups > 1
    else:
        assert np.array_equal(read_flat(path), ids)
        assert np.array_equal(np.load(tmp_path / "tokens.offsets.npy"), offsets)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("end", ["<|end|>", 259, 10])
def test_an_end_of_text_follows_each_document(
    tok: Tokenizer, tmp_path: Path, kind: str, end: int | str
) -> None:
    path = tmp_path / f"tokens.{kind}"
    encoded = encode_corpus(tok, DOCUMENTS, path, end_of_text=end)
    id = 10 if end == 10 else 259
    expected = [[*tok.encode_ordinary(document), id] for document in DOCUMENTS]
    flat = [id for ids in expected for id in ids]
    if kind == "parquet":
        assert read(path) == expected
    else:
        assert read_flat(path).tolist() == flat
        assert not (tmp_path / "tokens.offsets.npy").exists()
    assert encoded.tokens == len(flat)


def test_offsets_from_before_do_not_stay_beside_an_end_of_text(
    tok: Tokenizer, tmp_path: Path
) -> None:
    encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.npy")
    encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.npy", end_of_text=0)
    assert {path.name for path in tmp_path.iterdir()} == {"tokens.npy", "tokens.npy.json"}


def test_the_description_says_how_to_read_a_bin_file(tok: Tokenizer, tmp_path: Path) -> None:
    encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.bin", end_of_text="<|end|>")
    assert json.loads((tmp_path / "tokens.bin.json").read_text()) == {
        "dtype": "uint16",
        "count": len(read_flat(tmp_path / "tokens.bin")),
        "documents": len(DOCUMENTS),
        "fingerprint": tok.fingerprint,
        "end_of_text": 259,
        "files": {"ids": checksum(tmp_path / "tokens.bin")},
    }
    encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.bin")
    about = json.loads((tmp_path / "tokens.bin.json").read_text())
    assert about["end_of_text"] is None
    assert about["files"] == {
        "ids": checksum(tmp_path / "tokens.bin"),
        "offsets": checksum(tmp_path / "tokens.offsets.npy", 128),
    }
    names = {"tokens.bin", "tokens.bin.json", "tokens.offsets.npy"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_table_has_the_fingerprint(tok: Tokenizer, tmp_path: Path) -> None:
    encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.parquet", end_of_text=3)
    schema = pyarrow.parquet.read_schema(tmp_path / "tokens.parquet")
    assert schema.metadata[b"superword.fingerprint"] == tok.fingerprint.encode()
    assert schema.metadata[b"superword.end_of_text"] == b"3"
    assert schema.field("ids").type.value_type == pyarrow.int32()


@pytest.mark.parametrize("kind", ["npy", "bin"])
def test_ids_have_two_bytes_if_all_ids_fit(
    tok: Tokenizer, large: Tokenizer, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"tokens.{kind}"
    assert encode_corpus(tok, DOCUMENTS, path).dtype == "uint16"
    assert read_flat(path).dtype == np.dtype("<u2")
    assert encode_corpus(large, DOCUMENTS, path, end_of_text="<65535>").dtype == "uint32"
    assert read_flat(path).dtype == np.dtype("<u4")
    assert read_flat(path).max() == 259 + 65_535


@pytest.mark.parametrize(("count", "dtype"), [(2**16 - 259, "uint16"), (2**16 - 258, "uint32")])
def test_special_tokens_count_for_the_type(tok: Tokenizer, count: int, dtype: str) -> None:
    special = [f"<{number}>" for number in range(count)]
    many = Tokenizer._from_rules(list(tok.rules), TrainingConfig(vocab_size=259), special)
    assert choose_dtype(many) == dtype


@pytest.mark.parametrize("kind", FORMATS)
def test_no_documents_make_a_file_without_tokens(tok: Tokenizer, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"tokens.{kind}"
    assert encode_corpus(tok, [], path).documents == 0
    assert read(path) == []


def failing() -> Iterator[str]:
    yield "to be"
    raise RuntimeError("enough")


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("there", [False, True])
def test_an_error_leaves_everything_as_it_was(
    tok: Tokenizer, tmp_path: Path, kind: str, there: bool
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    path = folder / f"tokens.{kind}"
    if there:
        encode_corpus(tok, ["what was there"], path)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert bool(before) == there
    damaged = tmp_path / "damaged.jsonl"
    lines = [json.dumps({"text": text}) + "\n" for text in superword.sample()]
    damaged.write_text("".join(lines * 5) + "[]\n")
    with pytest.raises(RuntimeError, match="enough"):
        encode_corpus(tok, failing(), path)
    with pytest.raises(superword.CorpusError, match=f"line {5 * len(lines) + 1}"):
        encode_corpus(tok, damaged, path, threads=2)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("kind", FORMATS)
def test_an_error_in_the_progress_callback_leaves_no_file(
    tok: Tokenizer, tmp_path: Path, kind: str
) -> None:
    told: list[tuple[str, int, int | None]] = []

    def stop(*news: Any) -> None:
        told.append(news)
        raise KeyboardInterrupt

    documents = list(superword.sample()) * 5
    with pytest.raises(KeyboardInterrupt):
        encode_corpus(tok, documents, tmp_path / f"tokens.{kind}", progress=stop)
    (news,) = told
    assert news[0] == "encode"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", FORMATS)
def test_an_error_in_writing_leaves_no_file(
    tok: Tokenizer, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writers.FlatWriter, "write", refuse)
    monkeypatch.setattr(writers.ParquetWriter, "write", refuse)
    with pytest.raises(OSError, match="No space left"):
        encode_corpus(tok, DOCUMENTS, tmp_path / f"tokens.{kind}")
    assert list(tmp_path.iterdir()) == []


def test_progress_goes_to_the_size_of_the_input(tok: Tokenizer, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(superword.sample()))
    told: list[tuple[str, int, int | None]] = []
    encode_corpus(
        *(tok, corpus, tmp_path / "tokens.npy"),
        progress=lambda *news: told.append(news),
    )
    size = corpus.stat().st_size
    assert told[-1] == ("encode", size, size)


def test_a_link_stays_a_link_and_a_mode_stays(tok: Tokenizer, tmp_path: Path) -> None:
    there = tmp_path / "there.npy"
    there.write_bytes(b"")
    there.chmod(0o640)
    (tmp_path / "tokens.npy").symlink_to(there)
    encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.npy", end_of_text=0)
    assert (tmp_path / "tokens.npy").is_symlink()
    assert there.stat().st_mode & 0o777 == 0o640
    assert len(np.load(there)) > 0


def test_skipped_input_gives_a_warning(tok: Tokenizer, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"text": "to"}\n[]\n{"text": "be"}\n')
    with pytest.warns(UserWarning, match="line 2"):
        encode_corpus(tok, corpus, tmp_path / "tokens.npy", on_error="skip")
    assert [tok.decode(ids) for ids in read(tmp_path / "tokens.npy")] == ["to", "be"]


def test_files_of_all_kinds_keep_their_order(tok: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"text": "to"}\n{"text": "be"}\n')
    table = pyarrow.table({"text": ["or", "not"]})
    pyarrow.parquet.write_table(table, tmp_path / "b.parquet")
    (tmp_path / "a.txt").write_text("to\nbe")
    paths = [tmp_path / name for name in ("c.jsonl", "b.parquet", "a.txt")]
    encode_corpus(tok, paths, tmp_path / "tokens.npy", separator="\n")
    texts = [tok.decode(ids) for ids in read(tmp_path / "tokens.npy")]
    assert texts == ["to", "be", "or", "not", "to", "be"]
    encode_corpus(tok, paths, tmp_path / "tokens.npy", separator="\n", max_documents=3)
    assert len(read(tmp_path / "tokens.npy")) == 3


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("tokens.txt", {}, "the output must end in one of .npy, .bin, .parquet"),
        ("none/tokens.npy", {}, "no such folder"),
        ("folder.npy", {}, "exists and is not a file"),
        (
            "tokens.npy",
            {"end_of_text": "<|none|>"},
            "special token '<|none|>'; it has '<|end|>'",
        ),
        ("tokens.npy", {"end_of_text": 261}, "no token has the id 261"),
        ("tokens.npy", {"end_of_text": -1}, "no token has the id -1"),
        ("tokens.npy", {"threads": 0}, "threads must be at least 1"),
    ],
)
def test_invalid_arguments_are_rejected_before_anything_is_read(
    tok: Tokenizer, tmp_path: Path, name: str, options: dict[str, Any], sentence: str
) -> None:
    (tmp_path / "folder.npy").mkdir()
    documents = iter(DOCUMENTS)
    with pytest.raises((ValueError, OSError, superword.UnknownTokenError)) as refused:
        encode_corpus(tok, documents, tmp_path / name, **options)
    assert sentence in str(refused.value)
    assert list(documents) == DOCUMENTS
    assert [path.name for path in tmp_path.iterdir()] == ["folder.npy"]


def test_a_folder_that_cannot_be_written_to_is_named(tok: Tokenizer, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is forbidden to root")
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.npy")
