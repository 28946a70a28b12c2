"""The models in the package, by name: docs/models.md."""

from __future__ import annotations

import gzip
import os
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

__all__ = ["BUNDLED_MODELS", "BundledModel", "find_bundled"]

# A superword tokenizer, and a plain BPE of the same text and size to compare it with.
BUNDLED_MODELS = ("superword-131k", "bpe-131k")


class BundledModel(NamedTuple):
    """A model in the package.

    Attributes:
        name: Its name.
        vocab_size: The size it is truncated to; None for all of it.
    """

    name: str
    vocab_size: int | None

    def read(self) -> bytes:
        """Return the model file of its full size."""
        packed = Path(__file__).parent.parent / "data" / f"{self.name}.json.gz"
        return gzip.decompress(packed.read_bytes())


def find_bundled(path: str | PathLike[str]) -> BundledModel | None:
    """Return the model in the package that a path names; None if it names none, or a file.

    Raises:
        ValueError: If what follows an `@` is no size.

    Example:
        >>> find_bundled("bpe-131k@4096")
        BundledModel(name='bpe-131k', vocab_size=4096)
        >>> find_bundled("./bpe-131k") is None
        True
    """
    text = fspath(path)
    name, at, size = text.partition("@")
    if name not in BUNDLED_MODELS or os.path.exists(path):
        return None
    if at and not (size.isascii() and size.isdecimal()):
        raise ValueError(f"{text}: a vocabulary size follows the @, as in {name}@32768")
    return BundledModel(name, int(size) if at else None)
