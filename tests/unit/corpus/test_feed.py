"""Input that can be read only once is read while it is processed, and no copy is kept."""

from __future__ import annotations

import csv
import gc
import io
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import CorpusError
from superword.corpus import open_corpus

TEXT = "".join(list(superword.sample())[:7])
TEXTS = [f"{number} {TEXT}" for number in range(60)]
SIZE = sum(len(text.encode()) for text in TEXTS)
# Fails on many a, and is fast elsewhere.
GIVES_UP = r"(a|aa)+(?=b)|[^a]+|a"
SUPERBPE: dict[str, Any] = {"supermerges": False, "deletion": None, "transition": 270}


@pytest.fixture(autouse=True)
def keep_nothing(keeping: Callable[[int], AbstractContextManager[None]]) -> Iterator[None]:
    with keeping(0):
        yield


def yield_texts() -> Iterator[str]:
    yield from TEXTS


def yield_endless() -> Iterator[str]:
    for number in count():
        yield f"{number} {TEXT}"


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let every temporary file fail."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))


@pytest.mark.usefixtures("nowhere")
def test_no_copy_is_written(tmp_path: Path) -> None:
    tok = superword.train(yield_texts(), 300)
    assert (tok.training.documents, tok.training.bytes) == (60, SIZE)
    superword.extend(tok, yield_texts(), 5)
    assert superword.encode_corpus(tok, yield_texts(), tmp_path / "ids.npy").documents == 60
    with pytest.raises(FileNotFoundError, match="temporary copy of the corpus; .* TMPDIR"):
        superword.train(yield_texts(), 300, **SUPERBPE)
    with pytest.raises(FileNotFoundError, match="temporary copy of the corpus; .* TMPDIR"):
        open_corpus(yield_texts())


def test_ids_and_counts_are_those_of_files(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    tok = superword.train(path, 300)
    ids, counts = [], []
    for name, corpus in (("file", path), ("generator", yield_texts())):
        encoded = superword.encode_corpus(tok, corpus, tmp_path / f"{name}.npy")
        ids.append((encoded, (tmp_path / f"{name}.npy").read_bytes()))
    for name, corpus in (("file", path), ("generator", yield_texts())):
        counted = superword.count(corpus, tmp_path / name)
        counts.append((counted.documents, counted.bytes, counted.pretokens, counted.keys))
    assert ids[0] == ids[1]
    assert counts[0] == counts[1]


def test_the_iterator_runs_on_the_thread_that_asks_for_it() -> None:
    threads = set()

    def note() -> Iterator[str]:
        for text in TEXTS:
            threads.add(threading.get_ident())
            yield text

    superword.train(note(), 280, threads=3)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_an_error_of_the_iterator_comes_out_as_it_was(threads: int) -> None:
    mine = KeyError("mine")

    def broken() -> Iterator[str]:
        yield from TEXTS
        raise mine

    with pytest.raises(KeyError) as raised:
        superword.train(broken(), 300, threads=threads)
    assert raised.value is mine


def test_a_document_that_is_no_string_is_named_by_its_position() -> None:
    with pytest.raises(CorpusError, match="document 61 is of type int; a document must be a str"):
        superword.train([*TEXTS, 5], 300)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="document 61 is of type int"):
        tok = superword.train([*TEXTS, 5, "to be"], 300, on_error="skip")  # type: ignore[arg-type]
    assert tok.training.documents == 61


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.usefixtures("nowhere")
def test_an_error_of_the_core_ends_endless_input(threads: int) -> None:
    with pytest.raises(FileNotFoundError, match="record of the corpus"):
        superword.train(yield_endless(), 300, threads=threads, memory_limit="256MB")
    texts = (text + "a" * 60 for text in yield_endless())
    with pytest.raises(superword.PatternError, match="gave up"):
        superword.train(texts, 300, threads=threads, pattern=GIVES_UP)


def test_limits_end_endless_input() -> None:
    assert superword.train(yield_endless(), 280, max_documents=50).training.documents == 50
    assert superword.train(yield_endless(), 280, max_bytes="3MB").training.bytes <= 3_000_000


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
@pytest.mark.parametrize("waits", [False, True])
def test_an_iterator_can_be_interrupted(waits: bool) -> None:
    def run() -> Iterator[str]:
        for text in yield_endless():
            yield text
            if waits and text.startswith("40 "):
                time.sleep(60)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        with pytest.raises(KeyboardInterrupt):
            superword.train(run(), 300)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
def test_waiting_for_standard_input_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    with os.fdopen(reads) as pipe, os.fdopen(writes, "w") as end:
        monkeypatch.setattr(sys, "stdin", pipe)
        end.write('{"text": "to be"}\n')
        end.flush()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            with pytest.raises(KeyboardInterrupt):
                superword.train("-", 300)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def test_an_iterator_may_train_itself() -> None:
    def nested() -> Iterator[str]:
        for number, text in enumerate(TEXTS):
            if number % 20 == 19:
                superword.train(yield_texts(), 260)
            yield text

    assert superword.train(nested(), 280) == superword.train(TEXTS, 280)


@pytest.mark.parametrize("end", ["5,6\n", ""])
def test_a_table_is_closed_while_its_error_is_held(tmp_path: Path, end: str) -> None:
    path = tmp_path / "texts.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text + "a" * 60] for text in TEXTS)])
        file.write(end)
    limit = csv.field_size_limit()
    gc.disable()
    try:
        if end:
            with pytest.raises(CorpusError, match="row 61: 2 fields"):
                superword.train(path, 300)
        else:
            with pytest.raises(superword.PatternError):
                superword.train(path, 300, pattern=GIVES_UP)
        assert csv.field_size_limit() == limit
    finally:
        gc.enable()


def test_stages_have_a_total_once_it_is_known() -> None:
    told: list[tuple[str, int, int | None]] = []
    superword.train(yield_texts(), 300, progress=lambda *report: told.append(report))
    counted = [(done, total) for stage, done, total in told if stage == "count"]
    assert counted[-1] == (SIZE, SIZE)
    assert {total for stage, _, total in told if stage == "fragments"} == {SIZE}


def test_a_corpus_that_is_fed_is_read_once() -> None:
    corpus = open_corpus(yield_texts(), once=True)
    assert corpus.size is None
    with pytest.raises(RuntimeError, match="once=False"):
        corpus.batches()
    assert corpus.documents() == TEXTS
    assert corpus.size == SIZE


def test_a_large_document_of_standard_input_is_split_or_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "".join(TEXTS)
    for options in ({}, {"eligible": rf"{superword.patterns.ELIGIBLE}|[^\s\S]"}):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        fed = superword.train("-", 300, threads=2, **options)  # type: ignore[arg-type]
        assert fed.training.documents == 1
        assert list(fed.rules) == list(superword.train([text], 300).rules)
