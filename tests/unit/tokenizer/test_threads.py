"""Many threads, many processes, and the cache of the encoder."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

import superword
from superword import Tokenizer
from superword.tokenizer import TrainingConfig

TEXT = "It was the end of the day. “Naïve” 日本語!\n\n  12345 cafés\n"


def test_threads_change_nothing(tok: Tokenizer) -> None:
    batch = [text[:3000] for text in superword.sample()] * 2
    one = tok.encode_batch_to_numpy(batch, threads=1)
    for threads in (2, 8, None):
        many = tok.encode_batch_to_numpy(batch, threads=threads)
        assert np.array_equal(one[0], many[0])
        assert np.array_equal(one[1], many[1])
    assert tok.encode_batch(batch, threads=3) == [tok.encode(text) for text in batch]


def test_a_huge_text_is_shared_among_threads_without_a_trace(tok: Tokenizer) -> None:
    novels = "\n\n".join(superword.sample())[: 3 << 19]
    # With line ends, where it may be split, and without.
    for text in (novels.replace(", ", ",\n"), novels.replace("\n", " ")):
        one, _ = tok.encode_batch_to_numpy([text], threads=1)
        for threads in (2, 8):
            many, offsets = tok.encode_batch_to_numpy(["a", text, ""], threads=threads)
            assert np.array_equal(many[1:], one)
            assert offsets.tolist() == [0, 1, len(many), len(many)]
        assert tok.encode(text) == one.tolist()
        assert tok.count_tokens(text) == len(one)
    assert tok.decode(one) == text
    data = text.encode() + b"\xff\n" + text.encode()
    assert tok.decode_bytes(tok.encode_bytes(data)) == data


def test_an_error_on_another_thread_is_raised() -> None:
    tok = Tokenizer._from_rules([], TrainingConfig(pattern="b|(?:(?=a)a|(?=a)a)+$b"))
    batch = ["ab" * 200] * 500 + ["a" * 60] + ["ab" * 200] * 500
    for threads in (1, 4):
        with pytest.raises(superword.PatternError, match="backtracking"):
            tok.encode_batch(batch, threads=threads)
        assert tok.encode_batch(["ab"], threads=threads) == [[97, 98]]


def test_many_threads_may_use_one_tokenizer(tok: Tokenizer) -> None:
    fresh = pickle.loads(pickle.dumps(tok))
    batch = [text[:2000] for text in superword.sample()][:60]
    expected = [tok.encode(text) for text in batch]
    start = threading.Barrier(8)

    def work(_: int) -> bool:
        start.wait()
        is_equal = [fresh.encode(text) for text in batch] == expected
        return is_equal and fresh.encode_batch(batch, threads=2) == expected

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_a_tokenizer_is_pickled_by_value_and_copied_for_nothing(special: Tokenizer) -> None:
    again = pickle.loads(pickle.dumps(special))
    assert again == special and again is not special
    assert again.encode(TEXT) == special.encode(TEXT)
    assert again.special_tokens == special.special_tokens
    assert copy.copy(special) is special
    assert copy.deepcopy({"tok": special})["tok"] is special


def encode_in_worker(tok: Tokenizer, batch: list[str]) -> list[list[int]]:
    return tok.encode_batch(batch, threads=2)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_encode_alike(tok: Tokenizer, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    batch = [text[:500] for text in superword.sample()][:20]
    expected = tok.encode_batch(batch, threads=4)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.starmap(encode_in_worker, [(tok, batch)] * 4)
    assert results == [expected] * 4


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_while_other_threads_encode_does_not_hang(tok: Tokenizer) -> None:
    text = next(iter(superword.sample()))[:100_000]
    expected = tok.encode(text)
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            tok.encode_batch([text[:2000]] * 100, threads=2)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(5):
            queue = context.SimpleQueue()
            process = context.Process(target=lambda q=queue: q.put(tok.encode(text)))
            process.start()
            assert queue.get() == expected
            process.join(60)
            assert process.exitcode == 0
    finally:
        stop.set()
        for worker in workers:
            worker.join()


def test_the_cache_changes_nothing(tok: Tokenizer) -> None:
    """The cache fills up and is emptied, with words in it that recur."""
    random = Random(1)
    used = pickle.loads(pickle.dumps(tok))
    letters = random.choices("abcdefghijklmnopqrstuvwxyz", k=5_400_000)
    words = [" " + "".join(letters[at : at + 9]) for at in range(0, len(letters), 9)]
    again = "".join(words[:300])
    expected = tok.encode_ordinary(again)
    for start in range(0, len(words), 10_000):
        ids = used.encode_to_numpy(again + "".join(words[start : start + 10_000]))
        assert ids[: len(expected)].tolist() == expected, start
    text = "".join(words[-20_000:]) + TEXT + "x" * 300 + again
    assert used.encode_ordinary(text) == tok.encode_ordinary(text)
