"""Arrays in files, with or without the header of `.npy`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from superword.tokens.descriptions import Checksum

__all__ = ["CHUNK", "ArrayFile", "chunks", "map_array", "npy_header"]

# Size of the header of a .npy file.
HEADER = 128

# Numbers that are copied at a time.
CHUNK = 1 << 20


class ArrayFile:
    """A file that an array is appended to, with or without the header of `.npy`."""

    def __init__(self, file: IO[bytes], dtype: str, *, has_header: bool) -> None:
        self._file = file
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._has_header = has_header
        self.count = 0
        self.checksum = Checksum()
        if has_header:
            file.write(bytes(HEADER))

    def append(self, numbers: NDArray[Any]) -> None:
        """Add numbers at the end."""
        converted = np.ascontiguousarray(numbers, self._dtype)
        self._file.write(converted.data)
        self.checksum.add(converted)
        self.count += len(numbers)

    def finish(self) -> None:
        """Write the header, which has the number of numbers."""
        if self._has_header:
            self._file.seek(0)
            self._file.write(npy_header(self._dtype, self.count))


def npy_header(dtype: np.dtype[Any], count: int) -> bytes:
    r"""Return the header of a `.npy` file with a one-dimensional array, padded to `HEADER` bytes.

    Example:
        >>> npy_header(np.dtype("<u2"), 5)[10:70]
        b"{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }   "
    """
    fields = {"descr": dtype.str, "fortran_order": False, "shape": (count,)}
    text = "{" + "".join(f"{key!r}: {value!r}, " for key, value in fields.items()) + "}"
    start = b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little")
    return start + text.encode().ljust(HEADER - 11) + b"\n"


def chunks(numbers: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield an array in chunks."""
    for start in range(0, len(numbers), CHUNK):
        yield numbers[start : start + CHUNK]


def map_array(path: Path, dtype: str, count: int) -> NDArray[Any]:
    """Return the array in a file, mapped into memory.

    Raises:
        ValueError: If the file does not hold exactly this many numbers of this type.
    """
    kind = np.dtype(dtype).newbyteorder("<")
    has_header = path.suffix == ".npy"
    size = path.stat().st_size
    start = HEADER if has_header else 0
    expected = start + count * kind.itemsize
    if has_header:
        with path.open("rb") as file:
            if file.read(HEADER) != npy_header(kind, count):
                raise ValueError(
                    f"{path}: must be an array of {count:,} numbers of type {dtype}, and its "
                    "header says otherwise; encode anew"
                )
    if size != expected:
        raise ValueError(
            f"{path}: has {size:,} bytes, and {count:,} numbers of type {dtype} take {expected:,}; "
            "encode anew"
        )
    return np.memmap(path, kind, "r", start, (count,)) if count else np.zeros(0, kind)
