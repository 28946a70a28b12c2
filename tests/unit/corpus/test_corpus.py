"""Opening a corpus, and the errors for input that cannot be read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard

import superword
from superword import CorpusError, CorpusOptions, _core
from superword.corpus import open_corpus
from superword.corpus.documents import Input

DOCUMENTS = ["The first.", "", 'Zwei "é" \\ \n\t', "三つ目 \U0001f600\r\n", "a" * 3000, "\u2028end"]

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
    ".bz2": bz2.compress,
}


def count_totals(corpus: _core.Corpus, threads: int = 1) -> tuple[object, ...]:
    """Return the numbers of documents, bytes and skipped items."""
    return tuple(corpus.count(threads).values())


def json_lines(documents: list[str], column: str = "text") -> bytes:
    lines = [
        json.dumps({"id": i, column: text, "more": [1, {"a": None}]}, ensure_ascii=i % 2 == 0)
        for i, text in enumerate(documents)
    ]
    return ("\n".join(lines) + "\n").encode()


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def refused(call: Callable[[], Any]) -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        call()
    return caught.value


def test_the_sample_is_six_novels_in_full() -> None:
    documents = list(superword.sample())
    assert len(documents) == 207
    assert sum(len(document.encode()) for document in documents) == 2_857_956
    for words in ("Mr. Darcy", "Cheshire Cat", "Long John", "Frankenstein", "Dorian", "guillotine"):
        assert any(words in document for document in documents), words


@pytest.mark.parametrize("suffix", PACK)
def test_json_lines_and_text_are_read_in_every_compression(tmp_path: Path, suffix: str) -> None:
    pack = PACK[suffix]
    lines = write(tmp_path / f"a.jsonl{suffix}", pack(json_lines(DOCUMENTS)))
    text = write(tmp_path / f"a.txt{suffix}", pack("one\r\n\ntwo é".encode()))
    assert open_corpus(str(lines)).documents() == DOCUMENTS
    assert open_corpus(text).documents() == ["one\r\n\ntwo é"]
    assert open_corpus(text, separator="\n").documents() == ["one\r", "two é"]
    assert open_corpus(lines).size == lines.stat().st_size


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".bz2"])
def test_archives_put_together_are_read_to_the_last(tmp_path: Path, suffix: str) -> None:
    pack = PACK[suffix]
    data = pack(json_lines(["one"])) + pack(json_lines(["two"])) + pack(b'{"text": "three"}')
    assert open_corpus(write(tmp_path / f"a.jsonl{suffix}", data)).documents() == [
        "one",
        "two",
        "three",
    ]


def test_zstd_with_a_long_window_is_read(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=30, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    packed = packer.compress(json_lines(["one", "two"])) + packer.flush()
    path = write(tmp_path / "a.jsonl.zst", packed)
    assert zstandard.get_frame_parameters(packed).window_size >= 2**30
    assert open_corpus(path).documents() == ["one", "two"]


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".bz2"])
def test_a_truncated_archive_is_named_and_never_passed_over(tmp_path: Path, suffix: str) -> None:
    many = [f"document {i} {os.urandom(40).hex()}" for i in range(60_000)]
    whole = PACK[suffix](json_lines(many))
    broken = write(tmp_path / f"1.jsonl{suffix}", whole[: len(whole) // 2])
    write(tmp_path / "2.jsonl", json_lines(["after"]))
    for threads in (1, 2):
        error = refused(partial(open_corpus(tmp_path).count, threads))
        assert error.file == str(broken)
        assert "truncated" in str(error) and "on_error='skip'" in str(error)
    corpus = open_corpus(tmp_path, on_error="skip")
    read = corpus.documents()
    assert 1000 < len(read) < len(many)
    assert read[:-1] == many[: len(read) - 1] and read[-1] == "after"
    assert corpus.count(2)["skipped"] == 1
    assert str(broken) in corpus.skipped()[0]


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".bz2"])
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a.txt{suffix}", b"plain text, in spite of the name")
    assert refused(lambda: open_corpus(path).count()).file == str(path)


def test_marks_line_ends_and_blank_lines_play_no_role(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf{"text":"a"}\r\n\r\n  \n\n {"text" : "b"}\t\r\n{"text":"c"}'
    assert open_corpus(write(tmp_path / "a.jsonl", data)).documents() == ["a", "b", "c"]
    text = write(tmp_path / "a.txt", "\ufeffone\r\n".encode())
    assert open_corpus(text).documents() == ["one\r\n"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_an_empty_file_has_no_documents(tmp_path: Path, name: str) -> None:
    assert count_totals(open_corpus(write(tmp_path / name, b"")), 2) == (0, 0, 0)


BAD_LINES = {
    b'{"text": "cut': "not JSON: expected the closing quote of a string at byte 13",
    b'{"text": "a"} {': "not JSON: expected the end of the line at byte 14",
    b"{'text': 1}": "not JSON: expected a key in quotes at byte 1",
    b'"text"': "not a JSON object",
    b'{"body": "a", "id": 3}': "column 'text': the line has no such column; it has 'body', 'id'",
    b"{}": "column 'text': the line has no such column; it has nothing",
    b'{"text": null}': "column 'text': null instead of a string",
    b'{"text": "\\ud800"}': "column 'text': the escape at byte 10 is a lone surrogate",
    b'{"text": "\xff"}': "byte 10 of the line is not UTF-8",
}


@pytest.mark.parametrize("bad", BAD_LINES)
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_a_bad_line_is_named_and_can_be_skipped(tmp_path: Path, bad: bytes, threads: int) -> None:
    # Several blocks of 1 MB, so that threads find several bad lines; the first is reported.
    good = json_lines(["x" * 500] * 2000) + b"\n"
    path = write(tmp_path / "a.jsonl", good * 2 + bad + b"\n" + good * 2 + bad + b"\n" + good)
    error = refused(lambda: open_corpus(path).count(threads))
    assert (error.file, error.line) == (str(path), 4003)
    assert str(error).startswith(f"{path}, line 4003") and BAD_LINES[bad] in str(error)
    assert "on_error='skip'" in str(error)
    corpus = open_corpus(path, on_error="skip")
    assert count_totals(corpus, threads) == (10_000, 5_000_000, 2)
    first, second = corpus.skipped()
    assert f"{path}, line 4003" in first and f"{path}, line 8006" in second


def test_text_that_is_not_utf8_is_named_by_its_byte(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"good\n\nb\xe9d\n\ngood")
    error = refused(lambda: open_corpus(path).count())
    assert error.file == str(path) and "byte 7 is not UTF-8" in str(error)
    assert "byte 7" in str(refused(lambda: open_corpus(path, separator="\n\n").count()))
    skipping = open_corpus(path, separator="\n\n", on_error="skip")
    assert skipping.documents() == ["good", "good"]
    assert skipping.count()["skipped"] == 1


def test_documents_do_not_depend_on_where_blocks_end(tmp_path: Path) -> None:
    text = "\n\n\n".join("word " * (i % 700) + str(i) for i in range(3000))
    path = write(tmp_path / "a.txt", text.encode())
    expected = [document for document in text.split("\n\n") if document]
    assert open_corpus(path, separator="\n\n").documents() == expected
    assert "separator" in str(refused(lambda: open_corpus(path, separator="")))


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_and_passes_see_the_same_documents(tmp_path: Path, threads: int) -> None:
    documents = [f"{i} " * (i % 900) for i in range(5000)] + ["z" * 9_000_000]
    for part in range(3):
        write(tmp_path / f"{part}.jsonl.zst", zstandard.compress(json_lines(documents[part::3])))
    write(tmp_path / "3.txt", b"t" * 3_000_000)
    corpus = open_corpus(tmp_path)
    total = (len(documents) + 1, sum(map(len, documents)) + 3_000_000, 0)
    assert count_totals(corpus, threads) == count_totals(corpus, threads) == total
    assert Counter(corpus.documents()) == Counter([*documents, "t" * 3_000_000])


def test_limits_stop_in_order_whatever_the_threads(tmp_path: Path) -> None:
    for i in range(4):
        write(tmp_path / f"{i}.jsonl", json_lines(["abcde" * 1000] * 1000))
    write(tmp_path / "4.jsonl", b"broken")
    for threads in (1, 2, 8):
        assert count_totals(open_corpus(tmp_path, max_documents=3500), threads) == (
            3500,
            17_500_000,
            0,
        )
        assert count_totals(open_corpus(tmp_path, max_bytes=12_004_999), threads) == (
            2400,
            12_000_000,
            0,
        )
    documents = ["aaaa", "bb", "cccc", "d"]
    assert open_corpus(documents, max_bytes=6).documents() == ["aaaa", "bb"]
    assert open_corpus(documents, max_bytes=9).documents() == ["aaaa", "bb"]
    assert open_corpus(documents, max_documents=3).documents() == documents[:3]
    assert open_corpus(documents, max_bytes="0.006 kB").documents() == ["aaaa", "bb"]
    for wrong in ("six", "-6", "٦", 6.0, True):
        with pytest.raises(ValueError, match="a size must be a number of bytes, or like '1GB'"):
            open_corpus(documents, max_bytes=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_bytes must be at least 1"):
        open_corpus(documents, max_bytes=0)


def test_a_generator_is_asked_for_no_more_than_the_limit() -> None:
    def endless() -> Iterator[str]:
        yield from ("one", "two")
        raise AssertionError("asked for a third")

    assert open_corpus(endless(), max_documents=2).documents() == ["one", "two"]


def test_folders_and_globs_are_sorted_and_unknown_files_left_out(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.TXT", "a/y.jsonl", "a/x/w.txt.gz", ".hidden/h.txt", "README.md"):
        data = b'{"text": "a/y.jsonl"}' if name.endswith("jsonl") else name.encode()
        write(tmp_path / name, gzip.compress(data) if name.endswith("gz") else data)
    assert open_corpus(tmp_path).documents() == ["a/x/w.txt.gz", "a/y.jsonl", "a/z.TXT", "b.txt"]
    assert open_corpus(f"{tmp_path}/*.txt").documents() == ["b.txt"]
    assert open_corpus(f"{tmp_path}/**/*.txt*").documents() == ["a/x/w.txt.gz", "b.txt"]
    assert open_corpus([tmp_path / "b.txt", tmp_path / "a/y.jsonl"]).documents() == [
        "b.txt",
        "a/y.jsonl",
    ]
    write(tmp_path / "[odd].txt", b"odd")
    assert open_corpus(tmp_path / "[odd].txt").documents() == ["odd"]


def test_paths_that_name_nothing_to_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        open_corpus(tmp_path / "absent.jsonl")
    assert caught.value.filename == str(tmp_path / "absent.jsonl")
    assert "no file matches" in str(refused(lambda: open_corpus(f"{tmp_path}/*.jsonl")))
    assert ".parquet" in str(refused(lambda: open_corpus(tmp_path)))
    assert "pass it in a list" in str(refused(lambda: open_corpus("a text\nof two lines")))
    unknown = write(tmp_path / "a.tsv", b"a,b")
    assert "rename it" in str(refused(lambda: open_corpus(unknown)))


def test_a_file_that_goes_away_is_an_os_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", json_lines(["one"]))
    corpus = open_corpus(path)
    path.unlink()
    with pytest.raises(FileNotFoundError) as caught:
        corpus.count()
    assert caught.value.filename == str(path)


@pytest.mark.parametrize("suffix", PACK)
def test_the_format_of_standard_input_is_recognized_by_its_first_bytes(
    monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    def give(data: bytes) -> None:
        stream = io.TextIOWrapper(io.BytesIO(PACK[suffix](data)))
        monkeypatch.setattr(sys, "stdin", stream)

    give(json_lines(DOCUMENTS))
    corpus = open_corpus("-")
    assert corpus.documents() == corpus.documents() == DOCUMENTS
    give(b"{ text\nof one file")
    assert open_corpus(Path("-")).documents() == ["{ text\nof one file"]
    give(b'{"a"}|b')
    assert open_corpus("-", separator="|").documents() == ['{"a"}', "b"]
    give(b'{"text": "a"}\n{"text": 1}\n')
    error = refused(lambda: open_corpus("-"))
    assert (error.file, error.line, error.column) == ("standard input", 2, "text")
    give(b'{"text": "a"}\n{"text": 1}\n')
    assert count_totals(open_corpus("-", on_error="skip")) == (1, 1, 1)


def test_a_pipe_with_a_name_is_read_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(json_lines(["one", "two"]),))
    writer.start()
    corpus = open_corpus(path)
    writer.join()
    assert corpus.documents() == corpus.documents() == ["one", "two"]


def test_any_iterable_of_strings_or_rows_is_a_corpus() -> None:
    assert open_corpus(DOCUMENTS).documents() == DOCUMENTS
    assert open_corpus(text for text in DOCUMENTS).documents() == DOCUMENTS
    rows = [{"body": text, "id": 1} for text in DOCUMENTS]
    assert open_corpus(iter(rows), column="body").documents() == DOCUMENTS
    assert count_totals(open_corpus([]), 2) == (0, 0, 0)


BAD_ITEMS: list[tuple[Any, str]] = [
    (7, "document 3 is of type int; a document must be a str"),
    (b"bytes", "document 3 is of type bytes"),
    ("a\ud800", "document 3 cannot be encoded: character 1 is a lone surrogate"),
    ({"body": "a"}, "column 'text': document 3 has no such column"),
    ({"text": None}, "column 'text': document 3 is of type NoneType"),
]


@pytest.mark.parametrize(("item", "message"), BAD_ITEMS)
def test_an_item_that_is_no_document_is_named(item: Any, message: str) -> None:
    assert message in str(refused(lambda: open_corpus(["a", "b", item, "c"])))
    corpus = open_corpus(["a", "b", item, "c"], on_error="skip")
    assert count_totals(corpus) == (3, 3, 1)
    assert message in corpus.skipped()[0]


def test_other_objects_are_a_type_error() -> None:
    for wrong in (7, b"bytes", {"a": "b"}, None):
        with pytest.raises(TypeError, match="a corpus is a path or an iterable"):
            open_corpus(wrong)  # type: ignore[arg-type]

    class DataFrame(list[str]):
        columns = ("text",)

    with pytest.raises(TypeError, match="a DataFrame is a table; pass one of its columns"):
        open_corpus(DataFrame(["text"]))
    with pytest.raises(ValueError, match="'raise' or 'skip'"):
        open_corpus(["a"], on_error="ignore")  # type: ignore[arg-type]


def test_an_error_of_the_iterable_itself_passes_through() -> None:
    def broken() -> Iterator[str]:
        yield "one"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        open_corpus(broken())


@pytest.mark.parametrize("memory", [0, 2_500_000, 2**26])
def test_stored_documents_are_read_from_disk_too(memory: int) -> None:
    documents = [f"{i} é" * (i % 500) for i in range(10_000)] + ["z" * 5_000_000, "end"]
    inputs = [Input(documents=documents[:7000]), Input(documents=iter(documents[7000:]))]
    corpus = _core.Corpus.inputs(inputs, [], CorpusOptions(), once=False, memory=memory)
    assert corpus.documents() == corpus.documents() == documents
    total = (len(documents), sum(len(text.encode()) for text in documents), 0)
    assert [count_totals(corpus, threads) for threads in (1, 2, 8)] == [total] * 3
