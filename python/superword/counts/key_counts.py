"""Keys with counts: Arrow batches from the core, sorted Parquet files, and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedWriter
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np

from superword import _core
from superword.atomic_files import OutputFile
from superword.errors import CountsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BATCH_KEYS",
    "BIGRAM_BUCKETS",
    "CountsFile",
    "bigram_batches",
    "core_batches",
    "import_arrow",
    "read",
    "sum_files",
    "to_core",
    "write",
]

Batch: TypeAlias = Any
"""A `pyarrow.RecordBatch` with the columns `key`, binary, and `count`, int64."""

Rows: TypeAlias = tuple[bytes, bytes, bytes]
"""As the core takes keys: their bytes, their offsets and their counts, both as uint64."""


@dataclass(frozen=True)
class CountsFile:
    """A Parquet file of sorted keys with counts, and what is known of them.

    Attributes:
        path: Its path.
        keys: The number of keys, if known.
        least: The least sum of the counts.
        most: The largest sum of the counts.
    """

    path: Path
    keys: int | None = None
    least: int = 0
    most: int = 2**62 - 1

    def refuse(self, problem: str) -> CountsError:
        """Return the error for counts that cannot be right."""
        return CountsError(f"{self.path}: {problem}; remove it and count again")


# Files that are summed at once. Each takes a few megabytes of memory.
MAX_OPEN_FILES = 64

# Keys of a file that are in memory at once.
BATCH_KEYS = 1 << 16

# Buckets of bigrams that are in memory at once.
BIGRAMS_PER_BATCH = 1 << 20

# Bigrams are counted by hash, in this many buckets.
BIGRAM_BUCKETS = _core.BIGRAM_BUCKETS


def import_arrow() -> Any:
    """Import pyarrow.

    Raises:
        CountsError: If it is missing.
    """
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        message = "counts need pyarrow; pip install 'superword[parquet]'"
        raise CountsError(message) from None
    return pyarrow


def core_batches(counts: _core.SortedCounts) -> Iterator[Batch]:
    """Yield the counts of the core, sorted by key."""
    while (batch := counts.next_batch()) is not None:
        yield make_batch(**batch)


def bigram_batches(counts: NDArray[np.uint32]) -> Iterator[Batch]:
    r"""Yield the counts of bigrams that are not zero.

    The keys are the numbers of their buckets, the highest byte first.

    Example:
        >>> [batch] = bigram_batches(np.array([0, 3, 0, 1], np.uint32))
        >>> batch.to_pylist()[1]
        {'key': b'\x00\x00\x00\x03', 'count': 1}
    """
    for start in range(0, len(counts), BIGRAMS_PER_BATCH):
        some = start + np.flatnonzero(counts[start : start + BIGRAMS_PER_BATCH])
        if not len(some):
            continue
        offsets = np.arange(len(some) + 1, dtype=np.uint64) * np.uint64(4)
        yield make_batch(some.astype(">u4").tobytes(), offsets, counts[some].astype(np.uint64))


def make_batch(keys: bytes, offsets: NDArray[np.uint64], counts: NDArray[np.uint64]) -> Batch:
    """Return a batch of keys, given as concatenated bytes and offsets."""
    pa = import_arrow()
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(keys)]
    key = pa.Array.from_buffers(pa.large_binary(), len(counts), buffers).cast(pa.binary())
    count = pa.Array.from_buffers(pa.int64(), len(counts), [None, pa.py_buffer(counts)])
    return pa.RecordBatch.from_arrays([key, count], names=["key", "count"])


def to_core(batch: Batch) -> Rows:
    """Return a batch as the core takes it.

    Example:
        >>> batch = make_batch(b"abc", np.array([0, 1, 3], "u8"), np.array([7, 5], "u8"))
        >>> keys, offsets, counts = to_core(batch.slice(1))
        >>> keys, np.frombuffer(offsets, "u8").tolist(), np.frombuffer(counts, "u8").tolist()
        (b'bc', [0, 2], [5])
    """
    pa = import_arrow()
    key = batch.column("key").cast(pa.large_binary())
    offsets = np.frombuffer(key.buffers()[1], np.uint64)[key.offset : key.offset + len(key) + 1]
    data = key.buffers()[2]
    keys = data[int(offsets[0]) : int(offsets[-1])].to_pybytes() if data is not None else b""
    counts = np.asarray(batch.column("count"))
    return keys, (offsets - offsets[0]).tobytes(), counts.astype(np.uint64).tobytes()


def write(file: IO[bytes], batches: Iterable[Batch]) -> int:
    """Write batches to a Parquet file, and return the number of keys."""
    pa = import_arrow()
    schema = pa.schema(
        [
            pa.field("key", pa.binary(), nullable=False),
            pa.field("count", pa.int64(), nullable=False),
        ]
    )
    keys = 0
    # Sorted keys share prefixes, and counts are small: delta encodings suit both.
    with pa.parquet.ParquetWriter(
        file,
        schema,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
        column_encoding={"key": "DELTA_BYTE_ARRAY", "count": "DELTA_BINARY_PACKED"},
    ) as table:
        for batch in batches:
            table.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
            keys += batch.num_rows
    return keys


def read(file: CountsFile) -> Iterator[Batch]:
    """Yield the batches of a Parquet file.

    Raises:
        CountsError: If the file is damaged, its keys are not in order, each once, its counts are
            not positive, or they have another number or sum than they must have.
    """
    pa = import_arrow()
    keys = total = 0
    last = None
    try:
        with pa.parquet.ParquetFile(file.path) as table:
            check_columns(file, table.schema_arrow)
            for batch in table.iter_batches(BATCH_KEYS):
                if batch.num_rows:
                    check_batch(file, batch, last)
                    last = batch.column("key")[-1]
                    keys += batch.num_rows
                    total += sum_exactly(np.asarray(batch.column("count")))
                if total > file.most:
                    raise file.refuse(f"its counts exceed {file.most:,} together")
                yield batch
    except pa.ArrowException as damage:
        raise file.refuse(f"damaged ({damage})") from None
    if file.keys is not None and keys != file.keys:
        raise file.refuse(f"it has {keys:,} keys, not {file.keys:,} as its manifest says")
    if total < file.least:
        raise file.refuse(f"its counts are {total:,} together, not {file.least:,}")


def check_columns(file: CountsFile, schema: Any) -> None:
    """Reject a file without the columns of counts."""
    pa = import_arrow()
    if schema.names != ["key", "count"] or schema.types != [pa.binary(), pa.int64()]:
        raise file.refuse("it has other columns than 'key', binary, and 'count', int64")


def check_batch(file: CountsFile, batch: Batch, last: Any) -> None:
    """Reject keys that are not in order after `last`, each once, and counts below 1."""
    pa = import_arrow()
    key, count = batch.column("key"), batch.column("count")
    if key.null_count or count.null_count:
        raise file.refuse("a key or a count is missing")
    is_sorted = pa.compute.all(pa.compute.less(key[:-1], key[1:])).as_py() is not False
    if not is_sorted or (last is not None and last.as_py() >= key[0].as_py()):
        raise file.refuse("its keys are not in order, or one occurs twice")
    counts = np.asarray(count)
    if counts.min() < 1:
        wrong = int(counts.argmin())
        raise file.refuse(f"the key {key[wrong].as_py()!r} has the count {counts[wrong]}")


def sum_exactly(counts: np.ndarray[Any, np.dtype[np.int64]]) -> int:
    """Return the sum, which may exceed 64 bits.

    Example:
        >>> sum_exactly(np.array([2**62, 2**62, 5])) == 2**63 + 5
        True
    """
    return int(counts.sum(dtype=object if counts.max() > 2**62 // len(counts) else np.int64))


def sum_files(files: Sequence[CountsFile]) -> Iterator[Batch]:
    """Yield the keys of sorted files in order, each once, with the sums of their counts.

    A few megabytes of each file are in memory at a time. Many files are first summed in groups. The
    caller makes sure that all counts together are below 2^62, by `CountsFile.most`.
    """
    if len(files) <= MAX_OPEN_FILES:
        yield from sum_streams([read(file) for file in files])
        return
    making = TemporaryDirectory(prefix="superword-", ignore_cleanup_errors=True)
    with making as folder, ExitStack() as stack:
        fewer = []
        for start in range(0, len(files), MAX_OPEN_FILES):
            sums = Path(folder, f"{start}.parquet")
            raw = OutputFile(sums, Path(gettempdir()))
            with stack.enter_context(BufferedWriter(raw)) as file:
                write(file, sum_files(files[start : start + MAX_OPEN_FILES]))
            fewer.append(CountsFile(sums))
        yield from sum_files(fewer)


def sum_streams(streams: Sequence[Iterator[Batch]]) -> Iterator[Batch]:
    """Yield the sums of sorted streams.

    Among the batches read, keys up to the smallest last key are complete.
    """
    pa = import_arrow()
    waiting = {
        index: batch for index, stream in enumerate(streams) if (batch := next_batch(stream))
    }
    while waiting:
        limit = min(batch.column("key")[-1].as_py() for batch in waiting.values())
        complete = []
        for index, batch in list(waiting.items()):
            up_to = pa.compute.less_equal(batch.column("key"), pa.scalar(limit, pa.binary()))
            size = pa.compute.sum(up_to).as_py()
            complete.append(batch.slice(0, size))
            rest = batch.slice(size) if size < batch.num_rows else next_batch(streams[index])
            if rest is None:
                del waiting[index]
            else:
                waiting[index] = rest
        yield sum_batches(complete)


def next_batch(stream: Iterator[Batch]) -> Batch | None:
    """Return the next batch that is not empty."""
    return next((batch for batch in stream if batch.num_rows), None)


def sum_batches(batches: Sequence[Batch]) -> Batch:
    """Return the sums of batches, sorted by key."""
    pa = import_arrow()
    table = pa.Table.from_batches(batches)
    if len(batches) > 1:
        sums = table.group_by("key").aggregate([("count", "sum")])
        table = sums.rename_columns({"count_sum": "count"}).select(["key", "count"])
        table = table.sort_by("key")
    [batch] = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
    return batch
