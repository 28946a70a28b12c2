"""Encoding a column of texts on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from superword.spark.session import text_of
from superword.tokenizer.tokenizer import Tokenizer, load

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["encode"]

# The tokenizers that this process has made, by their fingerprints; an executor uses few of them.
MADE: dict[str, Tokenizer] = {}


def encode(
    df: DataFrame,
    model: Tokenizer | str | PathLike[str],
    *,
    text_column: str = "text",
    ids_column: str = "ids",
) -> DataFrame:
    """Encode a column of texts to a column of ids, beside the others.

    The model is sent to each executor once. Special tokens that texts spell are text like any
    other. The ids of null are null.

    Args:
        df: The texts, a row each.
        model: A tokenizer, or the file of one, which the driver reads.
        text_column: The column that holds the texts.
        ids_column: What the column of ids is called.

    Raises:
        CorpusError: If the column of texts is missing, or holds no strings.
        ValueError: If there is a column of that name already.
    """
    from pyspark.sql.types import ArrayType, IntegerType, StructType

    tok = model if isinstance(model, Tokenizer) else load(model)
    text_of(df, text_column)
    if ids_column in df.columns:
        raise ValueError(f"there is a column {ids_column!r} already; name another for the ids")
    schema = StructType(list(df.schema)).add(ids_column, ArrayType(IntegerType(), False))
    broadcast = df.sparkSession.sparkContext.broadcast(tok._model.to_json())
    encoder = partial(
        encode_batches,
        model=broadcast,
        fingerprint=tok.fingerprint,
        text_column=text_column,
        ids_column=ids_column,
    )
    return df.mapInArrow(encoder, schema)


def encode_batches(
    batches: Iterable[pa.RecordBatch],
    model: Any,
    fingerprint: str,
    text_column: str,
    ids_column: str,
) -> Iterator[pa.RecordBatch]:
    """Add a column of ids to Arrow batches; the model is a broadcast of its file."""
    import numpy as np
    import pyarrow as pa

    tok = MADE.get(fingerprint)
    if tok is None:
        tok = MADE[fingerprint] = Tokenizer._from_json(model.value)
    for batch in batches:
        texts = batch.column(text_column)
        ids, offsets = tok.encode_batch_to_numpy(texts.fill_null("").to_pylist(), threads=1)
        mask = texts.is_null() if texts.null_count else None
        column = pa.ListArray.from_arrays(
            pa.array(offsets.astype(np.int32)), pa.array(ids.astype(np.int32)), mask=mask
        )
        yield batch.append_column(ids_column, column)
