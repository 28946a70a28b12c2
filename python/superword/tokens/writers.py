"""Writers of token files: `.npy`, `.bin`, `.parquet`, and Megatron's `.idx`."""

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
from superword.json_files import read_json_object

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SUFFIXES", "TokenFormat", "Writer", "offsets_path", "open_writer"]

SUFFIXES = (".npy", ".bin", ".parquet", ".idx")

# Size of the header of a .npy file.
HEADER = 128

# The header of Megatron's index, and its codes for types.
INDEX_HEADER = struct.Struct("<9sQBQQ")
MEGATRON_CODES = {"int32": 4, "uint16": 8}

# Numbers that are copied at a time.
CHUNK = 1 << 20


class TokenFormat(NamedTuple):
    """The format of a token file.

    Attributes:
        dtype: The type of the ids.
        fingerprint: The fingerprint of the tokenizer.
        end_of_text: The id after each document, if there is one.
    """

    dtype: str
    fingerprint: str
    end_of_text: int | None


class Writer(Protocol):
    """Writes tokens to files."""

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        """Add documents: their ids, the offset of each, and the end of the last."""

    def finish(self) -> None:
        """Write headers and indexes, which are known only at the end."""

    def abort(self) -> None:
        """Release resources after an error."""


def open_writer(
    path: Path, files: AtomicFiles, token_format: TokenFormat, *, append: bool = False
) -> Writer:
    """Return a writer for a file, by its suffix.

    Raises:
        ValueError: If the suffix is unknown, pyarrow is needed and missing, or the file to append
            to was written with another tokenizer.
    """
    append = append and path.exists()
    match path.suffix:
        case ".npy" | ".bin":
            return FlatWriter(path, files, token_format, append)
        case ".parquet":
            return ParquetWriter(path, files, token_format, append)
        case ".idx":
            return MegatronWriter(path, files, token_format, append)
    raise ValueError(f"the output must end in one of {', '.join(SUFFIXES)}, not {path.name!r}")


def offsets_path(path: Path) -> Path:
    """Return the path of the offsets of a token file.

    Example:
        >>> offsets_path(Path("data/tokens.bin")).name
        'tokens.offsets.npy'
    """
    return path.with_suffix(".offsets.npy")


class ArrayFile:
    """A file that an array is appended to, with or without the header of `.npy`."""

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
    r"""Return the header of a `.npy` file with a one-dimensional array, padded to `HEADER` bytes.

    Example:
        >>> npy_header(np.dtype("<u2"), 5)[10:70]
        b"{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }   "
    """
    fields = {"descr": dtype.str, "fortran_order": False, "shape": (count,)}
    text = "{" + "".join(f"{key!r}: {value!r}, " for key, value in fields.items()) + "}"
    start = b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little")
    return start + text.encode().ljust(HEADER - 11) + b"\n"


def description_path(path: Path) -> Path:
    """Return the path of the description of a token file."""
    return path.with_name(path.name + ".json")


def description(token_format: TokenFormat, count: int, documents: int) -> bytes:
    """Return the description of a token file."""
    fields = {
        "dtype": token_format.dtype,
        "count": count,
        "documents": documents,
        "fingerprint": token_format.fingerprint,
        "end_of_text": token_format.end_of_text,
    }
    return json.dumps(fields, indent=2).encode() + b"\n"


def check_same(
    path: Path, token_format: TokenFormat, fingerprint: str | None, end_of_text: int | None
) -> None:
    """Reject appending to a file of another tokenizer, or with another end of text.

    Raises:
        ValueError: If one of them differs.
    """
    if fingerprint != token_format.fingerprint:
        other = f"the model {fingerprint[:12]}" if fingerprint else "an unknown model"
        raise ValueError(
            f"{path}: was written with {other}, and this one is {token_format.fingerprint[:12]}: "
            "their ids must not be mixed; choose another output"
        )
    if end_of_text != token_format.end_of_text:
        raise ValueError(
            f"{path}: has the end of text {end_of_text}, not {token_format.end_of_text}; "
            "use the same, or another output"
        )


def read_description(path: Path, token_format: TokenFormat) -> dict[str, Any]:
    """Return the description of a file to append to.

    Raises:
        ValueError: If it was written with another tokenizer.
    """
    fields: dict[str, Any] = {}
    with suppress(FileNotFoundError):
        fields = read_json_object(description_path(path))
    check_same(path, token_format, fields.get("fingerprint"), fields.get("end_of_text"))
    return fields


