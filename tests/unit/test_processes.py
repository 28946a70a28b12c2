"""Threads, forks and signals: nothing hangs, and every id stays the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

import superword
from superword import Tokenizer, _core
from superword.corpus import open_corpus

THREADS = 64
# Each pretoken takes a search to the end of the text: half a minute in all.
QUADRATIC = "(?=(a+)+b)a"
SLOW_TEXT = "a" * 100_000 + "b"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")


def list_uses(tok: Tokenizer, texts: list[str]) -> list[Callable[[int], object]]:
    """Return what a thread may do with a tokenizer and a text, given the index of the text."""

    def stream(index: int) -> list[int]:
        encoding, text = tok.encode_stream(), texts[index]
        ids = [id for at in range(0, len(text), 70) for id in encoding.feed(text[at : at + 70])]
        return [*ids, *encoding.finish()]

    return [
        lambda index: tok.encode(texts[index]),
        lambda index: tok.decode(tok.encode(texts[index])),
        lambda index: tok.count_tokens(texts[index]),
        lambda index: tok.encode_batch(texts[index : index + 3], threads=2),
        lambda index: tok.encode_prompt(texts[index]),
        lambda index: tok.encode_with_offsets(texts[index]),
        stream,
    ]


def test_64_threads_may_use_one_tokenizer(core_of_kind: Tokenizer) -> None:
    texts = [text[:3000] for text in superword.sample()][:20]
    uses = list_uses(core_of_kind, texts)
    alone = [[use(index) for index in range(len(texts))] for use in uses]
    barrier = threading.Barrier(THREADS)

    def work(number: int) -> bool:
        random = Random(number)
        barrier.wait()
        for _ in range(10):
            use, index = random.randrange(len(uses)), random.randrange(len(texts))
            if uses[use](index) != alone[use][index]:
                return False
        return True

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(work, range(THREADS)))


@contextmanager
def encoding_threads(tok: Tokenizer, text: str) -> Iterator[None]:
    """Encode on other threads in the meantime."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            tok.encode_batch([text] * 20, threads=2)
            tok.encode_stream().feed(text)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        stop.set()
        for worker in workers:
            worker.join()


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_that_was_forked_while_threads_encode_has_threads_of_its_own(
    core_of_kind: Tokenizer,
) -> None:
    tok, texts = core_of_kind, [text[:20_000] for text in superword.sample()][:30]
    expected = tok.encode_batch(texts, threads=1)
    with encoding_threads(tok, texts[0]):
        for _ in range(3):
            child = os.fork()
            if child == 0:
                # Without any handler of pytest: the child must not report.
                signal.alarm(30)
                trained = superword.train(texts[:2], 260, threads=2)
                is_right = tok.encode_batch(texts, threads=4) == expected
                os._exit(0 if is_right and trained.vocab_size == 260 else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_pool_of_forked_workers_encodes_alike(
    train_kind: Callable[[str], Tokenizer],
) -> None:
    tok = train_kind("BoundlessBPE")
    texts = [text[:5000] for text in superword.sample()][:20]
    with (
        encoding_threads(tok, texts[0]),
        multiprocessing.get_context("fork").Pool(2) as pool,
    ):
        assert pool.map(tok.encode, texts) == tok.encode_batch(texts)


class Interruption(Exception):
    """What a signal handler raises."""


@contextmanager
def raising_soon(error: type[BaseException]) -> Iterator[None]:
    """Raise an exception from a signal handler after a moment."""

    def handle(*_: object) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def slow() -> Tokenizer:
    return superword.train(["cd"] * 2, 257, pattern=QUADRATIC, special_tokens=["<|end|>"])


def feed(slow: Tokenizer, text: str) -> superword.EncodeStream:
    stream = slow.encode_stream()
    stream.feed(text)
    return stream


@needs_timer
@pytest.mark.parametrize("error", [KeyboardInterrupt, Interruption])
@pytest.mark.parametrize(
    "job", ["encode", "stream", "peek", "split", "count", "train", "corpus", "extend"]
)
def test_an_exception_of_a_signal_handler_ends_a_job(
    slow: Tokenizer, tmp_path: Path, job: str, error: type[BaseException]
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(f'{{"text": "{SLOW_TEXT}"}}\n')
    output = tmp_path / "tokens.npy"
    stream = feed(slow, SLOW_TEXT)
    jobs: dict[str, Callable[[], object]] = {
        "encode": lambda: slow.encode(SLOW_TEXT),
        "stream": stream.finish,
        "peek": stream.peek,
        "split": lambda: _core.Pattern(QUADRATIC).split(SLOW_TEXT),
        "count": lambda: superword.count(corpus, tmp_path / "counts", pattern=QUADRATIC),
        "train": lambda: superword.train(corpus, 257, pattern=QUADRATIC),
        "corpus": lambda: superword.encode_corpus(slow, corpus, output),
        "extend": lambda: superword.extend(slow, corpus, 10),
    }
    with raising_soon(error), pytest.raises(error):
        jobs[job]()
    # Nothing is half-written, and the process goes on.
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"corpus.jsonl"}
    assert slow.decode(slow.encode("ab cd")) == "ab cd"
    assert stream.held_back == SLOW_TEXT.encode()


@needs_timer
def test_skipping_a_huge_line_can_be_interrupted(tmp_path: Path) -> None:
    import zstandard

    path = tmp_path / "corpus.jsonl.zst"
    frame = zstandard.ZstdCompressor().compress(b"a" * 100_000_000)
    # A line of a terabyte.
    with path.open("wb") as file:
        file.writelines([frame] * 10_000)
    with raising_soon(KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        superword.train(path, 257, on_error="skip", memory_limit="256MB")


@needs_timer
def test_reading_documents_can_be_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "pipe.jsonl"
    path.write_text('{"text": "to be"}\n' * 100)
    opened = open_corpus([path] * 10_000)
    with raising_soon(KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        while True:
            opened.count()


# Runs until the signal: each text takes half a minute.
JOBS = {
    "train": "superword.train([text], 257, pattern=pattern)",
    "count": "superword.count(corpus, folder / 'counts', pattern=pattern)",
    "encode": "superword.encode_corpus(tok, corpus, folder / 'tokens.npy')",
    "load": "superword.load(folder / 'large.json')",
}
PROGRAM = f"""
import os, pathlib, signal, sys, threading, time, superword
text, pattern = "a" * 100_000 + "b", {QUADRATIC!r}
folder = pathlib.Path(sys.argv[1])
corpus = folder / "corpus.jsonl"
tok = superword.train(["cd"] * 2, 257, pattern=pattern)
threading.Timer(0.5, lambda: os.kill(os.getpid(), getattr(signal, sys.argv[2]))).start()
try:
    while True:
        JOB
except KeyboardInterrupt:
    print(tok.decode(tok.encode("ab cd")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("job", JOBS)
def test_a_signal_ends_a_job_and_leaves_nothing_half_written(
    tmp_path: Path, train_kind: Callable[[str], Tokenizer], job: str, name: str
) -> None:
    (tmp_path / "corpus.jsonl").write_text(f'{{"text": "{SLOW_TEXT}"}}\n')
    (tmp_path / "tokens.npy").write_bytes(b"kept")
    train_kind("BoundlessBPE").save(tmp_path / "large.json")
    program = PROGRAM.replace("JOB", JOBS[job])
    command = [sys.executable, "-c", program, str(tmp_path), name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if name == "SIGINT":
        assert (done.returncode, done.stdout) == (0, "ab cd\n"), done.stderr
        left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
        assert left == {"corpus.jsonl", "tokens.npy", "large.json"}
    else:
        assert done.returncode == -signal.SIGTERM
    assert (tmp_path / "tokens.npy").read_bytes() == b"kept"


USES_AT_EXIT = {
    "encode": "tok.encode_batch([text] * 50, threads=2)",
    "count": "tok.count_tokens(text * 50)",
    "train": "superword.train([text], 300, threads=2)",
    "stream": "tok.encode_stream().feed(text)",
    "progress": "superword.train([text], 300, progress=lambda *_: None)",
}
ENDING = """
import threading, time, superword
text = next(iter(superword.sample()))
tok = superword.train([text], 300)
begun = threading.Event()
def work():
    while True:
        USE
        begun.set()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


@pytest.mark.parametrize("use", USES_AT_EXIT)
def test_the_interpreter_may_end_while_a_daemon_thread_works(use: str) -> None:
    program = ENDING.replace("USE", USES_AT_EXIT[use])
    for _ in range(2):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
