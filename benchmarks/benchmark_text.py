"""The text that the benchmarks run on: the corpus of our results, or any other.

`SUPERWORD_BENCH_TRAIN` and `SUPERWORD_BENCH_EVAL` name files, folders or globs of text, several
separated by `:` (`;` on Windows). By default they are the files of `corpus` in the folder that
`SUPERWORD_SHARED` names. Results of other text go to the work folder, so that they never replace
those in `benchmarks/results`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from superword.corpus import RawPath, open_corpus

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("SUPERWORD_SHARED", ROOT.parent / "shared"))
# The variable that names each corpus, and the files of our own results.
VARIABLES = {"train": "SUPERWORD_BENCH_TRAIN", "eval": "SUPERWORD_BENCH_EVAL"}
OUR_FILES = {"train": ("train-0.jsonl.zst", "train-1.jsonl.zst"), "eval": ("eval.jsonl.zst",)}


def find_paths(name: str) -> list[str]:
    """Return the files of the training or evaluation corpus."""
    if given := os.environ.get(VARIABLES[name]):
        return given.split(os.pathsep)
    files = [SHARED / "corpus" / file for file in OUR_FILES[name]]
    if missing := [file for file in files if not file.exists()]:
        raise SystemExit(f"{missing[0]}: no such file; set {VARIABLES[name]} to text of your own")
    return list(map(str, files))


def read_documents(name: str) -> Iterator[str]:
    """Yield the documents of the training or evaluation corpus."""
    for texts in open_corpus([RawPath(path) for path in find_paths(name)]).batches():
        yield from texts


def describe_other_text() -> str | None:
    """Return the variables that name other text than ours; None for ours."""
    given = [f"{each}={os.environ[each]}" for each in VARIABLES.values() if os.environ.get(each)]
    return " ".join(given) or None


def find_work_folder() -> Path:
    """Return the folder for prepared files; other text has a folder of its own."""
    folder = Path(os.environ.get("SUPERWORD_BENCH", ROOT / "target/bench"))
    other = describe_other_text()
    return folder / hashlib.sha256(other.encode()).hexdigest()[:12] if other else folder


def find_results_folder() -> Path:
    """Return the folder for results; other text has a folder of its own."""
    return find_work_folder() / "results" if describe_other_text() else ROOT / "benchmarks/results"
