"""Encode a folder of `.jsonl.zst` to one `.bin` file in this process, and print the seconds.

    python benchmarks/folder_encoders.py NAME TOKENIZER FOLDER OUTPUT

The time runs from the model file on disk to the written ids. Like encoders.py, this imports only
the encoder.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
import time
from pathlib import Path

from trainers import peak_gigabytes


def encode_with_superword(model: str, folder: str, output: str) -> None:
    """Encode with superword, as `superword encode` does."""
    import superword

    superword.encode_corpus(superword.load(model), folder, output)


def encode_with_gigatoken(model: str, folder: str, output: str) -> None:
    """Encode with gigatoken's encoder of files, and write its ids."""
    import awkward
    import gigatoken
    import numpy as np

    tok = gigatoken.Tokenizer(model)
    source = gigatoken.JsonlFileSource(sorted(map(str, Path(folder).iterdir())))
    ids = awkward.flatten(tok.encode_files(source), axis=None)
    np.asarray(ids).astype(np.uint32, copy=False).tofile(output)


ENCODERS = {"superword": encode_with_superword, "gigatoken": encode_with_gigatoken}


def main() -> None:
    """Encode with the encoder named on the command line."""
    name, model, folder, output = sys.argv[1:]
    importlib.import_module(name)
    importlib.import_module("awkward" if name == "gigatoken" else "numpy")
    start = time.perf_counter()
    ENCODERS[name](model, folder, output)
    seconds = time.perf_counter() - start
    digest = hashlib.sha256(Path(output).read_bytes()).hexdigest()
    print(json.dumps({"seconds": seconds, "sha256": digest, "gigabytes": peak_gigabytes()}))


if __name__ == "__main__":
    main()
