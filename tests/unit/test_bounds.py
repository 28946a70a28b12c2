"""What no argument and no input can do: start too many threads, fill the memory, panic unseen."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import superword
from superword import CorpusError, _core
from superword.errors import InternalError, SuperwordError
from superword.evaluation import evaluate
from superword.training import Resources

DOCUMENTS = ["to be or not to be"] * 20


@pytest.fixture(scope="module")
def tok() -> superword.Tokenizer:
    return superword.train(DOCUMENTS, 260)


@pytest.mark.parametrize("threads", [1025, 100_000, 10**9, 10**30])
def test_too_many_threads_are_refused(
    tok: superword.Tokenizer, tmp_path: Path, threads: int
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"text": "to be"}\n')
    for use in (
        lambda: Resources(threads=threads),
        lambda: superword.train(DOCUMENTS, 260, threads=threads),
        lambda: superword.count(corpus, tmp_path / "counts", threads=threads),
        lambda: evaluate(tok, DOCUMENTS, threads=threads),
        lambda: superword.encode_corpus(tok, corpus, tmp_path / "a.bin", threads=threads),
        lambda: tok.encode_batch(DOCUMENTS, threads),
        lambda: tok.encode_ordinary_batch(DOCUMENTS, threads),
        lambda: tok.encode_batch_to_numpy(DOCUMENTS, threads),
    ):
        with pytest.raises(ValueError, match=f"threads must be at most 1,024, not {threads:,}"):
            use()


def test_the_largest_number_of_threads_gives_the_same(tok: superword.Tokenizer) -> None:
    threads = _core.MAX_THREADS
    assert superword.train(DOCUMENTS, 260, threads=threads) == tok
    texts = DOCUMENTS * 2000
    assert tok.encode_batch(texts, threads) == tok.encode_batch(texts, 1)


@pytest.mark.parametrize("detached", [False, True])
def test_a_panic_is_an_exception_that_asks_for_a_report(detached: bool) -> None:
    with pytest.raises(InternalError, match="bug: index 7; please report it") as raised:
        _core.panic_for_tests("index 7", detached=detached)
    assert isinstance(raised.value, SuperwordError)
    assert isinstance(raised.value, RuntimeError)


def write_large_line(path: Path) -> None:
    """Write a small archive whose second line has 400 MB."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'{"text": "to be"}\n{"text": "')
        for _ in range(400):
            file.write(b"a" * 1_000_000)
        file.write(b'"}\n{"text": "to be"}\n')


def test_a_line_of_an_archive_does_not_escape_the_memory_limit(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl.gz"
    write_large_line(path)
    program = f"""
import json, resource, superword
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    superword.train({str(path)!r}, 257, memory_limit="256MB", threads=2)
except superword.CorpusError as error:
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps([error.file, error.line, str(error), grown]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    file, line, message, grown = json.loads(done.stdout)
    assert (file, line) == (str(path), 2)
    assert "more than 16000000 bytes" in message
    assert "with this memory_limit" in message
    # In kilobytes.
    assert grown < 200_000
    with pytest.warns(UserWarning, match="more than 16000000 bytes"):
        skipping = superword.train(path, 257, memory_limit="256MB", on_error="skip")
    assert skipping == superword.train(["to be"] * 2, 257)


def test_a_document_that_was_stored_does_not_escape_the_memory_limit() -> None:
    texts = ["to be", "to be\n" * 6_000_000]
    with pytest.raises(CorpusError, match="more than 16000000 bytes"):
        superword.train(iter(texts), 260, memory_limit="256MB", pattern=r"\w+|\s+")
    # If documents may be split, none is too large.
    assert superword.train(iter(texts), 258, memory_limit="256MB").vocab_size == 258


QUADRATIC = "(?=(a+)+b)a"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
@pytest.mark.parametrize("job", ["encode", "count", "batch", "train"])
def test_ctrl_c_stops_a_slow_pattern_inside_a_text(job: str) -> None:
    slow = superword.train(["cd"] * 2, 257, pattern=QUADRATIC)
    # Each pretoken takes a search to the end of the text: half a minute in all.
    text = "a" * 100_000 + "b"
    jobs: dict[str, Callable[[], object]] = {
        "encode": lambda: slow.encode(text),
        "count": lambda: slow.count_tokens(text),
        "batch": lambda: slow.encode_batch([text, text], 2),
        "train": lambda: superword.train([text], 257, pattern=QUADRATIC),
    }

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            jobs[job]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
