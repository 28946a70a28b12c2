"""Writers of token files: `.npy`, `.bin`, `.parquet`, and Megatron's `.idx`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from superword.atomic_files import AtomicFiles, name_errors, restore
from superword.tokens.arrays import CHUNK, ArrayFile, chunks, map_array
from superword.tokens.descriptions import Checksum, Description, TokenFormat, read_description
from superword.tokens.existing import (
    INDEX_HEADER,
    INDEX_MAGIC,
    MEGATRON_CODES,
    map_lengths,
    map_offsets,
)
from superword.tokens.names import (
    description_path,
    has_offsets,
    list_outputs,
    offsets_path,
    reject_clashes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Writer", "open_writer"]


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
        ValueError: If the suffix is unknown, pyarrow is needed and missing, a file of another
            output would be replaced, or the file to append to is damaged, was written with another
            tokenizer, or is written by another process.
    """
    reject_clashes(path, token_format.end_of_text)
    if append and path.suffix != ".parquet":
        about = description_path(path.with_suffix(".bin") if path.suffix == ".idx" else path)
        restore([each for each in list_outputs(path) if each != about], about)
    append = append and path.exists()
    if append:
        files.lock(path)
    match path.suffix:
        case ".parquet":
            return ParquetWriter(path, files, token_format, append)
        case ".idx":
            return MegatronWriter(path, files, token_format, append)
    return FlatWriter(path, files, token_format, append)


