"""Compare the patterns gpt4o and gpt4o-scripts by language, with superwords and without.

    python benchmarks/scripts_without_spaces.py

Models are trained on the first megabytes of the training corpus. They are measured on lines of the
evaluation corpus, and of the training corpus after its first 500 MB, which they have not seen. A
line belongs to the script of most of its letters.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import regex

import results
import superword
from benchmark_text import parse_options, read_documents
from harness import prepare_corpus, read_evaluation_texts
from superword.patterns import ELIGIBLE

VOCAB_SIZE = 65_536
UNSEEN_FROM = 500_000_000
LATIN_BYTES, OTHER_BYTES = 10_000_000, 4_000_000
SCRIPTS = "Han Hiragana Katakana Thai Myanmar Lao Hangul Greek Cyrillic Arabic".split()
LANGUAGES = "Latin Chinese Japanese Thai Myanmar Lao Hangul Greek Cyrillic Arabic".split()
OTHER_LETTER = regex.compile(r"[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]")
IN_SCRIPT = {name: regex.compile(rf"\p{{Script={name}}}") for name in SCRIPTS}

PLAIN: dict[str, Any] = {"supermerges": False, "deletion": None}
BY_SCRIPT: dict[str, Any] = {"pattern": "gpt4o-scripts"}
MODELS: dict[str, dict[str, Any]] = {
    "BPE, gpt4o": {"pattern": "gpt4o", **PLAIN},
    "BPE, gpt4o-scripts": {**BY_SCRIPT, **PLAIN},
    "BoundlessBPE, gpt4o, no cap": {"max_superwords": None},
    "BoundlessBPE, gpt4o-scripts, no cap": {**BY_SCRIPT, "max_superwords": None},
    "BoundlessBPE, gpt4o": {},
    "BoundlessBPE, gpt4o-scripts": BY_SCRIPT,
    "the same, eligible as in the paper": {**BY_SCRIPT, "eligible": ELIGIBLE},
    "the same, eligible as in the authors' code": {
        **BY_SCRIPT,
        "eligible": r"(?s:.*)\p{L}(?s:.*)",
    },
    "the same, no superwords in other scripts": {**BY_SCRIPT, "max_superwords": 0},
}


def find_language(line: str) -> str | None:
    """Return the language or script of most letters of a line; None if it has many of another."""
    others = len(OTHER_LETTER.findall(line))
    if others * 3 < len(line):
        return None
    counts = {name: len(letter.findall(line)) for name, letter in IN_SCRIPT.items()}
    han, kana = counts.pop("Han"), counts.pop("Hiragana") + counts.pop("Katakana")
    counts["Japanese" if kana * 10 > han else "Chinese"] = han + kana
    language = max(counts, key=lambda name: counts[name])
    return language if counts[language] * 2 >= others else None


def read_unseen_texts() -> Iterator[str]:
    """Yield the documents at the end of the training corpus."""
    size = 0
    for text in read_documents("corpus"):
        size += len(text.encode())
        if size > UNSEEN_FROM:
            yield text


def select_lines() -> dict[str, list[str]]:
    """Return the lines of each language to measure on, up to a number of bytes."""
    lines: dict[str, list[str]] = defaultdict(list)
    sizes: Counter[str] = Counter()
    for text in chain(read_evaluation_texts(), read_unseen_texts()):
        if text.isascii():
            if sizes["Latin"] < LATIN_BYTES:
                lines["Latin"].append(text)
                sizes["Latin"] += len(text)
            continue
        for line in text.splitlines(keepends=True):
            language = None if len(line) < 20 or line.isascii() else find_language(line)
            if language is not None and sizes[language] < OTHER_BYTES:
                lines[language].append(line)
                sizes[language] += len(line.encode())
    return lines


def main() -> None:
    """Measure and write `results/scripts_without_spaces`."""
    parser = argparse.ArgumentParser(description="Compare patterns by language.")
    parser.add_argument("--size", type=int, default=200, metavar="MB")
    options = parse_options(parser)
    if options.size * 1_000_000 > UNSEEN_FROM:
        parser.error(f"--size must be at most {UNSEEN_FROM // 1_000_000}")
    corpus, lines = prepare_corpus(options.size), select_lines()
    sizes = {name: sum(len(line.encode()) for line in lines[name]) for name in LANGUAGES}
    figures: dict[str, dict[str, float]] = {}
    rows: list[list[object]] = [["bytes per token", *LANGUAGES, "superwords"]]
    for name, chosen in MODELS.items():
        tok = superword.train(corpus, VOCAB_SIZE, **chosen)
        tokens = {each: sum(map(len, tok.encode_batch(lines[each]))) for each in LANGUAGES}
        figures[name] = {each: sizes[each] / tokens[each] for each in LANGUAGES}
        superwords = sum(rule.kind == "supermerge" for rule in tok.rules)
        first = figures["BPE, gpt4o"]
        shown = [
            f"{rate:.3f} ({rate / first[each] - 1:+.1%})" if name != "BPE, gpt4o" else f"{rate:.3f}"
            for each, rate in figures[name].items()
        ]
        rows.append([name, *shown, f"{superwords:,}"])
        print(rows[-1], flush=True)
    megabytes = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes.items())
    results.save(
        "scripts_without_spaces",
        f"Patterns by language, {options.size} MB of text, vocabulary {VOCAB_SIZE:,}",
        {"bytes": sizes, "bytes_per_token": figures},
        [
            f"In brackets: against BPE with gpt4o. Megabytes measured: {megabytes}.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
