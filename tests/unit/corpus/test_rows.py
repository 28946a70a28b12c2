"""CSV files and JSON arrays are read by column, row by row, and what is wrong is named."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword import CorpusError
from superword.corpus import open_corpus
from superword.corpus.rows import csv_documents
from superword.evaluation import Ours, evaluate

DOCUMENTS = ["to be, or not", 'a "quoted" word', "two\nlines\r\n", "", "café 日本語"]


def write_csv(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def table(documents: list[str]) -> list[list[str]]:
    return [["id", "text"], *([str(at), each] for at, each in enumerate(documents))]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The same documents as CSV, as an array of objects, and as an array of strings."""
    write_csv(tmp_path / "a.csv", table(DOCUMENTS))
    (tmp_path / "b.json").write_text(json.dumps([{"id": 1, "text": each} for each in DOCUMENTS]))
    (tmp_path / "c.json").write_text(json.dumps(DOCUMENTS))
    return {name: tmp_path / name for name in ("a.csv", "b.json", "c.json")}


@pytest.mark.parametrize("name", ["a.csv", "b.json", "c.json"])
def test_documents_are_those_of_the_column(files: dict[str, Path], name: str) -> None:
    assert open_corpus(files[name]).documents() == DOCUMENTS
    assert open_corpus(str(files[name]), max_documents=2).documents() == DOCUMENTS[:2]
    assert open_corpus([files[name], files[name]]).documents() == DOCUMENTS * 2


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_whatever_the_csv_module_writes_is_read(documents: list[str]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written).writerows(table(documents))
    file = io.BytesIO(written.getvalue().encode())
    assert list(csv_documents(file, "a.csv", "text", None)) == documents


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbftext,id\r\none,1\r\n")
    assert open_corpus(tmp_path / "a.csv").documents() == ["one"]


def test_the_model_is_that_of_the_documents(files: dict[str, Path], tmp_path: Path) -> None:
    documents = list(superword.sample())[:3]
    expected = superword.train(documents, 300)
    path = write_csv(tmp_path / "d.csv", table(documents))
    assert superword.train(path, 300) == expected
    (tmp_path / "d.json").write_text(json.dumps(documents))
    assert superword.train(tmp_path / "d.json", 300) == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"id,body\n1,x\n", r"column 'text': no such column; .* 'id', 'body': name"),
        ("a.csv", b"id;text\n1;x\n", r"'id;text': .* separate columns by commas"),
        ("a.csv", b"", "no such column; the first row names none"),
        ("a.csv", b"text,text\n1,x\n", "more than one such column"),
        ("a.csv", b"id,text\n1,x\n2\n", "row 2: 1 fields, and the first row names 2 columns"),
        ("a.csv", b"id,text\n1,\xff\n", "row 1: not UTF-8"),
        ("a.csv", b'id,text\n1,"x\n', r"row 1: cannot be read on .*quote may be missing"),
        ("a.json", b'{"text": "x"}', "holds no array of documents; rename it to .jsonl"),
        ("a.json", b'{"text": "x"}\n{"text": "y"}\n', "rename it to .jsonl if it is JSON lines"),
        ("a.json", b"[1,", "not a JSON array"),
        ("a.json", b"\xff\xfe\x00[", "not a JSON array"),
        ("a.json", b"[" * 100_000, "not a JSON array"),
        ("a.json", b'["x", 7]', "item 2: int instead of a string"),
        ("a.json", b'[{"text": "x"}, {"text": null}]', "item 2, column 'text': NoneType instead"),
        ("a.json", b'[{"body": "x"}]', "item 1, column 'text': no such key; the object has 'body'"),
        ("a.json", b'["\\ud800"]', "item 1: str instead of a string of valid Unicode"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=message) as refused:
        open_corpus(path).documents()
    assert str(path) in str(refused.value)
    corpus = open_corpus(path, on_error="skip")
    corpus.documents()
    assert len(corpus.skipped()) == 1


def test_other_rows_are_read_when_one_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,text\n1,one\n2\n3,\xff\n4,four\n")
    assert open_corpus(tmp_path / "a.csv", on_error="skip").documents() == ["one", "four"]
    (tmp_path / "a.json").write_text('["one", 2, {"text": "three"}]')
    assert open_corpus(tmp_path / "a.json", on_error="skip").documents() == ["one", "three"]


def test_folders_are_searched_for_neither(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"\.csv files and \.json arrays if they are named"):
        open_corpus(tmp_path)
    (tmp_path / "d.jsonl").write_text('{"text": "one"}\n')
    assert open_corpus(tmp_path).documents() == ["one"]
    assert open_corpus(f"{tmp_path}/*.csv").documents() == DOCUMENTS


def test_sources_of_rows_are_measured(tmp_path: Path) -> None:
    rows = [["text", "source"], ["to be", "one"], ["or not", "two"], ["to be", "one"]]
    path = write_csv(tmp_path / "a.csv", rows)
    measured = evaluate(Ours(superword.train(["to be or not to be"], 257)), path)
    assert {name: totals.documents for name, totals in measured.sources.items()} == {
        "one": 2,
        "two": 1,
    }


def test_a_csv_file_is_read_row_by_row() -> None:
    """30 MB of rows take a small part of that, and the global limit of fields is restored."""
    limit = csv.field_size_limit()
    row = b"1," + b"x" * 300_000 + b"\n"
    file = io.BytesIO(b"id,text\n" + row * 100)
    tracemalloc.start()
    try:
        assert sum(len(each) for each in csv_documents(file, "a.csv", "text", None)) == 30_000_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000
    assert csv.field_size_limit() == limit