class FlatWriter:
    """Writes ids in a row to a `.npy` or `.bin` file, and offsets if there is no end of text."""

    def __init__(
        self, path: Path, files: AtomicFiles, token_format: TokenFormat, append: bool
    ) -> None:
        self._format = token_format
        has_ends = token_format.end_of_text is not None
        about, offsets_at = description_path(path), offsets_path(path)
        # Everything is checked before anything is written.
        before, ids_before, offsets_before = None, None, None
        if append:
            names = {"ids"} if has_ends else {"ids", "offsets"}
            before = read_description(path, about, token_format, names)
            ids_before = map_array(path, token_format.dtype, before.count)
            offsets_before = None if has_ends else map_offsets(offsets_at, before)
        self._documents = 0 if before is None else before.documents
        file = files.open(path)
        self._ids = ArrayFile(file, token_format.dtype, has_header=path.suffix == ".npy")
        self._offsets: ArrayFile | None = None
        if not has_ends:
            self._offsets = ArrayFile(files.open(offsets_at), "u8", has_header=True)
            self._offsets.append(np.zeros(1, np.uint64))
        elif not has_offsets(path.with_suffix(".npy" if path.suffix == ".bin" else ".bin")):
            # Old offsets would not match.
            files.remove(offsets_at)
        self._description = files.open(about, is_manifest=True)
        if before is not None and ids_before is not None:
            for ids in chunks(ids_before):
                self._ids.append(ids)
            before.check("ids", path, self._ids.checksum)
        if self._offsets is not None and offsets_before is not None:
            for offsets in chunks(offsets_before[1:]):
                self._offsets.append(offsets)

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        if self._offsets is not None:
            self._offsets.append(offsets[1:] + np.uint64(self._ids.count))
        self._ids.append(ids)
        self._documents += len(offsets) - 1

    def finish(self) -> None:
        self._ids.finish()
        checksums = {"ids": self._ids.checksum.as_json()}
        if self._offsets is not None:
            self._offsets.finish()
            checksums["offsets"] = self._offsets.checksum.as_json()
        described = Description(self._format, self._ids.count, self._documents, checksums)
        self._description.write(described.as_json())

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
        about = description_path(tokens)
        if token_format.dtype == "uint32":  # Megatron has no code for it.
            token_format = token_format._replace(dtype="int32")
        self._format = token_format
        # Everything is checked before anything is written.
        before, ids_before, lengths_before = None, None, None
        if append:
            before = read_description(tokens, about, token_format, {"ids", "index"})
            ids_before = map_array(tokens, token_format.dtype, before.count)
            lengths_before = map_lengths(path, before)
        self._documents = 0 if before is None else before.documents
        # If writing is interrupted, there are no tokens without an index.
        self._ids = ArrayFile(files.open(tokens), token_format.dtype, has_header=False)
        self._index = files.open(path)
        self._description = files.open(about, is_manifest=True)
        self._checksum = Checksum()
        if before is not None and ids_before is not None:
            for ids in chunks(ids_before):
                self._ids.append(ids)
            before.check("ids", tokens, self._ids.checksum)
        with name_errors(gettempdir()):
            self._lengths = TemporaryFile()
        if lengths_before is not None:
            for some in chunks(lengths_before):
                self._write_lengths(some)

    def write(self, ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        self._ids.append(ids)
        self._write_lengths(np.diff(offsets).astype("<i4"))
        self._documents += len(offsets) - 1

    def finish(self) -> None:
        count = self._documents
        code = MEGATRON_CODES[self._format.dtype]
        self._write_index(INDEX_HEADER.pack(INDEX_MAGIC, 1, code, count, count + 1))
        size = np.dtype(self._format.dtype).itemsize
        with name_errors(gettempdir()):
            self._lengths.flush()
        for is_start in (False, True):
            start = 0
            self._lengths.seek(0)
            while some := self._lengths.read(4 * CHUNK):
                ends = start + size * np.cumsum(np.frombuffer(some, "<i4"), dtype=np.int64)
                starts = np.array([start, *ends[:-1]], "<i8")
                self._write_index(starts.tobytes() if is_start else some)
                start = int(ends[-1])
        for first in range(0, count + 1, CHUNK):
            bounds = np.arange(first, min(first + CHUNK, count + 1), dtype="<i8")
            self._write_index(bounds.tobytes())
        checksums = {"ids": self._ids.checksum.as_json(), "index": self._checksum.as_json()}
        described = Description(self._format, self._ids.count, count, checksums)
        self._description.write(described.as_json())
        self._lengths.close()

    def abort(self) -> None:
        with suppress(OSError):
            self._lengths.close()

    def _write_lengths(self, lengths: NDArray[np.int32]) -> None:
        with name_errors(gettempdir()):
            self._lengths.write(lengths.tobytes())

    def _write_index(self, data: bytes) -> None:
        self._index.write(data)
        self._checksum.add(data)


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
        before = self._open_existing(path, token_format) if append else None
        # There are too many ids for a dictionary, and their minimum and maximum are of no use.
        self._table = pyarrow.parquet.ParquetWriter(
            files.open(path),
            self._schema,
            compression="zstd",
            use_dictionary=False,
            write_statistics=False,
        )
        if before is not None:
            try:
                with self._name_damage(path), before:
                    for group in range(before.num_row_groups):
                        self._table.write_table(before.read_row_group(group).cast(self._schema))
            except BaseException:
                self.abort()
                raise

    def _open_existing(self, path: Path, token_format: TokenFormat) -> Any:
        """Open a file to append to.

        Raises:
            ValueError: If it is no such table, or was written with another tokenizer.
        """
        with self._name_damage(path):
            before = self._arrow.parquet.ParquetFile(path)
            metadata = before.schema_arrow.metadata or {}
            end = metadata.get(b"superword.end_of_text")
            fingerprint = metadata.get(b"superword.fingerprint", b"").decode()
            end_of_text = None if end is None else int(end)
        token_format.reject_other(path, fingerprint, end_of_text)
        if not before.schema_arrow.equals(self._schema):
            raise ValueError(f"{path}: must have one column, ids, of lists of int32; encode anew")
        return before

    @contextmanager
    def _name_damage(self, path: Path) -> Iterator[None]:
        """Let errors of a damaged table name the file."""
        try:
            yield
        except (self._arrow.ArrowException, ValueError, OSError) as damage:
            if isinstance(damage, OSError) and damage.errno is not None:
                raise
            raise ValueError(f"{path}: damaged ({damage}); encode anew") from None

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
