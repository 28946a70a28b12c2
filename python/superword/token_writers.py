"""The formats that token files have: `.npy`, `.bin` and `.parquet`."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from superword.whole_files import WholeFiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SUFFIXES", "About", "Writer", "offsets_path", "writer"]

SUFFIXES = (".npy", ".bin", ".parquet")

# How many bytes are before the numbers of a .npy file, whatever their number is.
HEADER = 128


class About(NamedTuple):
    """What is known before the first token.

    Attributes:
        dtype: The type that holds all ids.
        fingerprint: The tokenizer's.
        end_of_text: The id after each document, if there is one.
    """

    dtype: str
    fingerprint: str
    end_of_text: int | None


class Writer(Protocol):
    """Writes tokens to files."""

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        """Add documents: their ids, where each starts in them, and where the last ends."""

    def finish(self) -> None:
        """Write what is known only in the end."""

    def give_up(self) -> None:
        """Let go of the files."""


def writer(path: Path, files: WholeFiles, about: About) -> Writer:
    """What writes a file with this name, and those beside it.

    Raises:
        ValueError: If the name has an unknown ending, or is that of a table and pyarrow is missing.
    """
    match path.suffix:
        case ".npy" | ".bin":
            return FlatWriter(path, files, about)
        case ".parquet":
            return ParquetWriter(path, files, about)
    raise ValueError(f"the output's name ends in {', '.join(SUFFIXES)}, and {path.name!r} in none")


def offsets_path(path: Path) -> Path:
    """Where the offsets of a token file are.

    Example:
        >>> offsets_path(Path("data/tokens.bin")).name
        'tokens.offsets.npy'
    """
    return path.with_suffix(".offsets.npy")


class Numbers:
    """An array of numbers on its way to a file, with or without the header of `.npy`."""

    def __init__(self, file: IO[bytes], dtype: str, *, has_header: bool) -> None:
        self._file = file
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._has_header = has_header
        self.count = 0
        if has_header:
            file.write(bytes(HEADER))

    def append(self, numbers: NDArray[Any]) -> None:
        self._file.write(numbers.astype(self._dtype, copy=False).data)
        self.count += len(numbers)

    def finish(self) -> None:
        if self._has_header:
            self._file.seek(0)
            self._file.write(npy_header(self._dtype, self.count))


def npy_header(dtype: np.dtype[Any], count: int) -> bytes:
    r"""What a `.npy` file of numbers in a row starts with, always as long.

    Example:
        >>> npy_header(np.dtype("<u2"), 5)[10:70]
        b"{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }   "
    """
    described = {"descr": dtype.str, "fortran_order": False, "shape": (count,)}
    text = "{" + "".join(f"{key!r}: {value!r}, " for key, value in described.items()) + "}"
    start = b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little")
    return start + text.encode().ljust(HEADER - 11) + b"\n"


class FlatWriter:
    """All ids in a row, in a `.npy` or a `.bin` file; and the offsets, or the end-of-text."""

    def __init__(self, path: Path, files: WholeFiles, about: About) -> None:
        self._about = about
        self._ids = Numbers(files.open(path), about.dtype, has_header=path.suffix == ".npy")
        self._description: IO[bytes] | None = None
        if path.suffix == ".bin":
            self._description = files.open(path.with_name(path.name + ".json"))
        self._documents = 0
        self._offsets: Numbers | None = None
        if about.end_of_text is None:
            self._offsets = Numbers(files.open(offsets_path(path)), "u8", has_header=True)
            self._offsets.append(np.zeros(1, np.uint64))
        else:
            # Offsets from before would not fit.
            files.remove(offsets_path(path))

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        if self._offsets is not None:
            self._offsets.append(offsets[1:] + np.uint64(self._ids.count))
        self._ids.append(ids)
        self._documents += len(offsets) - 1

    def finish(self) -> None:
        self._ids.finish()
        if self._offsets is not None:
            self._offsets.finish()
        if self._description is not None:
            description = {
                "dtype": self._about.dtype,
                "count": self._ids.count,
                "documents": self._documents,
                "fingerprint": self._about.fingerprint,
                "end_of_text": self._about.end_of_text,
            }
            self._description.write(json.dumps(description, indent=2).encode() + b"\n")

    def give_up(self) -> None:
        pass


class ParquetWriter:
    """A table with a row for each document, and its ids in the column `ids`."""

    def __init__(self, path: Path, files: WholeFiles, about: About) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            message = "Parquet needs pyarrow; pip install 'superword[parquet]'"
            raise ValueError(message) from None
        metadata = {"superword.fingerprint": about.fingerprint}
        if about.end_of_text is not None:
            metadata["superword.end_of_text"] = str(about.end_of_text)
        ids = pyarrow.field("ids", pyarrow.list_(pyarrow.uint32()), nullable=False)
        self._arrow = pyarrow
        self._schema = pyarrow.schema([ids], metadata=metadata)
        # Ids are too many for a dictionary, and their extremes say nothing.
        self._table = pyarrow.parquet.ParquetWriter(
            files.open(path),
            self._schema,
            compression="zstd",
            use_dictionary=False,
            write_statistics=False,
        )

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        ends = self._arrow.array(offsets).cast(self._arrow.int32())
        lists = self._arrow.ListArray.from_arrays(ends, self._arrow.array(ids))
        self._table.write_table(self._arrow.Table.from_arrays([lists], schema=self._schema))

    def finish(self) -> None:
        self._table.close()

    def give_up(self) -> None:
        # It would write the end of the table when nobody listens any more.
        with suppress(OSError, self._arrow.ArrowException):
            self._table.close()
        self._table.is_open = False
