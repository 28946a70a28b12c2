"""Measure what a cap on superwords gives and costs, by script.

    python benchmarks/superword_cap.py

Models of the same size are trained on the same text with caps on superwords, and compared with
plain BPE on the evaluation corpus: bytes per token in each script.
"""

from __future__ import annotations

import argparse
from typing import Any

import results
import superword
from harness import prepare_corpus, read_evaluation_texts
from superword.evaluation import evaluate

Figures = dict[str, Any]

CAPS: list[float | int | None] = [1 / 64, 1 / 32, 1 / 16, 3 / 32, 1 / 8, None]


def measure(tok: superword.Tokenizer, texts: list[str]) -> Figures:
    """Measure bytes per token over all, and in each script."""
    found = evaluate(tok, texts, instability=False)
    scripts = {name: totals.bytes_per_token for name, totals in found.scripts.items()}
    superwords = sum(tok.is_superword(id) for id, _ in tok._model.vocabulary())
    return {"all": found.bytes_per_token, "scripts": scripts, "superwords": superwords}


def main() -> None:
    """Measure and write `results/superword_cap`."""
    parser = argparse.ArgumentParser(description="Measure caps on superwords.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="training text")
    parser.add_argument("--vocab-size", type=int, default=131_072)
    options = parser.parse_args()
    corpus = prepare_corpus(options.size)
    texts = read_evaluation_texts()
    bpe = superword.train(corpus, options.vocab_size, supermerges=False, deletion=None)
    plain = measure(bpe, texts)
    found = {"plain BPE": plain}
    for cap in CAPS:
        name = "no cap" if cap is None else f"{cap:.4g}"
        found[name] = measure(
            superword.train(corpus, options.vocab_size, max_superwords=cap), texts
        )
    scripts = [name for name, rate in plain["scripts"].items() if rate]
    rows: list[list[object]] = [["cap", "superwords", "all", *scripts]]
    rows.append(
        [
            "plain BPE",
            0,
            f"{plain['all']:.3f}",
            *(f"{plain['scripts'][one]:.3f}" for one in scripts),
        ]
    )
    for name, figures in list(found.items())[1:]:
        changes = [figures["scripts"][one] / plain["scripts"][one] - 1 for one in scripts]
        change = figures["all"] / plain["all"] - 1
        cells = [f"{one:+.1%}" for one in (change, *changes)]
        rows.append([name, f"{figures['superwords']:,}", *cells])
    results.save(
        "superword_cap",
        "Caps on superwords, by script",
        {"megabytes": options.size, "vocab_size": options.vocab_size, "found": found},
        [
            f"Models of {options.vocab_size:,} tokens with the default pattern, trained on "
            f"{options.size:,} MB. Bytes per token of plain BPE on the evaluation corpus, and the "
            "change with superwords, capped at a share of the vocabulary (`max_superwords`), over "
            "all text and by script.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
