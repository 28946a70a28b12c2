"""One run of one encoder, in a process of its own: prints its speeds as JSON.

    python benchmarks/encoders.py NAME TOKENIZER FIRST.json SECOND.json THREADS

`FIRST.json` and `SECOND.json` hold lists of texts. The tokenizer is loaded first, which is timed
apart. Then the first texts are encoded: the first pass, over what no cache knows. Then again until
the speed is stable, then the second texts once: unseen text of the same kind. Then the first texts
once more, which have been seen. It imports nothing but the encoder that it runs, and numpy, so it
runs in the peers' environment too.
"""

from __future__ import annotations

import base64
import hashlib
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

# Encodes texts to arrays of ids that are, one after the other, all ids.
Encode = Callable[[list[str]], Any]


def superword(path: str, threads: int) -> Encode:
    """Ours."""
    import superword

    tok = superword.load(path)
    tok.encode("The first sentence.")
    return lambda texts: tok.encode_batch_to_numpy(texts, threads)[0]


def gigatoken(path: str, threads: int) -> Encode:
    """From a tokenizer.json; to its own kind of array."""
    import gigatoken

    tok = gigatoken.Tokenizer(path)

    def encode(texts: list[str]) -> Any:
        return tok.encode_batch(texts)

    return encode


def fastokens(path: str, threads: int) -> Encode:
    """From a tokenizer.json; to bytes that are an array."""
    import fastokens

    tok = fastokens.Tokenizer.from_file(path)
    return lambda texts: np.frombuffer(tok.encode_batch_flat(texts)[0], np.uint32)


def tokenizers(path: str, threads: int) -> Encode:
    """Hugging Face; to lists, for want of arrays."""
    from tokenizers import Tokenizer

    tok = Tokenizer.from_file(path)
    return lambda texts: [encoding.ids for encoding in tok.encode_batch_fast(texts)]


def tiktoken(path: str, threads: int) -> Encode:
    """To an array a text."""
    import tiktoken

    with open(f"{path}.json", encoding="utf-8") as file:
        pattern = json.load(file)["pat_str"]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines}
    tok = tiktoken.Encoding("plain", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda texts: [tok.encode_to_numpy(text, disallowed_special=()) for text in texts]


ENCODERS = {f.__name__: f for f in (superword, gigatoken, fastokens, tokenizers, tiktoken)}


def flat(encoded: Any) -> Any:
    """All ids in one array."""
    if hasattr(encoded, "layout"):  # awkward, which gigatoken gives
        import awkward

        return np.asarray(awkward.flatten(encoded, axis=None)).astype(np.uint32)
    if isinstance(encoded, list):
        return np.concatenate([np.asarray(ids, np.uint32) for ids in encoded])
    return np.asarray(encoded, np.uint32)


def timed(encode: Encode, texts: list[str]) -> tuple[float, str]:
    """How long it takes, and the hash of the ids."""
    start = time.perf_counter()
    encoded = encode(texts)
    seconds = time.perf_counter() - start
    return seconds, hashlib.sha256(flat(encoded).tobytes()).hexdigest()


def main() -> None:
    """Run and time the encoder that the command line names."""
    name, path, first_path, second_path, threads = sys.argv[1:]
    with open(first_path, encoding="utf-8") as file:
        first = json.load(file)
    with open(second_path, encoding="utf-8") as file:
        second = json.load(file)
    start = time.perf_counter()
    encode = ENCODERS[name](path, int(threads))
    load = time.perf_counter() - start
    cold, digest = timed(encode, first)
    before = cold
    for _ in range(10):
        now, again = timed(encode, first)
        assert again == digest, f"{name} gives other ids the second time"
        # On several threads each must have seen all of it, whichever took it the last time.
        if now > 0.97 * before and threads == "1":
            break
        before = now
    unseen, second_digest = timed(encode, second)
    seen, again = timed(encode, first)
    assert again == digest, f"{name} gives other ids in the end"
    sizes = [sum(len(text.encode()) for text in texts) / 1e6 for texts in (first, second)]
    print(
        json.dumps(
            {
                "load": load,
                "first": sizes[0] / cold,
                "unseen": sizes[1] / unseen,
                "seen": sizes[0] / seen,
                "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
                "sha256": [digest, second_digest],
            }
        )
    )


if __name__ == "__main__":
    main()
