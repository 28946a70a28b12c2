"""The text that the benchmarks run on: `--corpus` to train on, and `--eval` to evaluate on.

Both take files, folders and globs that superword reads. `public_corpus.py` makes such text from
public packages. Without these options, the text is that of our own results: the files of `corpus`
in the folder that `SUPERWORD_SHARED` names. Results of other text go to the work folder, so that
they never replace those in `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from superword.corpus import RawPath, open_corpus

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("SUPERWORD_SHARED", ROOT.parent / "shared"))
# The files of our own results.
OUR_FILES = {"corpus": ("train-0.jsonl.zst", "train-1.jsonl.zst"), "eval": ("eval.jsonl.zst",)}
WORK = Path(os.environ.get("SUPERWORD_BENCH", ROOT / "target/bench"))

given_paths: dict[str, list[str]] = {}


def parse_options(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the command line, and take the text that it names."""
    help = "text to {}: files, folders or globs (default: the corpus of our results)"
    parser.add_argument("--corpus", nargs="+", metavar="PATH", help=help.format("train on"))
    parser.add_argument("--eval", nargs="+", metavar="PATH", help=help.format("evaluate on"))
    options = parser.parse_args()
    for name in OUR_FILES:
        if paths := getattr(options, name):
            given_paths[name] = paths
    return options


def find_paths(name: str) -> list[str]:
    """Return the files of the text to train on, `corpus`, or to evaluate on, `eval`."""
    if name in given_paths:
        return given_paths[name]
    files = [SHARED / "corpus" / file for file in OUR_FILES[name]]
    if given_paths or not all(file.exists() for file in files):
        raise SystemExit(
            f"pass --{name}, with files, folders or globs of text; "
            "benchmarks/public_corpus.py makes such text"
        )
    return list(map(str, files))


def read_documents(name: str) -> Iterator[str]:
    """Yield the documents of the text to train on, `corpus`, or to evaluate on, `eval`."""
    for texts in open_corpus([RawPath(path) for path in find_paths(name)]).batches():
        yield from texts


def find_work_folder() -> Path:
    """Return the folder for prepared files; other text than ours has a folder of its own."""
    if not given_paths:
        return WORK
    named = {name: list(map(os.path.abspath, paths)) for name, paths in given_paths.items()}
    return WORK / hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:12]


def find_results_folder() -> Path:
    """Return the folder for results; other text than ours has a folder of its own."""
    return find_work_folder() / "results" if given_paths else ROOT / "benchmarks/results"
