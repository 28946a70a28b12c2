"""Export models, and count the documents that the other libraries encode differently.

    python benchmarks/exports.py

It needs llama-cpp-python, tokenizers and tiktoken. The models are those that llama.cpp has a split
for. It also finds the longest run of one kind of text that llama.cpp survives: its splits that
`std::regex` runs recurse once for each character of a run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

import results
import superword
from benchmark_text import find_work_folder, parse_options
from harness import prepare_corpus, read_evaluation_texts
from superword.exporting import Format, compare_export, export

Figures = dict[str, Any]

BPE = {"supermerges": False, "deletion": None}
MODELS: dict[str, tuple[int, dict[str, Any]]] = {
    "`--profile portable`": (32_768, {"profile": "portable"}),
    "`--profile portable`, large": (131_072, {"profile": "portable"}),
    "BPE, `gpt2`": (32_768, {"pattern": "gpt2", **BPE}),
    "BPE, `llama3`": (32_768, {"pattern": "llama3", **BPE}),
    "BPE, `qwen2`": (32_768, {"pattern": "qwen2", **BPE}),
}
LIBRARIES = {"tokenizer.json": "tokenizers", "tiktoken": "tiktoken", "gguf": "llama_cpp_python"}
# Texts that are one long run, of each kind.
RUNS = {
    "digits": "1",
    "other numbers": "½",
    "letters": "a",
    "words": "the ",
    "spaces": " ",
    "line ends": "\n",
    "punctuation": "-",
    "kanji": "猫",
}
LENGTHS = [1000, 3000, 10_000, 20_000, 30_000, 40_000, 50_000, 100_000, 300_000, 1_000_000]
TOKENIZE = """
import sys
from llama_cpp import Llama
_, path, run, length = sys.argv
text = (run * int(length))[:int(length)].encode()
print(len(Llama(path, vocab_only=True, verbose=False).tokenize(text, add_bos=False)))
"""


def measure_model(name: str, text: Path, documents: list[str]) -> Figures:
    """Train a model, export it in each format, and compare."""
    size, options = MODELS[name]
    tok = superword.train(text, size, special_tokens=["<|endoftext|>"], **options)
    found: Figures = {"vocab_size": size}
    for format in get_args(Format):
        path = find_work_folder() / f"exported.{format}"
        start = time.perf_counter()
        is_exact = export(tok, path, format)
        compared = compare_export(tok, path, format, documents)
        seconds = time.perf_counter() - start
        found[format] = {"exact": is_exact, "seconds": seconds, **compared._asdict()}
        print(name, format, found[format], file=sys.stderr)
    size_of_text = sum(len(document.encode()) for document in documents)
    found["bytes_per_token"] = size_of_text / found["gguf"]["tokens"]
    found["survived"] = {kind: find_longest(path, run) for kind, run in RUNS.items()}
    return found


def find_longest(path: Path, run: str) -> int:
    """Return the longest run, of some lengths, that llama.cpp encodes without a crash."""
    longest = 0
    for length in LENGTHS:
        command = [sys.executable, "-c", TOKENIZE, str(path), run, str(length)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            break
        longest = length
    return longest


def main() -> None:
    """Measure and write `results/exports`."""
    parser = argparse.ArgumentParser(description="Compare exported files with their models.")
    parser.add_argument("--size", type=int, default=100, metavar="MB", help="training text")
    options = parse_options(parser)
    text, documents = prepare_corpus(options.size), read_evaluation_texts()
    found = {name: measure_model(name, text, documents) for name in MODELS}
    rows: list[list[object]] = [["model", "tokens", "bytes per token", *LIBRARIES]]
    runs: list[list[object]] = [["model", *RUNS]]
    for name, figures in found.items():
        differing = [figures[format]["differing_documents"] for format in LIBRARIES]
        ratio = f"{figures['bytes_per_token']:.3f}"
        rows.append([name, f"{figures['vocab_size']:,}", ratio, *differing])
        runs.append([name, *(f"{length:,}" for length in figures["survived"].values())])
    versions = {library: version(library) for library in LIBRARIES.values()}
    named = ", ".join(f"{library} {number}" for library, number in versions.items())
    results.save(
        "exports",
        "Documents that other libraries encode differently",
        {"documents": len(documents), "found": found},
        [
            f"Of {len(documents):,} documents of the evaluation corpus, those with other ids than "
            f"superword's, by format ({named}). The models were trained on {options.size} MB.",
            results.format_table(rows),
            "The longest run of characters that llama.cpp encodes without a crash, of the lengths "
            f"{', '.join(f'{length:,}' for length in LENGTHS)}; with a stack of 8 MB.",
            results.format_table(runs),
        ],
        peers=versions,
    )


if __name__ == "__main__":
    main()
