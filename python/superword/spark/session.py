"""What is asked of Spark before anything is computed: a session, files, a column of text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from superword.errors import CorpusError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["open_session", "read_files", "refusals_as_errors", "text_of"]


def open_session(master: str | None) -> SparkSession:
    """Open a session; without a master, the one that Spark is set up with.

    Raises:
        CorpusError: If pyspark is missing.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        message = "the engine spark needs pyspark; pip install 'superword[spark]'"
        raise CorpusError(message) from None
    if master is not None and master.startswith("local"):
        # The same Python, which has superword; Spark would take whatever is called python3.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("superword")
    return (builder if master is None else builder.master(master)).getOrCreate()


@contextmanager
def refusals_as_errors() -> Iterator[None]:
    """Raise what Spark refuses as an error whose message is a sentence."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as refused:
        lines = [line.strip() for line in str(refused).splitlines() if line.strip()]
        # What an executor's Python says is the last line of its traceback.
        said = [line for line in lines if line.startswith(("superword.errors.", "[MALFORMED"))]
        raise CorpusError(f"Spark: {(said or lines or ['it refused'])[0]}") from refused


def read_files(
    session: SparkSession, paths: Sequence[str], column: str, separator: str | None
) -> DataFrame:
    """Read what Spark reads, by its name: .parquet, .jsonl and .txt, the last two also compressed.

    Raises:
        CorpusError: If a name says something else, or they are of several kinds.
    """
    kinds = {kind_of(path) for path in paths}
    if len(kinds) != 1:
        raise CorpusError("Spark reads files of one kind at a time; name those of one")
    [kind] = kinds
    if kind == "parquet":
        return session.read.parquet(*paths)
    if kind == "jsonl":
        schema = f"`{column}` string"
        return session.read.schema(schema).option("mode", "FAILFAST").json(list(paths))
    if separator is None:
        texts = session.read.text(list(paths), wholetext=True)
    else:
        texts = session.read.text(list(paths), lineSep=separator)
    return texts.withColumnRenamed("value", column)


def kind_of(path: str) -> str:
    """What a file, a folder or a glob holds, by its name.

    Example:
        >>> kind_of("s3://bucket/data/*.jsonl.gz"), kind_of("docs.parquet/"), kind_of("a.txt")
        ('jsonl', 'parquet', 'txt')
    """
    parts = path.rstrip("/").rpartition("/")[2].lower().split(".")
    if parts[-1] in ("gz", "bz2", "zst"):
        parts.pop()
    if parts[-1] not in ("parquet", "jsonl", "txt"):
        raise CorpusError(
            "cannot tell from its name what it holds; with Spark, superword reads .parquet, "
            ".jsonl and .txt: name the files by a glob, or call superword.spark.train",
            file=path,
        )
    return parts[-1]


def text_of(df: DataFrame, column: str) -> DataFrame:
    """The column of text alone.

    Raises:
        CorpusError: If it is missing, or holds no strings.
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
