"""How much of a prompt is held back, and how long finding out takes.

    python benchmarks/prompts.py --prompts 2000

Documents of the evaluation corpus are cut at places at random, and `encode_prompt` says what is
certain. The next 200 characters of each document are one continuation, which must not change it.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import results
import superword
from runs import corpus
from transformers_face import VOCAB_SIZE, evaluation

Figures = dict[str, Any]


def measured(tok: superword.Tokenizer, prompts: list[tuple[str, str]]) -> Figures:
    """What is held back of each prompt."""
    tok.encode_prompt("The first.")  # which sorts the tokens
    held, tokens = [], []
    start = time.perf_counter()
    for text, _ in prompts:
        held.append(len(tok.encode_prompt(text).held_back))
    seconds = time.perf_counter() - start
    for text, continuation in prompts:
        ids = tok.encode_prompt(text).ids
        if tok.encode_ordinary(text + continuation)[: len(ids)] != ids:
            raise SystemExit("a continuation changed what was certain")
        tokens.append(len(tok.encode_ordinary(text)) - len(ids))
    return {
        "bytes": sum(held) / len(held),
        "most": max(held),
        "tokens": sum(tokens) / len(tokens),
        "milliseconds": 1000 * seconds / len(prompts),
    }


def main() -> None:
    """Measure and write `results/prompts`."""
    parser = argparse.ArgumentParser(description="Measure what is held back of prompts.")
    parser.add_argument("--size", type=int, default=20, metavar="MB", help="of training text")
    parser.add_argument("--prompts", type=int, default=2000, help="how many (default: 2000)")
    options = parser.parse_args()
    text = corpus(options.size)
    chance = random.Random(7)
    documents = [document for document in evaluation() if len(document) > 100]
    prompts = []
    for _ in range(options.prompts):
        document = chance.choice(documents)
        end = chance.randrange(50, min(len(document), 4000))
        prompts.append((document[:end], document[end : end + 200]))
    kinds: dict[str, dict[str, Any]] = {
        "BoundlessBPE": {},
        "BoundlessBPE, gpt4o": {"pattern": "gpt4o"},
        "plain BPE, gpt4o": {"pattern": "gpt4o", "supermerges": False, "deletion": None},
    }
    found = {}
    for name, kind in kinds.items():
        found[name] = measured(superword.train(text, VOCAB_SIZE, **kind), prompts)
    rows: list[list[object]] = [["model", "bytes", "tokens", "most bytes", "ms a prompt"]]
    for name, figures in found.items():
        means = [f"{figures['bytes']:.2f}", f"{figures['tokens']:.2f}"]
        rows.append([name, *means, figures["most"], f"{figures['milliseconds']:.1f}"])
    results.save(
        "prompts",
        "What is held back of prompts",
        {"prompts": len(prompts), "found": found},
        [
            f"{len(prompts):,} beginnings of documents of the evaluation corpus, cut at random, "
            f"with models of {VOCAB_SIZE:,} tokens: the mean number of bytes and tokens held back "
            "by `encode_prompt`, the most, and the time it takes.",
            results.table(rows),
        ],
    )


if __name__ == "__main__":
    main()
