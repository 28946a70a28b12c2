"""Measure the encoding speed of `superword.transformers`, relative to `encode_batch`.

    python benchmarks/transformers_tokenizer.py --repeats 5

A BoundlessBPE of 32,768 tokens with special tokens encodes the documents of the evaluation corpus
to lists of ids: in batches like those of `datasets.map`, and all at once; on one thread and on all.
The encoders alternate in one process, and the best of several runs counts.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import transformers

import results
import superword
from benchmark_text import parse_options
from harness import prepare_corpus, read_evaluation_texts, write_once
from superword.transformers import SuperwordTokenizer

VOCAB_SIZE = 32_768
BATCH_SIZE = 1000

Encode = Callable[[list[str]], list[list[int]]]


def split_batches(texts: list[str], size: int) -> list[list[str]]:
    """Split texts into batches of a size."""
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def measure(
    encoders: dict[str, Encode], texts: list[str], size: int, repeats: int
) -> dict[str, float]:
    """Return the best speed of each encoder in MB per second; all must give the same ids."""
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    seconds: dict[str, list[float]] = {name: [] for name in encoders}
    expected: list[list[int]] | None = None
    for _ in range(repeats):
        for name, encode in encoders.items():
            start = time.perf_counter()
            ids = [row for batch in split_batches(texts, size) for row in encode(batch)]
            seconds[name].append(time.perf_counter() - start)
            if expected is not None and ids != expected:
                raise SystemExit(f"{name} gives different ids")
            expected = ids
    return {name: megabytes / min(taken) for name, taken in seconds.items()}


def main() -> None:
    """Measure and write `results/transformers`."""
    parser = argparse.ArgumentParser(description="Measure superword.transformers.")
    parser.add_argument("--size", type=int, default=20, metavar="MB", help="training text")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    options = parse_options(parser)
    model = write_once(
        f"transformers-{options.size}.json",
        lambda path: superword.train(
            prepare_corpus(options.size),
            VOCAB_SIZE,
            max_superwords=None,
            special_tokens=["<|endoftext|>", "<|pad|>"],
        ).save(path),
    )
    tok = superword.load(model)
    tokenizer = SuperwordTokenizer(tok, eos_token="<|endoftext|>", pad_token="<|pad|>")
    texts = read_evaluation_texts()

    def encode(batch: list[str]) -> list[list[int]]:
        return list(tokenizer(batch)["input_ids"])

    encoders: dict[str, Encode] = {
        "encode_batch": tok.encode_ordinary_batch,
        "transformers": encode,
    }
    all_cores = os.sched_getaffinity(0)
    rows: list[list[object]] = [["threads", "batch size", *encoders, "ratio"]]
    figures: list[dict[str, Any]] = []
    for cores in sorted({1, len(all_cores)}):
        os.sched_setaffinity(0, sorted(all_cores)[:cores])
        for size in (BATCH_SIZE, len(texts)):
            speeds = measure(encoders, texts, size, options.repeats)
            ratio = speeds["transformers"] / speeds["encode_batch"]
            figures.append({"threads": cores, "texts": size, "speeds": speeds, "ratio": ratio})
            shown = [f"{speed:.0f}" for speed in speeds.values()]
            rows.append([cores, f"{size:,}", *shown, f"{ratio:.2f}"])
    os.sched_setaffinity(0, all_cores)
    results.save(
        "transformers",
        "superword.transformers and encode_batch",
        {"runs": figures},
        [
            f"MB of text per second, best of {options.repeats}: {len(texts):,} documents of the "
            f"evaluation corpus, to lists of ids. transformers {transformers.__version__} also "
            "returns attention masks.",
            results.format_table(rows),
        ],
        peers={"transformers": transformers.__version__},
    )


if __name__ == "__main__":
    main()
