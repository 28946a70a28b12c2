"""The tokenizer file in a folder."""

from __future__ import annotations

from pathlib import Path

from superword.errors import ModelFormatError

__all__ = ["MODEL_FILE", "find_tokenizer_file"]

# The model in a folder that `save_pretrained` wrote.
MODEL_FILE = "superword.json"


def find_tokenizer_file(path: Path) -> Path:
    """Return the tokenizer in a folder, a superword model first; a file as it is.

    Raises:
        ModelFormatError: If the folder has none.
    """
    if not path.is_dir():
        return path
    names = (MODEL_FILE, "tokenizer.json", "tekken.json", "merges.txt", "vocab.bpe")
    files = [path / name for name in names]
    found = next((file for file in files if file.exists()), None)
    if found is None:
        raise ModelFormatError(f"{path}: the folder has neither {MODEL_FILE} nor tokenizer.json")
    return found
