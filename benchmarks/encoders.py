"""Run one encoder in this process, and print its speeds as JSON.

    python benchmarks/encoders.py NAME TOKENIZER FIRST.json SECOND.json THREADS

`FIRST.json` and `SECOND.json` hold lists of texts. In MB of text per second:

- `first`: from the model file on disk to the last id of the first texts; then they are repeated
  until the speed is stable;
- `unseen`: the second texts, new text of the same kind;
- `seen`: the first texts once more.

In seconds: `load`, from the model file to the first id, and `10 KB`, to the last id of the first
ten kilobytes. Importing the library is not counted.

This imports only numpy and the encoder that it runs, so it also runs in the environment of the
peers.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from trainers import peak_gigabytes

# Encodes texts to arrays of ids, which concatenated are all ids.
Encode = Callable[[list[str]], Any]


def load_superword(path: str, threads: int) -> Encode:
    """Load a superword model."""
    import superword

    tok = superword.load(path)
    tok.encode("The first sentence.")
    return lambda texts: tok.encode_batch_to_numpy(texts, threads)[0]


def load_gigatoken(path: str, threads: int) -> Encode:
    """Load a tokenizer.json; ids come as an awkward array."""
    import gigatoken

    tok = gigatoken.Tokenizer(path)

    def encode(texts: list[str]) -> Any:
        return tok.encode_batch(texts)

    return encode


def load_fastokens(path: str, threads: int) -> Encode:
    """Load a tokenizer.json; ids come as bytes."""
    import fastokens

    tok = fastokens.Tokenizer.from_file(path)
    return lambda texts: np.frombuffer(tok.encode_batch_flat(texts)[0], np.uint32)


def load_tokenizers(path: str, threads: int) -> Encode:
    """Load a tokenizer.json with Hugging Face; ids come as lists."""
    from tokenizers import Tokenizer

    tok = Tokenizer.from_file(path)
    return lambda texts: [encoding.ids for encoding in tok.encode_batch_fast(texts)]


def load_tiktoken(path: str, threads: int) -> Encode:
    """Load a tiktoken file; ids come as one array per text."""
    import tiktoken

    with open(f"{path}.json", encoding="utf-8") as file:
        pattern = json.load(file)["pat_str"]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines}
    tok = tiktoken.Encoding("plain", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda texts: [tok.encode_to_numpy(text, disallowed_special=()) for text in texts]


ENCODERS = {
    "superword": load_superword,
    "gigatoken": load_gigatoken,
    "fastokens": load_fastokens,
    "tokenizers": load_tokenizers,
    "tiktoken": load_tiktoken,
}


def flatten_ids(encoded: Any) -> Any:
    """Return all ids in one array."""
    if hasattr(encoded, "layout"):  # An awkward array, from gigatoken.
        import awkward

        return np.asarray(awkward.flatten(encoded, axis=None)).astype(np.uint32)
    if isinstance(encoded, list):
        return np.concatenate([np.asarray(ids, np.uint32) for ids in encoded])
    return np.asarray(encoded, np.uint32)


def time_encoding(encode: Encode, texts: list[str]) -> tuple[float, str]:
    """Return the seconds that encoding takes, and the hash of the ids."""
    start = time.perf_counter()
    encoded = encode(texts)
    seconds = time.perf_counter() - start
    return seconds, hashlib.sha256(flatten_ids(encoded).tobytes()).hexdigest()


def take_start(texts: list[str], characters: int) -> tuple[list[str], list[str]]:
    """Return the first characters of texts, which may cut a text in two, and the rest."""
    start: list[str] = []
    for position, text in enumerate(texts):
        if len(text) >= characters:
            rest = [text[characters:], *texts[position + 1 :]]
            return [*start, text[:characters]], rest
        start.append(text)
        characters -= len(text)
    return start, []


def main() -> None:
    """Run and time the encoder named on the command line."""
    name, path, first_path, second_path, threads = sys.argv[1:]
    with open(first_path, encoding="utf-8") as file:
        first = json.load(file)
    with open(second_path, encoding="utf-8") as file:
        second = json.load(file)
    # superword imports its parts when they are first used; imports are not counted.
    getattr(importlib.import_module(name), "load", None)
    start = time.perf_counter()
    encode = ENCODERS[name](path, int(threads))
    load = time.perf_counter() - start
    few, rest = take_start(first, 10_000)
    ten_kilobytes = load + time_encoding(encode, few)[0]
    cold = ten_kilobytes + time_encoding(encode, rest)[0]
    before, digest = time_encoding(encode, first)
    for _ in range(10):
        now, again = time_encoding(encode, first)
        assert again == digest, f"{name} gives different ids the second time"
        # With several threads, repeat until each thread has seen all of the text.
        if now > 0.97 * before and threads == "1":
            break
        before = now
    unseen, second_digest = time_encoding(encode, second)
    seen, again = time_encoding(encode, first)
    assert again == digest, f"{name} gives different ids at the end"
    sizes = [sum(len(text.encode()) for text in texts) / 1e6 for texts in (first, second)]
    print(
        json.dumps(
            {
                "load": load,
                "10 KB": ten_kilobytes,
                "first": sizes[0] / cold,
                "unseen": sizes[1] / unseen,
                "seen": sizes[0] / seen,
                "gigabytes": peak_gigabytes(),
                "sha256": [digest, second_digest],
            }
        )
    )


if __name__ == "__main__":
    main()
