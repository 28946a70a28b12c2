"""Measure what pruning a published vocabulary costs on text that it was not chosen by.

    python benchmarks/prune.py o200k_base.tiktoken

The vocabularies of OpenAI come with the PyPI package litellm, in `litellm_core_utils/tokenizers`,
under the SHA-1 of their address: `fb374d419588a4632f3f557e76b4b70aebbca790` is `o200k_base`, and
`9b5ad71b2ce5302211f9c61530b329a4922fc6a4` is `cl100k_base`. Tokens are chosen by the training
corpus and measured on the evaluation corpus.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from pathlib import Path
from typing import Any

import results
from benchmark_text import find_paths, parse_options
from harness import prepare_corpus
from superword import prune
from superword.corpus import RawPath
from superword.evaluation import Measurement, evaluate, group_sources, open_tokenizer
from superword.interop import import_tokenizer

CHOICES: list[dict[str, Any]] = [
    {"to": 131_072},
    {"to": 65_536},
    {"to": 131_072, "drop_rules": True},
    {"to": 65_536, "drop_rules": True},
    {"min_count": 10},
    {"residues": 0.999},
    {"residues": 0.99},
]
# Groups of the sources of our own corpus.
GROUPS = {
    "encyclopedia, English": ["chinapedia/*"],
    "novels, English": ["standardebooks/*", "*ELTeC-eng"],
    "code": ["debian:*", "golang/*", "rust-lang/rust", "postgres/*", "opencv/*", "apache/*"],
    "French": ["*ELTeC-fra"],
    "Ukrainian": ["*ELTeC-ukr"],
    "Greek": ["*First1KGreek"],
    "Arabic": ["OpenITI/*", "*.ar-sa"],
    "Thai": ["*.th-th"],
    "Korean": ["e9t/*"],
    "Japanese": ["aozorahack/*"],
}


def measure(tok: Any, name: str) -> Measurement:
    """Measure a tokenizer on the evaluation corpus."""
    corpus = [RawPath(path) for path in find_paths("eval")]
    return evaluate(open_tokenizer(tok, name=name), corpus, instability=False)


def group_rates(measured: Measurement) -> dict[str, float]:
    """Return bytes per token by group of sources, and over all."""
    groups = group_sources(measured.sources, GROUPS)
    rates = {name: groups[name].bytes / groups[name].tokens for name in GROUPS if name in groups}
    return {"all": measured.bytes_per_token, **rates}


def main() -> None:
    """Measure and write `results/prune`."""
    parser = argparse.ArgumentParser(description="Measure what pruning a vocabulary costs.")
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("--size", type=int, default=100, metavar="MB", help="Text to choose by.")
    options = parse_options(parser)
    text = prepare_corpus(options.size)
    tok = import_tokenizer(options.vocabulary)
    before = group_rates(measure(tok, "before"))
    figures: dict[str, Any] = {"none": {"ids": len(tok), "bytes_per_token": before}}
    columns: list[list[object]] = [
        ["nothing", f"{len(tok):,}", "-", *(f"{rate:.3f}" for rate in before.values())]
    ]
    for choice in CHOICES:
        name = ", ".join(f"{option}={value}" for option, value in choice.items())
        start = time.perf_counter()
        pruned = prune(tok, text, **choice)
        seconds = time.perf_counter() - start
        after = group_rates(measure(pruned.tokenizer, name))
        figures[name] = {
            "ids": len(pruned.kept),
            "removed": len(pruned.removed),
            "seconds": seconds,
            "bytes_per_token_where_chosen": [
                pruned.before.bytes_per_token,
                pruned.after.bytes_per_token,
            ],
            "bytes_per_token": after,
        }
        changes = (f"{after[group] / rate - 1:+.2%}" for group, rate in before.items())
        columns.append([f"`{name}`", f"{len(pruned.kept):,}", f"{len(pruned.removed):,}", *changes])
    rows = list(zip(["removed by", "ids", "removed", *before], *columns, strict=True))
    digest = hashlib.sha256(options.vocabulary.read_bytes()).hexdigest()
    results.save(
        "prune",
        f"Pruning {options.vocabulary.stem}, tokens chosen by {options.size} MB",
        {"sha256": digest, "choices": figures},
        [
            "Bytes per token on the evaluation corpus, which the tokens were not chosen by: "
            "before, and the change. `id_map.json` spells every removed token by kept ones.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
