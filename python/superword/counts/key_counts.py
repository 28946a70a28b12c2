"""Keys with counts: from the core to Arrow, to sorted Parquet files, and summed over many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeAlias

import numpy as np

from superword import _core
from superword.errors import CountsError

__all__ = ["arrow", "as_rows", "bigram_batches", "core_batches", "read", "summed", "write"]

Batch: TypeAlias = Any
"""A `pyarrow.RecordBatch` with the columns `key`, binary, and `count`, int64."""

Rows: TypeAlias = tuple[bytes, bytes, bytes]
"""The bytes of keys, their offsets and their counts, both as uint64: what the core takes."""

# How many files are summed at once. Each has a few megabytes in memory.
MOST = 64

# How many keys of a file are in memory at once.
KEYS = 1 << 16


def arrow() -> Any:
    """Import pyarrow.

    Raises:
        CountsError: If it is missing.
    """
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        message = "counts are kept with pyarrow; pip install 'superword[parquet]'"
        raise CountsError(message) from None
    return pyarrow


def core_batches(counts: _core.Counts) -> Iterator[Batch]:
    """Yield what the core has counted, in the order of the keys."""
    while (rows := counts.next_rows()) is not None:
        yield batch_of(*rows)


def bigram_batches(counts: np.ndarray[Any, np.dtype[np.uint32]]) -> Iterator[Batch]:
    r"""Yield the counts of bigrams that are not zero.

    The keys are their places, the highest byte first.

    Example:
        >>> [batch] = bigram_batches(np.array([0, 3, 0, 1], np.uint32))
        >>> batch.to_pylist()[1]
        {'key': b'\x00\x00\x00\x03', 'count': 1}
    """
    places = np.flatnonzero(counts)
    for start in range(0, len(places), KEYS):
        some = places[start : start + KEYS]
        offsets = np.arange(len(some) + 1, dtype=np.uint64) * np.uint64(4)
        yield batch_of(some.astype(">u4").tobytes(), offsets, counts[some].astype(np.uint64))


def batch_of(keys: bytes, offsets: Any, counts: Any) -> Batch:
    """A batch of keys that stand one after the other."""
    pa = arrow()
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(keys)]
    size = len(np.frombuffer(counts, np.uint64))
    key = pa.Array.from_buffers(pa.large_binary(), size, buffers).cast(pa.binary())
    count = pa.Array.from_buffers(pa.int64(), size, [None, pa.py_buffer(counts)])
    return pa.RecordBatch.from_arrays([key, count], names=["key", "count"])


def as_rows(batch: Batch) -> Rows:
    """Give a batch as the core takes it.

    Example:
        >>> batch = batch_of(b"abc", np.array([0, 1, 3], "u8"), np.array([7, 5], "u8"))
        >>> keys, offsets, counts = as_rows(batch.slice(1))
        >>> keys, np.frombuffer(offsets, "u8").tolist(), np.frombuffer(counts, "u8").tolist()
        (b'bc', [0, 2], [5])
    """
    pa = arrow()
    key = batch.column("key").cast(pa.large_binary())
    offsets = np.frombuffer(key.buffers()[1], np.uint64)[key.offset : key.offset + len(key) + 1]
    data = key.buffers()[2]
    keys = data[int(offsets[0]) : int(offsets[-1])].to_pybytes() if data is not None else b""
    counts = np.asarray(batch.column("count"))
    return keys, (offsets - offsets[0]).tobytes(), counts.astype(np.uint64).tobytes()


def write(file: IO[bytes], batches: Iterable[Batch]) -> int:
    """Write batches to a Parquet file, and give the number of keys."""
    pa = arrow()
    schema = pa.schema(
        [
            pa.field("key", pa.binary(), nullable=False),
            pa.field("count", pa.int64(), nullable=False),
        ]
    )
    keys = 0
    # Sorted keys begin alike, and counts are small: encodings that take differences suit both.
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
    with arrow().parquet.ParquetFile(path) as table:
        yield from table.iter_batches(KEYS)


def summed(paths: Sequence[Path]) -> Iterator[Batch]:
    """Yield the keys of sorted files in order, each once, with the sums of their counts.

    A few megabytes of each file are in memory at a time; many files are first summed to fewer.
    """
    if len(paths) <= MOST:
        yield from summed_batches([read(path) for path in paths])
        return
    with TemporaryDirectory(prefix="superword-") as folder, ExitStack() as stack:
        fewer = []
        for start in range(0, len(paths), MOST):
            sums = Path(folder, f"{start}.parquet")
            with stack.enter_context(sums.open("wb")) as file:
                write(file, summed(paths[start : start + MOST]))
            fewer.append(sums)
        yield from summed(fewer)


def summed_batches(streams: Sequence[Iterator[Batch]]) -> Iterator[Batch]:
    """Yield the sums of sorted streams.

    What has been read of all streams up to the smallest of their last keys is complete.
    """
    pa = arrow()
    waiting = {index: batch for index, stream in enumerate(streams) if (batch := after(stream))}
    while waiting:
        limit = min(batch.column("key")[-1].as_py() for batch in waiting.values())
        complete = []
        for index, batch in list(waiting.items()):
            up_to = pa.compute.less_equal(batch.column("key"), pa.scalar(limit, pa.binary()))
            size = pa.compute.sum(up_to).as_py()
            complete.append(batch.slice(0, size))
            rest = batch.slice(size) if size < batch.num_rows else after(streams[index])
            if rest is None:
                del waiting[index]
            else:
                waiting[index] = rest
        yield added_up(complete)


def after(stream: Iterator[Batch]) -> Batch | None:
    """The next batch that is not empty."""
    return next((batch for batch in stream if batch.num_rows), None)


def added_up(batches: Sequence[Batch]) -> Batch:
    """The sums of batches, in the order of their keys."""
    pa = arrow()
    table = pa.Table.from_batches(batches)
    if len(batches) > 1:
        sums = table.group_by("key").aggregate([("count", "sum")])
        table = sums.rename_columns({"count_sum": "count"}).select(["key", "count"])
        table = table.sort_by("key")
    [batch] = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
    return batch
