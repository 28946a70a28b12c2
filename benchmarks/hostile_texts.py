"""Measure whether encoding hostile texts takes linear time.

    python benchmarks/hostile_texts.py

Each text is encoded on one thread at two lengths, one eight times the other, by models of all kinds
and with all named patterns, which are trained on the bundled novels. If time is linear, both take
the same time for each byte.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import results
import superword
from benchmark_text import parse_options
from superword import Tokenizer, _core
from superword.interop import import_tokenizer

FACTOR = 8
VOCAB_SIZE = 2000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPECIAL = "<|end|>"
PIECES = {
    "one letter": "a",
    "two letters": "ab",
    "capital letters": "A",
    "mixed case": "aA",
    "camelCase": "camelCaseWord",
    "one word": " the",
    "superwords": " of the",
    "single letters": "a ",
    "spaces": " ",
    "spaces and letters": "   a",
    "newlines": "\n",
    "line ends of Windows": "\r\n",
    "tabs": "\t ",
    "digits": "1234567890",
    "punctuation": ".",
    "slashes": "/",
    "apostrophes": "'",
    "contractions": "a's't'll",
    "control characters": "\x00\x01\x1b",
    "combining marks": "\u0301",
    "stacked marks": "a\u0300\u0301\u0302\u0303\u0316\u0317",
    "emoji sequences": "👩🏽\u200d🚀👨\u200d👩\u200d👧",
    "Chinese": "日本語中文字",
    "Thai": "ภาษาไทยสวัสดี",
    "special tokens": "<|<|end|>|>",
    "underscores": "_a",
}


def make_texts(size: int) -> dict[str, str]:
    """Return the texts, each of about this many bytes."""
    texts = {name: piece * (size // len(piece.encode()) or 1) for name, piece in PIECES.items()}
    source = random.Random(1)
    texts["random letters"] = "".join(source.choices(LETTERS, k=size))
    texts["words that never repeat"] = "".join(source.choices(LETTERS + " " * 6, k=size))
    texts["random characters"] = "".join(map(chr, source.choices(range(0x20, 0x3000), k=size // 3)))
    return texts


def train_models() -> dict[str, Tokenizer]:
    """Train a plain model with each named pattern, and a model of each other kind."""
    documents = list(superword.sample())[::4]
    plain: dict[str, Any] = {"supermerges": False, "deletion": None, "special_tokens": [SPECIAL]}
    models = {
        f"BPE, {pattern}": superword.train(documents, VOCAB_SIZE, pattern=pattern, **plain)
        for pattern in [*_core.NAMED_PATTERNS, _core.SCRIPT_PATTERN]
    }
    bpe = models["BPE, gpt4o"]
    models["PickyBPE"] = superword.train(documents, VOCAB_SIZE, tau=0.7, supermerges=False)
    models["BoundlessBPE"] = superword.train(documents, VOCAB_SIZE)
    models["SuperBPE"] = superword.train(documents, VOCAB_SIZE, transition=1500, **plain)
    models["extended"] = superword.extend(bpe, documents, 200)
    models["pruned"] = superword.prune(models["BoundlessBPE"], documents, to=1000).tokenizer
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        superword.export(bpe, path, "tokenizer.json")
        models["imported"] = import_tokenizer(path)
    return models


def add_tokens(tok: Tokenizer, texts: list[str]) -> Tokenizer:
    """Return a model with added tokens."""
    model = tok._model
    vocabulary = list(model.vocabulary())
    special = [(id, text) for text, id in model.special_tokens]
    added = list(enumerate(texts, tok.n_vocab))
    config, rules = tok.parameters, tok.rules
    return Tokenizer._of(_core.Model.with_ids(config, rules, vocabulary, special, added, []))


def time_once(run: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of the processor, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def measure(tok: Tokenizer, short: str, long: str, repeats: int) -> dict[str, float]:
    """Return the nanoseconds for each byte of a text and of a longer one, and their ratio."""

    def nanoseconds(text: str) -> float:
        size = len(text.encode())
        return time_once(lambda: tok._encoder.count(text, 1), repeats) / size * 1e9

    first, second = nanoseconds(short), nanoseconds(long)
    return {"short": first, "long": second, "ratio": second / first}


def measure_special_cases(size: int, repeats: int) -> dict[str, dict[str, float]]:
    """Measure what depends on the model: long added tokens, and patterns of users."""
    plain: dict[str, Any] = {"supermerges": False, "deletion": None}
    bpe = superword.train(superword.sample(), 500, pattern="gpt2", **plain)
    long_token = add_tokens(bpe, ["a", "a" * 10_000 + "b"])
    nested = add_tokens(bpe, ["a" * length for length in range(1, 200)])
    short, long = "a" * size, "a" * size * FACTOR
    found = {
        "added tokens a and aaa...ab": measure(long_token, short, long, repeats),
        "added tokens a, aa, aaa, ...": measure(nested, short, long, repeats),
    }
    patterns = {
        "a regex": r"\w+|\W",
        "a regex with nested repetition": r"(?:\w+)+|\W",
        "a regex that looks one character ahead": r"\w+(?!\w)|\s+(?!\S)|\W",
        # Each search reads the rest of the text.
        "a regex that looks ahead without bound": r"(?=\w+b)\w|\w|\W",
    }
    for name, pattern in patterns.items():
        tok = superword.train(["to be"] * 2, 257, pattern=pattern, **plain)
        unbounded = "without bound" in name
        length = size // 10 if unbounded else size
        found[name] = measure(tok, "a" * length, "a" * length * FACTOR, 1 if unbounded else repeats)
    return found


def main() -> None:
    """Measure and write `results/hostile_texts`."""
    parser = argparse.ArgumentParser(description="Measure encoding of hostile texts.")
    parser.add_argument("--size", type=int, default=50_000, help="bytes of the shorter text")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    options = parse_options(parser)
    short, long = make_texts(options.size), make_texts(FACTOR * options.size)
    models = train_models()
    cases = {
        text: {
            name: measure(tok, short[text], long[text], options.repeats)
            for name, tok in models.items()
        }
        for text in short
    }
    special = measure_special_cases(options.size, options.repeats)
    head: list[object] = ["text", "slowest model", "ns/byte", "largest ratio", "its model"]
    rows = [head]
    for text, by_model in cases.items():
        slowest = max(by_model, key=lambda name: by_model[name]["long"])
        steepest = max(by_model, key=lambda name: by_model[name]["ratio"])
        nanoseconds, ratio = by_model[slowest]["long"], by_model[steepest]["ratio"]
        rows.append([text, slowest, f"{nanoseconds:.0f}", f"{ratio:.2f}", steepest])
    others: list[list[object]] = [["case, with one letter", "ns/byte", "ratio"]]
    for name, found in special.items():
        others.append([name, f"{found['long']:.0f}", f"{found['ratio']:.2f}"])
    largest = max(case["ratio"] for by_model in cases.values() for case in by_model.values())
    results.save(
        "hostile_texts",
        "Encoding hostile texts, one thread",
        {"size": options.size, "factor": FACTOR, "cases": cases, "special": special}
        | {"largest_ratio": largest},
        [
            f"{options.size:,} bytes of each text, and {FACTOR} times as many; "
            f"{len(models)} models of {VOCAB_SIZE:,} tokens: {'; '.join(models)}. The ratio of the "
            f"times for a byte is 1 if time is linear, and {FACTOR} if it is quadratic. The "
            f"largest is {largest:.2f}.",
            results.format_table(rows),
            "Long added tokens, and patterns of users:",
            results.format_table(others),
        ],
    )


if __name__ == "__main__":
    main()
