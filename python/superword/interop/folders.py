"""The tokenizer file in a folder, and files that belong together."""

from __future__ import annotations

from pathlib import Path

from superword.errors import ModelFormatError

__all__ = ["MODEL_FILE", "find_pair", "find_tokenizer_file"]

# The model in a folder that `save_pretrained` wrote.
MODEL_FILE = "superword.json"

# The older files of a byte-level BPE, the ids and the merges. The latter are of GPT-2.
PAIRS = [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")]


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


def find_pair(path: Path) -> tuple[Path, Path] | None:
    """Return the ids and the merges, if a path is one of these two files, and both are there.

    Example:
        >>> find_pair(Path("model.json")) is None
        True
    """
    for names in PAIRS:
        files = (path.with_name(names[0]), path.with_name(names[1]))
        if path.name in names and all(file.exists() for file in files):
            return files
    return None
