"""Write the novels that superword brings: every tenth part to measure on, the others to train on.

python -m language_model.toy_corpus FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import superword

__all__ = ["write_corpus"]


def write_corpus(folder: Path) -> None:
    """Write `train.jsonl` and `evaluation.jsonl`."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = list(superword.sample())
    held_out = parts[::10]
    rest = [part for number, part in enumerate(parts) if number % 10]
    for name, documents in [("evaluation", held_out), ("train", rest)]:
        lines = [json.dumps({"text": text, "source": "novels"}) + "\n" for text in documents]
        (folder / f"{name}.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    write_corpus(Path(sys.argv[1]))
