"""The files that belong to a token file, and names that clash."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from superword.tokens.descriptions import read_fields

__all__ = [
    "SUFFIXES",
    "description_path",
    "has_offsets",
    "list_outputs",
    "offsets_path",
    "reject_clashes",
]

SUFFIXES = (".npy", ".bin", ".parquet", ".idx")


def offsets_path(path: Path) -> Path:
    """Return the path of the offsets of a token file.

    Example:
        >>> offsets_path(Path("data/tokens.bin")).name
        'tokens.offsets.npy'
    """
    return path.with_suffix(".offsets.npy")


def description_path(path: Path) -> Path:
    """Return the path of the description of a token file."""
    return path.with_name(path.name + ".json")


def list_outputs(path: Path) -> list[Path]:
    """Return the files that are written for an output.

    Example:
        >>> [path.name for path in list_outputs(Path("tokens.idx"))]
        ['tokens.idx', 'tokens.bin', 'tokens.bin.json']
    """
    if path.suffix == ".idx":
        tokens = path.with_suffix(".bin")
        return [path, tokens, description_path(tokens)]
    if path.suffix == ".parquet":
        return [path]
    return [path, description_path(path), offsets_path(path)]


def reject_clashes(path: Path, end_of_text: int | None) -> None:
    """Reject an output if a file that belongs to another output would be replaced.

    `tokens.npy` and `tokens.bin` have the same name for their offsets, and Megatron names the
    tokens of `tokens.idx` `tokens.bin`.

    Raises:
        ValueError: If the suffix is unknown, or another output has one of the files.
    """
    if path.suffix not in SUFFIXES:
        raise ValueError(f"the output must end in one of {', '.join(SUFFIXES)}, not {path.name!r}")
    if path.name.endswith(".offsets.npy"):
        raise ValueError(f"{path}: a name of this form is for offsets; choose another output")
    tokens, index = path.with_suffix(".bin"), path.with_suffix(".idx")
    if path == tokens and index.exists():
        raise ValueError(f"{path}: holds the tokens of {index.name}; choose another output")
    if path == index and tokens.exists() and not is_indexed(tokens, index):
        raise ValueError(
            f"{path}: its tokens go to {tokens.name}, which exists and is another output; choose "
            "another name"
        )
    other = path.with_suffix(".npy" if path == tokens else ".bin")
    if path.suffix in (".npy", ".bin") and end_of_text is None and has_offsets(other):
        raise ValueError(
            f"{path}: its offsets go to {offsets_path(path).name}, which belongs to {other.name}; "
            "choose another name"
        )


def has_offsets(path: Path) -> bool:
    """Return whether there is a token file to which the offsets of its name belong."""
    if not path.exists() or not offsets_path(path).exists():
        return False
    if path.suffix == ".bin" and path.with_suffix(".idx").exists():
        return False
    # Without a description, that is not known.
    with suppress(OSError, ValueError):
        return read_fields(description_path(path)).get("end_of_text") is None
    return True


def is_indexed(tokens: Path, index: Path) -> bool:
    """Return whether a `.bin` file is that of an index, and not an output itself."""
    if not index.exists():
        return False
    # If writing was interrupted, there is no description.
    with suppress(OSError, ValueError):
        files = read_fields(description_path(tokens)).get("files")
        return not isinstance(files, dict) or not files or "index" in files
    return True
