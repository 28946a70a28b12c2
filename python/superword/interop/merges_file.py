"""The older pair of files of a byte-level BPE: `vocab.json` and `merges.txt`.

OpenAI called GPT-2's `encoder.json` and `vocab.bpe`. The first has the ids, the second the merges
by rank. Neither has the pattern.
"""

from __future__ import annotations

from pathlib import Path

from superword.errors import ModelFormatError
from superword.json_files import read_json_object

__all__ = ["find_pair", "read_merges", "read_vocabulary"]

PAIRS = [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")]


def find_pair(path: Path) -> tuple[Path, Path] | None:
    """Return the two files, if a path is one of them or their folder, and both are there.

    Example:
        >>> find_pair(Path("model.json")) is None
        True
    """
    for names in PAIRS:
        folder = path if path.is_dir() else path.parent
        files = (folder / names[0], folder / names[1])
        if (path.is_dir() or path.name in names) and all(file.exists() for file in files):
            return files
    return None


def read_vocabulary(path: Path) -> dict[str, int]:
    """Return the ids of spelled tokens.

    Raises:
        ModelFormatError: If it is not a JSON object of strings and ids.
    """
    vocabulary = read_json_object(path)
    if not all(isinstance(v, int) for v in vocabulary.values()):
        raise ModelFormatError(f"{path}: not an object of tokens and ids")
    return vocabulary


def read_merges(path: Path) -> list[str]:
    """Return the lines with merges: two spelled tokens, with a blank between them.

    Raises:
        ModelFormatError: If a line is not a merge.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    merges = []
    for number, line in enumerate(lines, 1):
        merge = line.rstrip("\r")
        if not merge or (number == 1 and merge.startswith("#version")):
            continue
        if merge.count(" ") != 1:
            raise ModelFormatError(f"{path}, line {number}: not two tokens with a blank between")
        merges.append(merge)
    return merges
