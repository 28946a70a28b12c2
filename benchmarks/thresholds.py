"""Measure how leaving out rare pretokens and rare fragments changes the rules.

python benchmarks/thresholds.py --size 1000
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import results
from benchmark_text import find_work_folder, parse_options
from harness import prepare_corpus
from superword import Tokenizer, train_on_counts

VOCAB_SIZE = 131_072
THRESHOLDS: list[dict[str, int]] = [
    {},
    *({"min_pretoken_count": least} for least in (2, 5, 10)),
    *({"min_fragment_count": least} for least in (2, 5, 10)),
    {"min_pretoken_count": 2, "min_fragment_count": 2},
]


def list_rules(tok: Tokenizer) -> list[tuple[object, ...]]:
    """List the rules without their counts."""
    return [(rule.kind, rule.left, rule.right, rule.parts) for rule in tok.rules]


def compare_models(exact: Tokenizer, other: Tokenizer) -> dict[str, Any]:
    """Measure how far two models agree."""
    theirs, ours = list_rules(exact), list_rules(other)
    pairs = zip(theirs, ours, strict=False)
    common = Counter(theirs) & Counter(ours)
    tokens = [{token for _, token in tok._model.vocabulary()} for tok in (exact, other)]
    return {
        "rules_in_both": common.total() / len(theirs),
        "same_from_the_start": next((i for i, (a, b) in enumerate(pairs) if a != b), len(theirs)),
        "tokens_in_both": len(tokens[0] & tokens[1]) / len(tokens[0]),
    }


def main() -> None:
    """Measure and write `results/thresholds`."""
    parser = argparse.ArgumentParser(description="Measure how thresholds change the rules.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB")
    options = parse_options(parser)
    text: Path = prepare_corpus(options.size)
    counts = find_work_folder() / "threshold-counts"
    shutil.rmtree(counts, ignore_errors=True)
    exact: Tokenizer | None = None
    figures = {}
    rows: list[list[object]] = [["left out", "rules in both", "tokens in both", "first difference"]]
    for thresholds in THRESHOLDS:
        tok = train_on_counts(
            counts,
            VOCAB_SIZE,
            corpus=[text],
            pattern="boundless",
            **thresholds,  # type: ignore[arg-type]
        )
        exact = exact or tok
        name = ", ".join(f"{name} {least}" for name, least in thresholds.items()) or "nothing"
        found = {
            **compare_models(exact, tok),
            "distinct_pretokens": tok.training.distinct_pretokens,
        }
        figures[name] = found
        shares = (f"{found[key]:.4%}" for key in ("rules_in_both", "tokens_in_both"))
        rows.append([name, *shares, f"{found['same_from_the_start']:,}"])
    shutil.rmtree(counts)
    results.save(
        "thresholds",
        f"How thresholds change the rules, {options.size} MB, boundless, vocabulary 131,072",
        {"thresholds": figures},
        [
            "Compared with the model that leaves nothing out: the share of its rules and tokens "
            "that the other model has, in any order, and the index of the first rule that "
            "differs.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
