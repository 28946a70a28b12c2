"""Measure encoding in pieces: a corpus in pieces of 64 KB, one character at a time, and a chat.

python benchmarks/streams.py
"""

from __future__ import annotations

import argparse
import random
from itertools import chain
from typing import Any

import results
import superword
from benchmark_text import parse_options
from harness import prepare_corpus, read_evaluation_texts, time_best
from transformers_tokenizer import VOCAB_SIZE

Figures = dict[str, Any]

PIECE = 1 << 16
KINDS: dict[str, dict[str, Any]] = {
    "BoundlessBPE": {"max_superwords": None},
    "plain BPE": {"supermerges": False, "deletion": None},
    "SuperBPE": {"transition": VOCAB_SIZE * 3 // 4, "supermerges": False, "deletion": None},
}


def feed(tok: superword.Tokenizer, pieces: list[str]) -> list[list[int]]:
    """Encode pieces with a stream."""
    stream = tok.encode_stream()
    return [*map(stream.feed, pieces), stream.finish()]


def measure_throughput(tok: superword.Tokenizer, text: str) -> Figures:
    """Compare pieces of 64 KB, and single characters, with a batch on one thread."""
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    characters = list(text[: len(text) // 20])
    expected = tok.encode_ordinary_batch([text], threads=1)[0]
    if list(chain.from_iterable(feed(tok, pieces))) != expected:
        raise SystemExit("a stream and a batch differ")
    megabytes = len(text.encode()) / 1e6
    # In turns, so that both meet the same noise.
    batch = stream = single = float("inf")
    for _ in range(5):
        batch = min(batch, time_best(1, lambda: tok.encode_ordinary_batch([text], threads=1))[0])
        stream = min(stream, time_best(1, lambda: feed(tok, pieces))[0])
    small = len("".join(characters).encode()) / 1e6
    single = time_best(2, lambda: feed(tok, characters))[0]
    return {
        "batch MB/s": megabytes / batch,
        "stream MB/s": megabytes / stream,
        "characters MB/s": small / single,
        "microseconds per character": 1e6 * single / len(characters),
    }


def measure_chat(tok: superword.Tokenizer, texts: list[str]) -> Figures:
    """Append 50 tokens to a history of 100,000, many times; compare with encoding it all anew."""
    generator = random.Random(3)
    history = tok.decode(tok.encode_ordinary("".join(texts))[:100_000])
    turns = [tok.decode(tok.encode_ordinary(generator.choice(texts))[:50]) for _ in range(200)]
    anew, _ = time_best(3, lambda: tok.encode_ordinary(history + turns[0]))
    alone, _ = time_best(3, lambda: [tok.encode_ordinary(turn) for turn in turns])
    begun = tok.encode_stream()
    first = begun.feed(history)

    def append() -> list[int]:
        stream = begun.copy()
        ids: list[int] = []
        for turn in turns:
            ids += stream.feed(turn)
            last = stream.peek()
        return ids + last

    seconds, rest = time_best(3, append)
    if first + rest != tok.encode_ordinary(history + "".join(turns)):
        raise SystemExit("a chat and the whole text differ")
    return {
        "history anew, ms": 1000 * anew,
        "turn appended, µs": 1e6 * seconds / len(turns),
        "turn alone, µs": 1e6 * alone / len(turns),
    }


def main() -> None:
    """Measure and write `results/streams`."""
    parser = argparse.ArgumentParser(description="Measure encoding in pieces.")
    parser.add_argument("--size", type=int, default=20, metavar="MB", help="training text")
    options = parse_options(parser)
    corpus = prepare_corpus(options.size)
    texts = read_evaluation_texts()
    text = "\n\n".join(texts)[:20_000_000]
    found = {}
    for name, kind in KINDS.items():
        tok = superword.train(corpus, VOCAB_SIZE, **kind)
        found[name] = {**measure_throughput(tok, text), **measure_chat(tok, texts)}
    rows: list[list[object]] = [
        ["model", "batch, MB/s", "64 KB, MB/s", "ratio", "one character, MB/s", "µs each"]
    ]
    chats: list[list[object]] = [["model", "all anew, µs", "50 tokens appended, µs", "alone, µs"]]
    for name, figures in found.items():
        batch, stream = figures["batch MB/s"], figures["stream MB/s"]
        rows.append(
            [
                name,
                *(f"{one:.0f}" for one in (batch, stream)),
                f"{stream / batch:.2f}",
                f"{figures['characters MB/s']:.2f}",
                f"{figures['microseconds per character']:.2f}",
            ]
        )
        anew = 1000 * figures["history anew, ms"]
        turn = [figures["turn appended, µs"], figures["turn alone, µs"]]
        chats.append([name, f"{anew:,.0f}", *(f"{one:.0f}" for one in turn)])
    results.save(
        "streams",
        "Texts in pieces",
        {"found": found},
        [
            f"Models of {VOCAB_SIZE:,} tokens. {len(text.encode()) / 1e6:.0f} MB of the evaluation "
            "corpus as one text: `encode_ordinary_batch` on one thread, and `encode_stream` with "
            "pieces of 65,536 characters, and of one character (a twentieth of the text). The "
            "times are from Python, with a list of ids for each piece.",
            results.format_table(rows),
            "A chat: 50 tokens are appended to a history of 100,000 and the ids are asked for "
            "(`feed` and `peek`), 200 times; beside encoding the whole history anew, and beside "
            "encoding the 50 tokens alone.",
            results.format_table(chats),
        ],
    )


if __name__ == "__main__":
    main()
