"""Time one encoder on short texts in this process, and print the microseconds as JSON.

    python benchmarks/short_texts.py NAME TOKENIZER TEXTS.json

`TEXTS.json` is an object of texts by name. Each text is encoded many times by the call that a user
would write; what it returns is printed too. Like encoders.py, this imports only the encoder.
"""

from __future__ import annotations

import json
import sys
import timeit
from collections.abc import Callable
from functools import partial
from typing import Any

REPEATS = 9
# The time of one repeat, in seconds.
LASTING = 0.02


def load_encode(name: str, path: str) -> Callable[[str], Any]:
    """Load an encoder, and return what encodes one text."""
    if name.startswith("superword"):
        import superword

        tokenizer = superword.load(path)
        return tokenizer.encode_to_numpy if name == "superword array" else tokenizer.encode
    if name == "gigatoken":
        import gigatoken

        encode: Callable[[str], Any] = gigatoken.Tokenizer(path).encode
        return encode
    if name == "fastokens":
        import fastokens

        tok = fastokens.Tokenizer.from_file(path)
        return lambda text: tok.encode(text).ids
    if name == "tokenizers":
        from tokenizers import Tokenizer

        tok = Tokenizer.from_file(path)
        return lambda text: tok.encode(text).ids
    import base64

    import tiktoken

    with open(f"{path}.json", encoding="utf-8") as file:
        pattern = json.load(file)["pat_str"]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines}
    options = {"pat_str": pattern, "mergeable_ranks": ranks, "special_tokens": {}}
    return tiktoken.Encoding("plain", **options).encode


def main() -> None:
    """Time the encoder named on the command line."""
    name, path, texts_path = sys.argv[1:]
    encode = load_encode(name, path)
    with open(texts_path, encoding="utf-8") as file:
        texts = json.load(file)
    figures = {}
    for label, text in texts.items():
        timer = timeit.Timer(partial(encode, text))
        once = timer.timeit(100) / 100
        number = max(1, int(LASTING / once))
        best = min(timer.repeat(REPEATS, number)) / number
        figures[label] = {"microseconds": best * 1e6, "ids": len(encode(text))}
    returns = type(encode(texts[next(iter(texts))])).__name__
    print(json.dumps({"returns": returns, "texts": figures}))


if __name__ == "__main__":
    main()
