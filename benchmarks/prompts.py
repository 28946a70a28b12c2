"""Measure how much of a prompt `encode_prompt` holds back, and how long it takes.

    python benchmarks/prompts.py --prompts 2000

Documents of the evaluation corpus are cut at random. The next 200 characters of each document are
one possible continuation, which must not change the ids of the prompt.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import results
import superword
from harness import prepare_corpus, read_evaluation_texts
from transformers_tokenizer import VOCAB_SIZE

Figures = dict[str, Any]


def measure(tok: superword.Tokenizer, prompts: list[tuple[str, str]]) -> Figures:
    """Measure what is held back of each prompt, and check the continuations."""
    tok.encode_prompt("The first.")  # The first call sorts the tokens.
    held, tokens = [], []
    start = time.perf_counter()
    for text, _ in prompts:
        held.append(len(tok.encode_prompt(text).held_back))
    seconds = time.perf_counter() - start
    for text, continuation in prompts:
        ids = tok.encode_prompt(text).ids
        if tok.encode_ordinary(text + continuation)[: len(ids)] != ids:
            raise SystemExit("a continuation changed the ids of a prompt")
        tokens.append(len(tok.encode_ordinary(text)) - len(ids))
    return {
        "bytes": sum(held) / len(held),
        "most": max(held),
        "tokens": sum(tokens) / len(tokens),
        "milliseconds": 1000 * seconds / len(prompts),
    }


def main() -> None:
    """Measure and write `results/prompts`."""
    parser = argparse.ArgumentParser(description="Measure how much of prompts is held back.")
    parser.add_argument("--size", type=int, default=20, metavar="MB", help="training text")
    parser.add_argument("--prompts", type=int, default=2000, help="how many (default: 2000)")
    options = parser.parse_args()
    text = prepare_corpus(options.size)
    generator = random.Random(7)
    documents = [document for document in read_evaluation_texts() if len(document) > 100]
    prompts = []
    for _ in range(options.prompts):
        document = generator.choice(documents)
        end = generator.randrange(50, min(len(document), 4000))
        prompts.append((document[:end], document[end : end + 200]))
    kinds: dict[str, dict[str, Any]] = {
        "BoundlessBPE": {},
        "BoundlessBPE, gpt4o": {"pattern": "gpt4o"},
        "plain BPE, gpt4o": {"pattern": "gpt4o", "supermerges": False, "deletion": None},
    }
    found = {}
    for name, kind in kinds.items():
        found[name] = measure(superword.train(text, VOCAB_SIZE, **kind), prompts)
    rows: list[list[object]] = [["model", "bytes", "tokens", "max bytes", "ms per prompt"]]
    for name, figures in found.items():
        means = [f"{figures['bytes']:.2f}", f"{figures['tokens']:.2f}"]
        rows.append([name, *means, figures["most"], f"{figures['milliseconds']:.1f}"])
    results.save(
        "prompts",
        "Bytes and tokens held back from prompts",
        {"prompts": len(prompts), "found": found},
        [
            f"{len(prompts):,} documents of the evaluation corpus, cut at random, with models of "
            f"{VOCAB_SIZE:,} tokens: the mean number of bytes and tokens that `encode_prompt` "
            "holds back, the maximum, and the time per prompt.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
