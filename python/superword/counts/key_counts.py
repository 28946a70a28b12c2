"""Keys with counts: Arrow batches from the core, sorted Parquet files, and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeAlias

import numpy as np

from superword import _core
from superword.errors import CountsError

__all__ = [
    "BATCH_KEYS",
    "BIGRAM_BUCKETS",
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

# Files that are summed at once. Each takes a few megabytes of memory.
MAX_OPEN_FILES = 64

# Keys of a file that are in memory at once.
BATCH_KEYS = 1 << 16

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


def bigram_batches(counts: np.ndarray[Any, np.dtype[np.uint32]]) -> Iterator[Batch]:
    r"""Yield the counts of bigrams that are not zero.

    The keys are the numbers of their buckets, the highest byte first.

    Example:
        >>> [batch] = bigram_batches(np.array([0, 3, 0, 1], np.uint32))
        >>> batch.to_pylist()[1]
        {'key': b'\x00\x00\x00\x03', 'count': 1}
    """
    buckets = np.flatnonzero(counts)
    for start in range(0, len(buckets), BATCH_KEYS):
        some = buckets[start : start + BATCH_KEYS]
        offsets = np.arange(len(some) + 1, dtype=np.uint64) * np.uint64(4)
        yield make_batch(some.astype(">u4").tobytes(), offsets, counts[some].astype(np.uint64))


def make_batch(keys: bytes, offsets: Any, counts: Any) -> Batch:
    """Return a batch of keys, given as concatenated bytes and offsets."""
    pa = import_arrow()
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(keys)]
    size = len(np.frombuffer(counts, np.uint64))
    key = pa.Array.from_buffers(pa.large_binary(), size, buffers).cast(pa.binary())
    count = pa.Array.from_buffers(pa.int64(), size, [None, pa.py_buffer(counts)])
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


def read(path: Path) -> Iterator[Batch]:
    """Yield the batches of a Parquet file."""
    with import_arrow().parquet.ParquetFile(path) as table:
        yield from table.iter_batches(BATCH_KEYS)


def sum_files(paths: Sequence[Path]) -> Iterator[Batch]:
    """Yield the keys of sorted files in order, each once, with the sums of their counts.

    A few megabytes of each file are in memory at a time. Many files are first summed in groups.
    """
    if len(paths) <= MAX_OPEN_FILES:
        yield from sum_streams([read(path) for path in paths])
        return
    with TemporaryDirectory(prefix="superword-") as folder, ExitStack() as stack:
        fewer = []
        for start in range(0, len(paths), MAX_OPEN_FILES):
            sums = Path(folder, f"{start}.parquet")
            with stack.enter_context(sums.open("wb")) as file:
                write(file, sum_files(paths[start : start + MAX_OPEN_FILES]))
            fewer.append(sums)
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
