"""How fast the tokenizer of `superword.transformers` encodes, beside `encode_batch`.

    python benchmarks/transformers_face.py --repeats 5

A BoundlessBPE of 32,768 tokens with special tokens encodes the documents of the evaluation corpus,
in batches like those of `datasets.map` and all at once. `encode_batch` gives lists too, and is what
the ratio is to. One thread and all threads, the best of several runs in one process, taken in turn.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import time
from collections.abc import Callable
from typing import Any

import transformers
import zstandard

import results
import superword
from runs import corpus, written
from superword.transformers import SuperwordTokenizer

VOCAB_SIZE = 32_768
BATCH = 1000

Encode = Callable[[list[str]], list[list[int]]]


def evaluation() -> list[str]:
    """The documents of the evaluation corpus."""
    with (results.SHARED / "corpus/eval.jsonl.zst").open("rb") as packed:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
        lines = io.TextIOWrapper(unpacked, encoding="utf-8").readlines()
    return [json.loads(line)["text"] for line in lines]


def batches(texts: list[str], size: int) -> list[list[str]]:
    """The texts, so many at a time."""
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def best(
    encoders: dict[str, Encode], texts: list[str], size: int, repeats: int
) -> dict[str, float]:
    """The speeds in MB a second, the best of several runs; all must give the same ids."""
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    seconds: dict[str, list[float]] = {name: [] for name in encoders}
    expected: list[list[int]] | None = None
    for _ in range(repeats):
        for name, encode in encoders.items():
            start = time.perf_counter()
            ids = [row for batch in batches(texts, size) for row in encode(batch)]
            seconds[name].append(time.perf_counter() - start)
            if expected is not None and ids != expected:
                raise SystemExit(f"{name} gives other ids")
            expected = ids
    return {name: megabytes / min(taken) for name, taken in seconds.items()}


def main() -> None:
    """Measure and write `results/transformers`."""
    parser = argparse.ArgumentParser(description="Measure the tokenizer of transformers.")
    parser.add_argument("--size", type=int, default=20, metavar="MB", help="of training text")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    options = parser.parse_args()
    model = written(
        f"transformers-{options.size}.json",
        lambda path: superword.train(
            corpus(options.size), VOCAB_SIZE, special_tokens=["<|endoftext|>", "<|pad|>"]
        ).save(path),
    )
    tok = superword.load(model)
    tokenizer = SuperwordTokenizer(tok, eos_token="<|endoftext|>", pad_token="<|pad|>")
    texts = evaluation()

    def face(batch: list[str]) -> list[list[int]]:
        return list(tokenizer(batch)["input_ids"])

    encoders: dict[str, Encode] = {"encode_batch": tok.encode_ordinary_batch, "transformers": face}
    everything = os.sched_getaffinity(0)
    rows: list[list[object]] = [["threads", "texts at a time", *encoders, "ratio"]]
    figures: list[dict[str, Any]] = []
    for cores in sorted({1, len(everything)}):
        os.sched_setaffinity(0, sorted(everything)[:cores])
        for size in (BATCH, len(texts)):
            speeds = best(encoders, texts, size, options.repeats)
            ratio = speeds["transformers"] / speeds["encode_batch"]
            figures.append({"threads": cores, "texts": size, "speeds": speeds, "ratio": ratio})
            shown = [f"{speed:.0f}" for speed in speeds.values()]
            rows.append([cores, f"{size:,}", *shown, f"{ratio:.2f}"])
    os.sched_setaffinity(0, everything)
    results.save(
        "transformers",
        "The tokenizer of transformers beside encode_batch",
        {"transformers": transformers.__version__, "runs": figures},
        [
            f"MB of text a second, best of {options.repeats}: {len(texts):,} documents of the "
            f"evaluation corpus, to lists of ids; transformers {transformers.__version__}, which "
            "gives attention masks too.",
            results.table(rows),
        ],
    )


if __name__ == "__main__":
    main()
