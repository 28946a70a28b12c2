"""Checks of the token files that documents are appended to."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superword.tokens.arrays import chunks, map_array
from superword.tokens.descriptions import Checksum, Description

__all__ = ["INDEX_HEADER", "INDEX_MAGIC", "MEGATRON_CODES", "map_lengths", "map_offsets"]

# The header of Megatron's index, and its codes for types.
INDEX_HEADER = struct.Struct("<9sQBQQ")
INDEX_MAGIC = b"MMIDIDX\0\0"
MEGATRON_CODES = {"int32": 4, "uint16": 8}


def map_offsets(path: Path, before: Description) -> NDArray[np.uint64]:
    """Return the offsets of a token file, mapped into memory.

    Raises:
        ValueError: If there are none, or they are not those of the file.
    """
    if not path.exists():
        raise ValueError(f"{path}: missing, and the token file needs it; encode anew")
    offsets = map_array(path, "uint64", before.documents + 1)
    checksum = Checksum()
    last = 0
    is_valid = offsets[0] == 0
    for some in chunks(offsets):
        is_valid &= bool(some[0] >= last and (some[1:] >= some[:-1]).all())
        last = int(some[-1])
        checksum.add(some)
    if not is_valid or last != before.count:
        raise ValueError(
            f"{path}: the offsets must rise from 0 to {before.count:,}, the number of ids; they "
            "are of another file, or damaged: encode anew"
        )
    before.check("offsets", path, checksum)
    return offsets


def map_lengths(path: Path, before: Description) -> NDArray[np.int32]:
    """Return the lengths of the sequences in Megatron's index, mapped into memory.

    Raises:
        ValueError: If the index is not that of the tokens.
    """
    count = before.documents
    code = MEGATRON_CODES[before.token_format.dtype]
    header = INDEX_HEADER.pack(INDEX_MAGIC, 1, code, count, count + 1)
    size = INDEX_HEADER.size + 4 * count + 8 * count + 8 * (count + 1)
    with path.open("rb") as file:
        is_valid = file.read(len(header)) == header and path.stat().st_size == size
    if is_valid:
        checksum = Checksum()
        for some in chunks(map_part(path, "u1", 0, size)):
            checksum.add(some)
        at = INDEX_HEADER.size
        lengths = map_part(path, "<i4", at, count)
        starts = map_part(path, "<i8", at + 4 * count, count)
        bounds = map_part(path, "<i8", at + 12 * count, count + 1)
        is_valid = fits(lengths, starts, before) and is_range(bounds)
    if not is_valid:
        raise ValueError(
            f"{path}: must be the index of {count:,} documents with {before.count:,} ids of type "
            f"{before.token_format.dtype}; it is of another file, or damaged: encode anew"
        )
    before.check("index", path, checksum)
    return lengths


def map_part(path: Path, dtype: str, start: int, count: int) -> NDArray[Any]:
    """Return a part of a file as an array, mapped into memory."""
    return np.memmap(path, dtype, "r", start, (count,)) if count else np.zeros(0, dtype)


def fits(lengths: NDArray[np.int32], starts: NDArray[np.int64], before: Description) -> bool:
    """Return whether sequences follow each other and have all ids."""
    size = np.dtype(before.token_format.dtype).itemsize
    end = 0
    for some, some_starts in zip(chunks(lengths), chunks(starts), strict=True):
        ends = end + size * np.cumsum(some, dtype=np.int64)
        if some.min() < 0 or some_starts[0] != end or (some_starts[1:] != ends[:-1]).any():
            return False
        end = int(ends[-1])
    return end == size * before.count


def is_range(numbers: NDArray[np.int64]) -> bool:
    """Return whether numbers count up from 0."""
    start = 0
    for some in chunks(numbers):
        if (some != np.arange(start, start + len(some))).any():
            return False
        start += len(some)
    return True
