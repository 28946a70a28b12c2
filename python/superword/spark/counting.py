"""The work of executors: counting the documents of a partition, and packing sums for the driver.

Nothing here imports Spark. Each function takes the Arrow batches of a partition and yields others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from superword import _core
from superword.counts import key_counts
from superword.counts.cuts import Cut
from superword.spark.weighting import WeightFinder, Weighting

__all__ = [
    "BIGRAMS",
    "COLUMNS",
    "FRAGMENTS",
    "PRETOKENS",
    "TOTALS",
    "USED_WEIGHT",
    "count_fragments",
    "count_pretokens",
    "pack",
    "unpack",
]

# The kinds of rows.
PRETOKENS, BIGRAMS, FRAGMENTS, TOTALS = range(4)

# Starts the names of the totals that say which weights were used.
USED_WEIGHT = "weight "

# Columns of counts in a row. A row of bigrams holds this many buckets, so fewer rows are shuffled.
COLUMNS = 8


def count_pretokens(
    batches: Iterable[pa.RecordBatch],
    pattern: str,
    eligible: str,
    bigrams: bool,
    weighting: Weighting | None,
) -> Iterator[pa.RecordBatch]:
    """Count pretokens, and bigrams if asked for."""
    counter = _core.PretokenCounter(pattern, eligible, bigrams)
    yield from count_batches(batches, counter, weighting, PRETOKENS, COLUMNS)


def count_fragments(
    batches: Iterable[pa.RecordBatch], cut: Any, weighting: Weighting | None
) -> Iterator[pa.RecordBatch]:
    """Count fragments; `cut` is a broadcast of a `Cut`."""
    value: Cut = cut.value
    counter = _core.FragmentCounter(value.pattern, value.eligible, value.splitter)
    yield from count_batches(batches, counter, weighting, FRAGMENTS, 1)


def count_batches(
    batches: Iterable[pa.RecordBatch],
    counter: _core.PretokenCounter | _core.FragmentCounter,
    weighting: Weighting | None,
    kind: int,
    columns: int,
) -> Iterator[pa.RecordBatch]:
    """Count the first column of all batches, and yield the counts and totals.

    With weights, the second column names the source of each document.
    """
    nulls = 0
    finder = None if weighting is None else WeightFinder(weighting)
    for batch in batches:
        nulls += batch.column(0).null_count
        some = batch.filter(batch.column(0).is_valid())
        weights = None if finder is None else finder.find_weights(some.column(1))
        counter.add(some.column(0).to_pylist(), weights)
    counts = counter.finish()
    found = counts.totals
    rows = 0
    for some in key_counts.core_batches(counts):
        rows += some.num_rows
        yield as_rows(kind, some.column("key"), [some.column("count")], columns)
    if (bigrams := counts.take_bigrams()) is not None:
        for block in bigram_rows(bigrams):
            rows += block.num_rows
            yield block
    totals = {
        "documents": found["documents"],
        "bytes": found["bytes"],
        "nulls": nulls,
        "pretokens": found["pretokens"],
        "rows": rows,
    }
    if finder is not None:
        totals |= {f"{USED_WEIGHT}{number}": 1 for number in finder.used}
    keys = pa.array([name.encode() for name in totals], pa.binary())
    yield as_rows(TOTALS, keys, [pa.array(totals.values(), pa.int64())], columns)


def as_rows(kind: int, keys: Any, counts: list[Any], columns: int) -> pa.RecordBatch:
    """Return rows of one kind; unused columns of counts are null."""
    empty = [pa.nulls(len(keys), pa.int64())] * (columns - len(counts))
    arrays = [pa.array(np.full(len(keys), kind, np.int8)), keys, *counts, *empty]
    names = ["kind", "key", *(f"n{column}" for column in range(columns))]
    return pa.RecordBatch.from_arrays(arrays, names=names)


def bigram_rows(counts: np.ndarray[Any, np.dtype[np.uint32]]) -> Iterator[pa.RecordBatch]:
    """Yield rows of adjacent buckets, unless all are zero; the key is the number of the row."""
    blocks = counts.reshape(-1, COLUMNS)
    numbers = np.flatnonzero(blocks.any(axis=1))
    for start in range(0, len(numbers), key_counts.BATCH_KEYS):
        some = numbers[start : start + key_counts.BATCH_KEYS]
        chosen = blocks[some].astype(np.int64)
        ends = pa.py_buffer(np.arange(0, 4 * len(some) + 1, 4, dtype=np.int32))
        data = [None, ends, pa.py_buffer(some.astype(">u4").tobytes())]
        keys = pa.Array.from_buffers(pa.binary(), len(some), data)
        columns = [pa.array(chosen[:, column]) for column in range(COLUMNS)]
        yield as_rows(BIGRAMS, keys, columns, COLUMNS)


def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Serialize each batch into one value, so that it reaches the driver's Python unchanged."""
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema, options=options) as stream:
            stream.write_batch(batch)
        packed = pa.array([sink.getvalue().to_pybytes()], pa.binary())
        yield pa.RecordBatch.from_arrays([packed], names=["packed"])


def unpack(values: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    """Yield the batches that `pack` serialized."""
    for value in values:
        with pa.ipc.open_stream(value) as stream:
            yield from stream
