"""Opening a Spark session, reading files, and selecting the column of text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from superword.corpus import CorpusOptions
from superword.errors import CorpusError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "open_session",
    "raise_spark_errors",
    "read_files",
    "select_text",
    "select_weighted_text",
]


def open_session(master: str | None) -> SparkSession:
    """Open a session; without a master, with the one that Spark is configured for.

    Raises:
        CorpusError: If pyspark is missing.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        message = "the engine spark needs pyspark; pip install 'superword[spark]'"
        raise CorpusError(message) from None
    if master is not None and master.startswith("local"):
        # Use this Python, which has superword. Spark would use any python3.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("superword")
    return (builder if master is None else builder.master(master)).getOrCreate()


@contextmanager
def raise_spark_errors() -> Iterator[None]:
    """Raise errors of Spark as `CorpusError`, with a one-line message."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        # The error of an executor's Python is the last line of its traceback.
        own = [line for line in lines if line.startswith(("superword.errors.", "[MALFORMED"))]
        raise CorpusError(f"Spark: {(own or lines or ['unknown error'])[0]}") from error


def read_files(
    session: SparkSession,
    paths: Sequence[str],
    column: str,
    separator: str | None,
    weight_column: str | None = None,
) -> DataFrame:
    """Read .parquet, .jsonl or .txt files with Spark, the last two also compressed.

    Raises:
        CorpusError: If the format is not one of these, or there are several.
    """
    kinds = {file_format(path) for path in paths}
    if len(kinds) != 1:
        raise CorpusError("Spark reads files of one format at a time; name files of one format")
    [kind] = kinds
    if kind == "parquet":
        return session.read.parquet(*paths)
    if kind == "jsonl":
        columns = [column] if weight_column is None else [column, weight_column]
        schema = ", ".join(f"`{name}` string" for name in columns)
        return session.read.schema(schema).option("mode", "FAILFAST").json(list(paths))
    if separator is None:
        texts = session.read.text(list(paths), wholetext=True)
    else:
        texts = session.read.text(list(paths), lineSep=separator)
    return texts.withColumnRenamed("value", column)


def file_format(path: str) -> str:
    """Return the format of a file, a folder or a glob, by its name.

    Example:
        >>> [file_format(path) for path in ("s3://data/*.jsonl.gz", "docs.parquet/", "a.txt")]
        ['jsonl', 'parquet', 'txt']
    """
    parts = path.rstrip("/").rpartition("/")[2].lower().split(".")
    if parts[-1] in ("gz", "bz2", "zst"):
        parts.pop()
    if parts[-1] not in ("parquet", "jsonl", "txt"):
        raise CorpusError(
            "the name does not tell the format; with Spark, superword reads .parquet, "
            ".jsonl and .txt: name the files by a glob, or call superword.spark.train",
            file=path,
        )
    return parts[-1]


def select_text(df: DataFrame, column: str) -> DataFrame:
    """Return the column of text.

    Raises:
        CorpusError: If it is missing, or does not hold strings.
    """
    from pyspark.sql.types import StringType

    if df.columns.count(column) != 1:
        has = ", ".join(map(repr, df.columns)) or "none"
        message = f"no such column; the DataFrame has {has}: name the one that holds the text"
        raise CorpusError(message, column=column)
    text = df.select(df[column])
    kind = text.schema[0].dataType
    if not isinstance(kind, StringType):
        message = f"the column holds {kind.simpleString()}, not strings"
        raise CorpusError(message, column=column)
    return text


def select_weighted_text(df: DataFrame, options: CorpusOptions) -> DataFrame:
    """Return the column of text and, with weights, a column with the source of each document.

    Raises:
        CorpusError: If a column is missing, or does not hold strings, or integers for sources.
    """
    from pyspark.sql import functions
    from pyspark.sql.types import IntegralType, StringType

    text = select_text(df, options.column)
    if not options.has_weights:
        return text
    column = options.weight_column
    if column is None:
        return df.select(df[options.column], functions.input_file_name())
    if df.columns.count(column) != 1:
        has = ", ".join(map(repr, df.columns))
        message = f"no such column; the DataFrame has {has}: name the one to weight documents by"
        raise CorpusError(message, column=column)
    kind = df.schema[column].dataType
    if not isinstance(kind, StringType | IntegralType):
        message = f"the column holds {kind.simpleString()}, not strings or integers"
        raise CorpusError(message, column=column)
    return df.select(df[options.column], df[column])