def chunks(numbers: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield an array in chunks."""
    for start in range(0, len(numbers), CHUNK):
        yield numbers[start : start + CHUNK]


def map_array(path: Path, dtype: str, count: int) -> NDArray[Any]:
    """Return the array in a file, mapped into memory."""
    if path.suffix == ".npy":
        numbers: NDArray[Any] = np.load(path, mmap_mode="r")
        return numbers
    kind = np.dtype(dtype).newbyteorder("<")
    return np.memmap(path, kind, mode="r", shape=(count,)) if count else np.zeros(0, kind)


class FlatWriter:
    """Writes ids in a row to a `.npy` or `.bin` file, and offsets if there is no end of text."""

    def __init__(
        self, path: Path, files: AtomicFiles, token_format: TokenFormat, append: bool
    ) -> None:
        before = read_description(path, token_format) if append else {}
        self._format = token_format
        self._ids = ArrayFile(
            files.open(path), token_format.dtype, has_header=path.suffix == ".npy"
        )
        self._description = files.open(description_path(path))
        self._documents = before.get("documents", 0)
        self._offsets: ArrayFile | None = None
        if token_format.end_of_text is None:
            self._offsets = ArrayFile(files.open(offsets_path(path)), "u8", has_header=True)
            self._offsets.append(np.zeros(1, np.uint64))
        else:
            # Old offsets would not match.
            files.remove(offsets_path(path))
        if append:
            for ids in chunks(map_array(path, before["dtype"], before["count"])):
                self._ids.append(ids)
            if self._offsets is not None:
                for offsets in chunks(np.load(offsets_path(path), mmap_mode="r")[1:]):
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
        self._description.write(description(self._format, self._ids.count, self._documents))

    def abort(self) -> None:
        pass


class MegatronWriter:
    """Writes an index to `.idx` and all ids to a `.bin` file, as `megatron.core` reads them.

    Each document is one sequence. The index holds a magic word, a version, the code of the type,
    the number of sequences and the number of document bounds; then the length of each sequence
    (int32), the byte at which it starts (int64), and the first sequence of each document (int64),
    with one more bound at the end.
    """

    def __init__(
        self, path: Path, files: AtomicFiles, token_format: TokenFormat, append: bool
    ) -> None:
        tokens = path.with_suffix(".bin")
        if token_format.dtype == "uint32":  # Megatron has no code for it.
            token_format = token_format._replace(dtype="int32")
        before = read_description(tokens, token_format) if append else {}
        self._format = token_format
        self._index = files.open(path)
        self._ids = ArrayFile(files.open(tokens), token_format.dtype, has_header=False)
        self._description = files.open(description_path(tokens))
        self._documents = before.get("documents", 0)
        self._lengths = TemporaryFile()
        if append:
            for ids in chunks(map_array(tokens, before["dtype"], before["count"])):
                self._ids.append(ids)
            lengths = np.memmap(path, "<i4", "r", INDEX_HEADER.size, (self._documents,))
            for some in chunks(lengths):
                self._lengths.write(some.tobytes())

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        self._ids.append(ids)
        self._lengths.write(np.diff(offsets).astype("<i4").tobytes())
        self._documents += len(offsets) - 1

    def finish(self) -> None:
        count = self._documents
        code = MEGATRON_CODES[self._format.dtype]
        self._index.write(INDEX_HEADER.pack(b"MMIDIDX\0\0", 1, code, count, count + 1))
        size = np.dtype(self._format.dtype).itemsize
        starts = TemporaryFile()
        with starts:
            start = 0
            self._lengths.seek(0)
            while some := self._lengths.read(4 * CHUNK):
                self._index.write(some)
                ends = start + size * np.cumsum(np.frombuffer(some, "<i4"), dtype=np.int64)
                starts.write(np.array([start, *ends[:-1]], "<i8").tobytes())
                start = int(ends[-1])
            starts.seek(0)
            copyfileobj(starts, self._index)
        for first in range(0, count + 1, CHUNK):
            bounds = np.arange(first, min(first + CHUNK, count + 1), dtype="<i8")
            self._index.write(bounds.tobytes())
        self._description.write(description(self._format, self._ids.count, count))
        self._lengths.close()

    def abort(self) -> None:
        self._lengths.close()


class ParquetWriter:
    """Writes a table with a row for each document, and its ids in the column `ids`."""

    def __init__(
        self, path: Path, files: AtomicFiles, token_format: TokenFormat, append: bool
    ) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            message = "Parquet needs pyarrow; pip install 'superword[parquet]'"
            raise ValueError(message) from None
        metadata = {"superword.fingerprint": token_format.fingerprint}
        if token_format.end_of_text is not None:
            metadata["superword.end_of_text"] = str(token_format.end_of_text)
        ids = pyarrow.field("ids", pyarrow.list_(pyarrow.int32()), nullable=False)
        self._arrow = pyarrow
        self._schema = pyarrow.schema([ids], metadata=metadata)
        before = pyarrow.parquet.ParquetFile(path) if append else None
        if before is not None:
            metadata_before = before.schema_arrow.metadata or {}
            end = metadata_before.get(b"superword.end_of_text")
            fingerprint = metadata_before.get(b"superword.fingerprint", b"").decode()
            check_same(path, token_format, fingerprint, None if end is None else int(end))
        # There are too many ids for a dictionary, and their minimum and maximum are of no use.
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

    def abort(self) -> None:
        # Closing writes the footer, which may fail too. Left open, it would be written later.
        with suppress(OSError, self._arrow.ArrowException):
            self._table.close()
        self._table.is_open = False
