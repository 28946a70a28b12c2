"""Measure what a cap on superwords gives and costs, by script.

    python benchmarks/superword_cap.py

Models of the same size are trained on the same text with caps on superwords, and compared with
plain BPE on the evaluation corpus: bytes per token in each script. With one cap they are also
trained with the pattern for scripts without spaces, and with weights: documents in other scripts
than Latin count 5 times, the others 4 times.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import regex

import results
import superword
from benchmark_text import parse_options
from harness import prepare_corpus, read_evaluation_texts, write_once
from superword.evaluation import evaluate

Figures = dict[str, Any]

CAPS: dict[str, float | None] = {
    **{"1/64": 1 / 64, "1/32": 1 / 32, "1/16": 1 / 16, "3/32": 3 / 32, "1/8": 1 / 8},
    "none": None,
}
BY_SCRIPT: dict[str, Any] = {"pattern": "gpt4o-scripts"}
OTHER_LETTERS = regex.compile(r"[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]")


def write_weights(path: Path, corpus: Path) -> None:
    """Write documents with a weight: 5 if a fifth of the first characters are not Latin, else 4."""
    with corpus.open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as file:
        for line in lines:
            text = json.loads(line)["text"]
            start = text[:20_000]
            is_other = not start.isascii() and len(OTHER_LETTERS.findall(start)) * 5 >= len(start)
            row = {"text": text, "weight": 5 if is_other else 4}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


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
    options = parse_options(parser)
    corpus = prepare_corpus(options.size)
    texts = read_evaluation_texts()
    weighted = write_once(
        f"weighted-{options.size}.jsonl", lambda path: write_weights(path, corpus)
    )
    models: dict[str, tuple[Path, dict[str, Any]]] = {
        "plain BPE": (corpus, {"supermerges": False, "deletion": None}),
        **{name: (corpus, {"max_superwords": cap}) for name, cap in CAPS.items()},
        "1/16, gpt4o-scripts": (corpus, BY_SCRIPT),
        "1/16, weights": (weighted, {"weight_column": "weight"}),
        "1/16, gpt4o-scripts, weights": (weighted, {"weight_column": "weight", **BY_SCRIPT}),
    }
    found: dict[str, Figures] = {}
    for name, (text, chosen) in models.items():
        found[name] = measure(superword.train(text, options.vocab_size, **chosen), texts)
        print(name, found[name], flush=True)
    plain = found["plain BPE"]
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
            f"Models of {options.vocab_size:,} tokens, trained on {options.size:,} MB. Bytes per "
            "token of plain BPE on the evaluation corpus, and the change with superwords, capped "
            "at a share of the vocabulary (`max_superwords`), over all text and by script. With "
            "weights, documents in other scripts than Latin count 5 times, the others 4 times.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
