"""Measure how much of a prompt `encode_prompt` holds back, and how long it takes beside `encode`.

    python benchmarks/prompts.py

Documents of the evaluation corpus are cut at random. The next 200 characters of each document are
one possible continuation, which must not change the ids of the prompt. For some prompts, a search
finds continuations that change as many ids as it can: no rule could hold back less.
"""

from __future__ import annotations

import argparse
import random
from bisect import bisect_left
from collections.abc import Iterator
from itertools import product
from typing import Any

import results
import superword
from benchmark_text import parse_options
from harness import prepare_corpus, read_evaluation_texts, time_best
from transformers_tokenizer import VOCAB_SIZE

Figures = dict[str, Any]

KINDS: dict[str, dict[str, Any]] = {
    "BoundlessBPE": {"max_superwords": None},
    "BoundlessBPE, pattern boundless": {"pattern": "boundless", "max_superwords": None},
    "PickyBPE": {"supermerges": False},
    "plain BPE": {"supermerges": False, "deletion": None},
    "SuperBPE": {"transition": VOCAB_SIZE * 3 // 4, "supermerges": False, "deletion": None},
    "SuperBPE, profile portable": {"profile": "portable"},
}
# The end of a prompt that the search encodes with each continuation.
SEARCHED = 120
CHARACTERS = "aAs1 \n\t!'’_/éÉ中の가เ\u0301"


def measure(tok: superword.Tokenizer, prompts: list[tuple[str, str]], searched: int) -> Figures:
    """Measure what is held back of each prompt, and check the continuations."""
    texts = [text for text, _ in prompts]
    tok.encode_prompt("The first builds the tables.")
    seconds, found = time_best(5, lambda: [tok.encode_prompt(text) for text in texts])
    encode_seconds, _ = time_best(5, lambda: [tok.encode_ordinary(text) for text in texts])
    for (text, continuation), (ids, _) in zip(prompts, found, strict=True):
        if tok.encode_ordinary(text + continuation)[: len(ids)] != ids:
            raise SystemExit("a continuation changed the ids of a prompt")
    held = [len(prompt.held_back) for prompt in found]
    ends = [text[-SEARCHED:] for text in texts[:searched]]
    tokens = sorted({rule.token for rule in tok.rules})
    least = [find_least(tok, end, tokens) for end in ends]
    of_ends = [len(tok.encode_prompt(end).held_back) for end in ends]
    if any(ours < minimum for ours, minimum in zip(of_ends, least, strict=True)):
        raise SystemExit("the search found a continuation that changes the ids of a prompt")
    return {
        "bytes": sum(held) / len(held),
        "most": max(held),
        "searched bytes": sum(of_ends) / len(of_ends),
        "least bytes": sum(least) / len(least),
        "microseconds": 1e6 * seconds / len(prompts),
        "encode microseconds": 1e6 * encode_seconds / len(prompts),
    }


def find_least(tok: superword.Tokenizer, text: str, tokens: list[bytes]) -> int:
    """Return how many bytes have to be held back, by trying continuations."""
    ids = tok.encode_ordinary(text)
    for other in tok.encode_ordinary_batch([text + more for more in continuations(text, tokens)]):
        shared = (a == b for a, b in zip(ids, other, strict=False))
        ids = ids[: next((at for at, same in enumerate(shared) if not same), len(ids))]
    return len(text.encode()) - len(tok.decode_bytes(ids))


def continuations(text: str, tokens: list[bytes]) -> Iterator[str]:
    """Yield short texts, and texts that complete each token that may begin in the text."""
    yield from ("".join(some) for some in product(CHARACTERS, repeat=2))
    data = text.encode()
    longest = max(map(len, tokens))
    for start in range(max(len(data) - longest, 0), len(data) + 1):
        begun = data[start:]
        for at in range(bisect_left(tokens, begun), len(tokens)):
            if not tokens[at].startswith(begun):
                break
            rest = tokens[at][len(begun) :].decode(errors="ignore")
            yield rest
            if begun:
                yield from (rest + more for more in ("a", " a", "1", ".", "'s"))


def main() -> None:
    """Measure and write `results/prompts`."""
    parser = argparse.ArgumentParser(description="Measure how much of prompts is held back.")
    parser.add_argument("--size", type=int, default=20, metavar="MB", help="training text")
    parser.add_argument("--prompts", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--searched", type=int, default=200, help="how many of them are searched")
    options = parse_options(parser)
    text = prepare_corpus(options.size)
    generator = random.Random(7)
    documents = [document for document in read_evaluation_texts() if len(document) > 100]
    prompts = []
    for _ in range(options.prompts):
        document = generator.choice(documents)
        end = generator.randrange(50, min(len(document), 4000))
        prompts.append((document[:end], document[end : end + 200]))
    found = {
        name: measure(superword.train(text, VOCAB_SIZE, **kind), prompts, options.searched)
        for name, kind in KINDS.items()
    }
    rows: list[list[object]] = [
        ["model", "bytes", "max", "bytes, sample", "least, sample", "µs", "`encode`, µs", "ratio"]
    ]
    for name, figures in found.items():
        columns = ["bytes", "most", "searched bytes", "least bytes"]
        times = [figures["microseconds"], figures["encode microseconds"]]
        means = [
            f"{figures[column]:.2f}" if column != "most" else figures[column] for column in columns
        ]
        rows.append([name, *means, *(f"{one:.1f}" for one in times), f"{times[0] / times[1]:.2f}"])
    results.save(
        "prompts",
        "Bytes held back from prompts",
        {"prompts": len(prompts), "searched": options.searched, "found": found},
        [
            f"{len(prompts):,} documents of the evaluation corpus, cut at random after 50 to 4,000 "
            f"characters, with models of {VOCAB_SIZE:,} tokens: the mean number of bytes that "
            "`encode_prompt` holds back, the maximum, and the time beside that of "
            f"`encode_ordinary`. For the last {SEARCHED} characters of {options.searched} of them, "
            "a search tries short continuations and all that complete a token which may begin in "
            "the prompt. What changes then, every rule has to hold back: the least.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
