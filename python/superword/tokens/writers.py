"""The formats that token files have: `.npy`, `.bin`, `.parquet`, and Megatron's `.idx`."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from superword.atomic_files import AtomicFiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SUFFIXES", "About", "Writer", "offsets_path", "writer"]

SUFFIXES = (".npy", ".bin", ".parquet", ".idx")

# How many bytes are before the numbers of a .npy file, whatever their number is.
HEADER = 128

# What Megatron's index starts with, and its codes for the types.
INDEX_HEADER = struct.Struct("<9sQBQQ")
MEGATRON_CODES = {"int32": 4, "uint16": 8}

# How many numbers are copied at a time.
PORTION = 1 << 20


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


def writer(path: Path, files: AtomicFiles, about: About, *, append: bool = False) -> Writer:
    """What writes a file with this name, and those beside it.

    Raises:
        ValueError: If the name has an unknown ending, or is that of a table and pyarrow is missing,
            or what is to be appended to is not of the same tokenizer.
    """
    append = append and path.exists()
    match path.suffix:
        case ".npy" | ".bin":
            return FlatWriter(path, files, about, append)
        case ".parquet":
            return ParquetWriter(path, files, about, append)
        case ".idx":
            return MegatronWriter(path, files, about, append)
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


def description_path(path: Path) -> Path:
    """Where it is said of a file of numbers what they are."""
    return path.with_name(path.name + ".json")


def description(about: About, count: int, documents: int) -> bytes:
    """What is said of a file of numbers."""
    said = {
        "dtype": about.dtype,
        "count": count,
        "documents": documents,
        "fingerprint": about.fingerprint,
        "end_of_text": about.end_of_text,
    }
    return json.dumps(said, indent=2).encode() + b"\n"


def check_same(path: Path, about: About, fingerprint: str | None, end_of_text: int | None) -> None:
    """Refuse to append to what another tokenizer has written, or with other ends of texts.

    Raises:
        ValueError: If it is not the same.
    """
    if fingerprint != about.fingerprint:
        whose = f"the model {fingerprint[:12]}" if fingerprint else "nobody knows which model"
        raise ValueError(
            f"{path}: was written with {whose}, and this one is {about.fingerprint[:12]}: "
            "their ids would be mixed; choose another output"
        )
    if end_of_text != about.end_of_text:
        raise ValueError(
            f"{path}: has {end_of_text} as the end of texts, and now it would be "
            f"{about.end_of_text}; choose the same, or another output"
        )


def described(path: Path, about: About) -> dict[str, Any]:
    """Read what is said of a file that is to be appended to.

    Raises:
        ValueError: If it is not of the same tokenizer.
    """
    said: dict[str, Any] = {}
    with suppress(FileNotFoundError):
        said = json.loads(description_path(path).read_text(encoding="utf-8"))
    check_same(path, about, said.get("fingerprint"), said.get("end_of_text"))
    return said


def portions(numbers: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """An array, some of it at a time."""
    for start in range(0, len(numbers), PORTION):
        yield numbers[start : start + PORTION]


def stored(path: Path, dtype: str, count: int) -> NDArray[Any]:
    """The numbers of a file, read as they are needed."""
    if path.suffix == ".npy":
        numbers: NDArray[Any] = np.load(path, mmap_mode="r")
        return numbers
    kind = np.dtype(dtype).newbyteorder("<")
    return np.memmap(path, kind, mode="r", shape=(count,)) if count else np.zeros(0, kind)


class FlatWriter:
    """All ids in a row, in a `.npy` or a `.bin` file; and the offsets, or the end-of-text."""

    def __init__(self, path: Path, files: AtomicFiles, about: About, append: bool) -> None:
        said = described(path, about) if append else {}
        self._about = about
        self._ids = Numbers(files.open(path), about.dtype, has_header=path.suffix == ".npy")
        self._description = files.open(description_path(path))
        self._documents = said.get("documents", 0)
        self._offsets: Numbers | None = None
        if about.end_of_text is None:
            self._offsets = Numbers(files.open(offsets_path(path)), "u8", has_header=True)
            self._offsets.append(np.zeros(1, np.uint64))
        else:
            # Offsets from before would not fit.
            files.remove(offsets_path(path))
        if append:
            for ids in portions(stored(path, said["dtype"], said["count"])):
                self._ids.append(ids)
            if self._offsets is not None:
                for offsets in portions(np.load(offsets_path(path), mmap_mode="r")[1:]):
                    self._offsets.append(offsets)

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        if self._offsets is not None:
            self._offsets.append(offsets[1:] + np.uint64(self._ids.count))
        self._ids.append(ids)
        self._documents += len(offsets) - 1

    def finish(self) -> None:
        self._ids.finish()
        if self._offsets is not None:
            self._offsets.finish()
        self._description.write(description(self._about, self._ids.count, self._documents))

    def give_up(self) -> None:
        pass


class MegatronWriter:
    """An index in `.idx` and all ids in a `.bin` file, as `megatron.core` reads them.

    Each document is a sequence of its own. The index has: a magic word, a version, the code of the
    type, how many sequences and how many bounds of documents there are; how long each sequence is
    (int32), at which byte it starts (int64), and with which sequence each document starts (int64),
    with one more at the end.
    """

    def __init__(self, path: Path, files: AtomicFiles, about: About, append: bool) -> None:
        tokens = path.with_suffix(".bin")
        if about.dtype == "uint32":  # which Megatron has no code for
            about = about._replace(dtype="int32")
        said = described(tokens, about) if append else {}
        self._about = about
        self._index = files.open(path)
        self._ids = Numbers(files.open(tokens), about.dtype, has_header=False)
        self._description = files.open(description_path(tokens))
        self._documents = said.get("documents", 0)
        self._lengths = TemporaryFile()
        if append:
            for ids in portions(stored(tokens, said["dtype"], said["count"])):
                self._ids.append(ids)
            lengths = np.memmap(path, "<i4", "r", INDEX_HEADER.size, (self._documents,))
            for some in portions(lengths):
                self._lengths.write(some.tobytes())

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        self._ids.append(ids)
        self._lengths.write(np.diff(offsets).astype("<i4").tobytes())
        self._documents += len(offsets) - 1

    def finish(self) -> None:
        count = self._documents
        code = MEGATRON_CODES[self._about.dtype]
        self._index.write(INDEX_HEADER.pack(b"MMIDIDX\0\0", 1, code, count, count + 1))
        size = np.dtype(self._about.dtype).itemsize
        starts = TemporaryFile()
        with starts:
            start = 0
            self._lengths.seek(0)
            while some := self._lengths.read(4 * PORTION):
                self._index.write(some)
                ends = start + size * np.cumsum(np.frombuffer(some, "<i4"), dtype=np.int64)
                starts.write(np.array([start, *ends[:-1]], "<i8").tobytes())
                start = int(ends[-1])
            starts.seek(0)
            copyfileobj(starts, self._index)
        for first in range(0, count + 1, PORTION):
            bounds = np.arange(first, min(first + PORTION, count + 1), dtype="<i8")
            self._index.write(bounds.tobytes())
        self._description.write(description(self._about, self._ids.count, count))
        self._lengths.close()

    def give_up(self) -> None:
        self._lengths.close()


class ParquetWriter:
    """A table with a row for each document, and its ids in the column `ids`."""

    def __init__(self, path: Path, files: AtomicFiles, about: About, append: bool) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            message = "Parquet needs pyarrow; pip install 'superword[parquet]'"
            raise ValueError(message) from None
        metadata = {"superword.fingerprint": about.fingerprint}
        if about.end_of_text is not None:
            metadata["superword.end_of_text"] = str(about.end_of_text)
        ids = pyarrow.field("ids", pyarrow.list_(pyarrow.int32()), nullable=False)
        self._arrow = pyarrow
        self._schema = pyarrow.schema([ids], metadata=metadata)
        before = pyarrow.parquet.ParquetFile(path) if append else None
        if before is not None:
            said = before.schema_arrow.metadata or {}
            end = said.get(b"superword.end_of_text")
            fingerprint = said.get(b"superword.fingerprint", b"").decode()
            check_same(path, about, fingerprint, None if end is None else int(end))
        # Ids are too many for a dictionary, and their extremes say nothing.
        self._table = pyarrow.parquet.ParquetWriter(
            files.open(path),
            self._schema,
            compression="zstd",
            use_dictionary=False,
            write_statistics=False,
        )
        if before is not None:
            for group in range(before.num_row_groups):
                self._table.write_table(before.read_row_group(group).cast(self._schema))
            before.close()

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        ends = self._arrow.array(offsets).cast(self._arrow.int32())
        lists = self._arrow.ListArray.from_arrays(ends, self._arrow.array(ids.astype(np.int32)))
        self._table.write_table(self._arrow.Table.from_arrays([lists], schema=self._schema))

    def finish(self) -> None:
        self._table.close()

    def give_up(self) -> None:
        # It would write the end of the table when nobody listens any more.
        with suppress(OSError, self._arrow.ArrowException):
            self._table.close()
        self._table.is_open = False
