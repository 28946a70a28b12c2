"""Count the continuations that are scored wrongly where the context's ids are cut off.

    python benchmarks/scored_continuations.py

lm-evaluation-harness scores `encode(context + continuation)[len(encode(context)):]`. A superword
may cross the end of the context. `superword.lm_eval` scores all ids after those of
`encode_prompt(context)`. The continuations are words of the evaluation corpus.
"""

from __future__ import annotations

import argparse
import random
import re
from itertools import islice
from pathlib import Path
from typing import Any

import results
import superword
from benchmark_text import parse_options, read_documents
from harness import Figures, prepare_corpus
from superword.integrations.scoring import encode_pair
from superword.transformers import SuperwordTokenizer

VOCAB_SIZE = 16_384
SPECIAL = ["<|bos|>", "<|end|>"]
WORD = re.compile(r"(?<=[\w.,;:)]) [A-Za-z]+(?![\w'’\-])")
MODELS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "BoundlessBPE": {"max_superwords": None},
    "SuperBPE": {"supermerges": False, "deletion": None, "transition": 12_800},
}


def draw_pairs(count: int) -> list[tuple[str, str]]:
    """Return contexts from the evaluation corpus, and the word after each."""
    documents = [text for text in islice(read_documents("eval"), 4000) if len(text) > 400]
    generator = random.Random(18)
    found: list[tuple[str, str]] = []
    while len(found) < count:
        document = generator.choice(documents)
        at = generator.randrange(100, min(len(document) - 50, 3000))
        if (match := WORD.search(document, at)) and match.end() < len(document):
            found.append((document[: match.start()], match.group()))
    return found


def measure(name: str, text: Path, pairs: list[tuple[str, str]]) -> Figures:
    """Return how many continuations each way scores wrongly, and what the new one adds."""
    tok = superword.train(text, VOCAB_SIZE, pattern="gpt4o", special_tokens=SPECIAL, **MODELS[name])
    tokenizer = SuperwordTokenizer(tok)
    wrong = empty = ours = held_back = 0
    for context, continuation in pairs:
        whole = tok.encode_ordinary(context + continuation)
        usual = tok.decode_bytes(whole[len(tok.encode_ordinary(context)) :])
        wrong += usual != continuation.encode()
        empty += usual == b""
        pair = encode_pair(tokenizer, context, continuation, VOCAB_SIZE)
        held_back += len(pair.held_back)
        scored = tok.decode_bytes(pair.scored)
        ours += scored != pair.held_back + continuation.encode()
    return {
        "wrong": wrong,
        "empty": empty,
        "wrong with superword": ours,
        "held back": held_back / len(pairs),
    }


def main() -> None:
    """Measure and write `results/scored_continuations`."""
    parser = argparse.ArgumentParser(description="Count continuations that are scored wrongly.")
    parser.add_argument("--size", type=int, default=20, metavar="MB", help="training text")
    parser.add_argument("--count", type=int, default=1285, help="how many continuations")
    options = parse_options(parser)
    text, pairs = prepare_corpus(options.size), draw_pairs(options.count)
    found = {name: measure(name, text, pairs) for name in MODELS}
    head = ["", "`--model hf` scores wrongly", "nothing left", "`--model superword`", "held back"]
    rows: list[list[object]] = [list(head)]
    for name, one in found.items():
        counts = (one[key] for key in ("wrong", "empty", "wrong with superword"))
        rows.append([name, *counts, f"{one['held back']:.1f}"])
    results.save(
        "scored_continuations",
        "One-word continuations that are scored wrongly",
        {"continuations": len(pairs), "found": found},
        [
            f"Of {len(pairs):,} one-word continuations from the evaluation corpus, with models of "
            f"{VOCAB_SIZE:,} tokens, trained on {options.size} MB. The bytes held back are a mean.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
