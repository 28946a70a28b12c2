"""Compare what this superword learns and encodes with what is checked in: the same on any machine.

python scripts/golden_ids.py            compares; scripts/check_wheel.py runs it in new environments
python scripts/golden_ids.py --write    writes the file anew, after a change that is meant
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import superword

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "wheel"
PLAIN: dict[str, Any] = {"supermerges": False, "deletion": None}
TRAINED: dict[str, dict[str, Any]] = {
    "bpe": PLAIN,
    "pickybpe": {"supermerges": False, "deletion": "pair", "tau": 0.8},
    "boundlessbpe": {"special_tokens": ["<|endoftext|>"]},
    "superbpe": {**PLAIN, "transition": 500},
    "gpt2": {"pattern": "gpt2"},
    "gpt4": {"pattern": "gpt4"},
    "punct": {"pattern": "punct"},
    "boundless": {"pattern": "boundless"},
    "gpt4o-scripts": {"pattern": "gpt4o-scripts"},
    "regex": {"pattern": r"\p{L}+|\p{N}{1,3}|\s+(?=\S)|[^\p{L}\p{N}]"},
}


def make_tokenizers() -> dict[str, superword.Tokenizer]:
    """Train a tokenizer of each kind on the first documents of the sample, with few tokens."""
    documents = [*islice(superword.sample(), 8), read_text()]
    made = {kind: superword.train(documents, 700, **given) for kind, given in TRAINED.items()}
    made["extended"] = superword.extend(made["bpe"], documents, 50)
    made["pruned"] = superword.prune(made["boundlessbpe"], documents, to=600).tokenizer
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tiktoken, to compare with, is not installed.
        superword.export(made["bpe"], Path(folder) / "ranks.tiktoken", format="tiktoken")
        made["imported"] = superword.open_base(Path(folder) / "ranks.tiktoken", pattern="gpt4o")
    return made


def read_text() -> str:
    """Return the text to encode, with the same line ends on any machine."""
    return (FOLDER / "text.txt").read_text("utf-8")


def describe(tok: superword.Tokenizer) -> dict[str, Any]:
    """Return what must be the same: all that was learned, and the ids of the text."""
    ids = tok.encode(read_text(), allowed_special="all")
    assert tok.decode(ids) == read_text()
    return {"fingerprint": tok.fingerprint, "ids": " ".join(map(str, ids))}


def run_command(tok: superword.Tokenizer) -> str:
    """Return the ids of the text as the command line prints them."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        tok.save(model)
        command = [sys.executable, "-I", "-m", "superword", "encode", str(model)]
        command += ["--file", str(FOLDER / "text.txt")]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Compare, or write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    made = make_tokenizers()
    found = {kind: describe(tok) for kind, tok in made.items()}
    path = FOLDER / "ids.json"
    if parser.parse_args().write:
        path.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    expected = json.loads(path.read_text("utf-8"))
    different = [kind for kind in {**expected, **found} if expected.get(kind) != found.get(kind)]
    if different:
        sys.exit(f"superword learns or encodes otherwise than {path}: {', '.join(different)}")
    if run_command(made["bpe"]) != found["bpe"]["ids"]:
        sys.exit("the command superword encodes otherwise than the package")
    place = Path(superword.__file__).parent
    print(f"superword {superword.__version__} in {place}: {len(found)} kinds agree")


if __name__ == "__main__":
    main()
