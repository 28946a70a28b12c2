"""Encoding a column of texts on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from superword.corpus import CorpusOptions
from superword.spark.session import select_text
from superword.tokenizer import Tokenizer, load

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["encode"]

# The tokenizers of this executor by fingerprint. There are few.
CACHE: dict[str, Tokenizer] = {}


def encode(
    df: DataFrame,
    model: Tokenizer | str | PathLike[str],
    *,
    text_column: str = CorpusOptions.column,
    ids_column: str = "ids",
) -> DataFrame:
    """Encode a column of texts, and add a column of ids.

    The model is sent to each executor once. Special tokens in the texts are ordinary text. The ids
    of null are null.

    Args:
        df: The texts, one in each row.
        model: A tokenizer, or its file, which the driver reads.
        text_column: The column that holds the texts.
        ids_column: The name of the new column.

    Raises:
        CorpusError: If the column of texts is missing, or does not hold strings.
        ValueError: If the new column already exists.
    """
    from pyspark.sql.types import ArrayType, IntegerType, StructType

    tok = model if isinstance(model, Tokenizer) else load(model)
    select_text(df, text_column)
    if ids_column in df.columns:
        raise ValueError(
            f"the column {ids_column!r} already exists; choose another name for the ids"
        )
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
    """Add a column of ids to Arrow batches; `model` is a broadcast of the model file."""
    import numpy as np
    import pyarrow as pa

    tok = CACHE.get(fingerprint)
    if tok is None:
        tok = CACHE[fingerprint] = Tokenizer._from_json(model.value)
    for batch in batches:
        texts = batch.column(text_column)
        ids, offsets = tok.encode_batch_to_numpy(texts.fill_null("").to_pylist(), threads=1)
        mask = texts.is_null() if texts.null_count else None
        column = pa.ListArray.from_arrays(
            pa.array(offsets.astype(np.int32)), pa.array(ids.astype(np.int32)), mask=mask
        )
        yield batch.append_column(ids_column, column)
