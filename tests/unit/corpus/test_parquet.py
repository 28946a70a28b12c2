"""Tables and URLs, which need packages that may be missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from superword import CorpusError, _core
from superword.corpus import open_corpus

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def count_totals(corpus: _core.Corpus, threads: int = 1) -> tuple[object, ...]:
    """Return the numbers of documents, bytes and skipped items."""
    return tuple(corpus.count(threads).values())


def write_table(path: Path, **columns: Any) -> Path:
    parquet.write_table(pyarrow.table(columns), path, row_group_size=3)
    return path


def test_a_column_of_a_table_is_read_row_by_row(tmp_path: Path) -> None:
    rows = [f"row {i} é" for i in range(10)]
    path = write_table(tmp_path / "a.parquet", text=rows, body=rows[::-1])
    corpus = open_corpus(path)
    assert corpus.documents() == corpus.documents() == rows
    assert open_corpus(path, column="body", max_documents=4).documents() == rows[::-1][:4]
    encoded = write_table(tmp_path / "b.parquet", text=pyarrow.array(rows).dictionary_encode())
    assert open_corpus(encoded).documents() == rows
    large = write_table(tmp_path / "c.parquet", text=pyarrow.array(rows, pyarrow.large_string()))
    assert open_corpus(large).documents() == rows


def test_tables_lines_and_text_keep_their_order(tmp_path: Path) -> None:
    write_table(tmp_path / "2.parquet", text=["two", "three"])
    (tmp_path / "1.jsonl").write_bytes(b'{"text": "one"}\n{"text": 1}\n')
    (tmp_path / "3.txt").write_bytes(b"four")
    corpus = open_corpus(tmp_path, on_error="skip")
    assert corpus.documents() == ["one", "two", "three", "four"]
    assert count_totals(corpus) == (4, 15, 1)
    assert "line 2" in corpus.skipped()[0]
    limited = open_corpus(tmp_path, on_error="skip", max_documents=2)
    assert limited.documents() == ["one", "two"]


def test_errors_name_file_row_and_column(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a.parquet", text=["a", "b", "c", None, "e"], id=[1] * 5)
    with pytest.raises(CorpusError) as caught:
        open_corpus(path)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 4, "text")
    assert str(caught.value).startswith(f"{path}, row 4, column 'text': null")
    assert count_totals(open_corpus(path, on_error="skip")) == (4, 4, 1)
    with pytest.raises(CorpusError, match="no such column; the table has 'text', 'id'"):
        open_corpus(path, column="body")
    with pytest.raises(CorpusError, match="holds int64, not strings"):
        open_corpus(path, column="id")


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a.parquet", text=["a"] * 100)
    path.write_bytes(path.read_bytes()[:-20])
    (tmp_path / "b.txt").write_bytes(b"text")
    with pytest.raises(CorpusError, match="cannot be read as a table") as caught:
        open_corpus(tmp_path)
    assert caught.value.file == str(path)
    assert count_totals(open_corpus(tmp_path, on_error="skip")) == (1, 4, 1)


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_table(tmp_path / "a.parquet", text=["a"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for on_error in ("raise", "skip"):
        with pytest.raises(CorpusError, match=r"pip install 'superword\[parquet\]'"):
            open_corpus(path, on_error=on_error)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(CorpusError, match=r"pip install 'superword\[remote\]'"):
        open_corpus("s3://bucket/a.jsonl")


def test_urls_are_read_through_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/corpus/b.txt": b"two", "/corpus/a.jsonl": b'{"text": "one"}\n', "/c.md": b""})
    for url in ("memory://corpus", "memory://corpus/*"):
        assert open_corpus(url).documents() == ["one", "two"]
    assert open_corpus("memory://corpus/b.txt").documents() == ["two"]
    with pytest.raises(FileNotFoundError):
        open_corpus("memory://corpus/absent.txt")
    with pytest.raises(CorpusError, match="fsspec"):
        open_corpus("nonsense://corpus/absent.txt")
