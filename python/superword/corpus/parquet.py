"""Documents from Parquet tables; needs `superword[parquet]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, Any

from superword.errors import CorpusError

__all__ = ["parquet_documents"]

# Rows that are converted to Python strings at a time, and their bytes at most.
BATCH_ROWS = 1024
BATCH_BYTES = 2**30

# A row group and a document of it may have the memory limit divided by this. There are several
# copies on the way from the file to the core.
GROUPS_PER_LIMIT = 8
TEXTS_PER_LIMIT = 16


def parquet_documents(
    file: IO[bytes],
    name: str,
    column: str,
    skip: Callable[[str], None] | None,
    weight_column: str | None = None,
    memory_limit: int | None = None,
) -> Iterator[str | dict[str, Any]]:
    """Yield the strings of one column, row group by row group; rows if there is another column.

    Args:
        file: The table.
        name: Its name in messages.
        column: The column.
        skip: Called with a message for each row or table that cannot be read. If None, the message
            is raised as an error.
        weight_column: The column that documents are weighted by, if there is one.
        memory_limit: In bytes. It bounds row groups and documents.

    Raises:
        CorpusError: If pyarrow is missing, the file is not a table, the column is missing or does
            not hold strings, or a row is null.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        message = "Parquet needs pyarrow; pip install 'superword[parquet]'"
        raise CorpusError(message, file=name) from None

    def raise_or_skip(error: CorpusError) -> None:
        if skip is None:
            raise error from None
        skip(str(error))

    row = 0
    try:
        table = pyarrow.parquet.ParquetFile(file)
        check_column(table.schema_arrow, name, column)
        columns = [column]
        if weight_column is not None:
            columns.append(weight_column)
            find_column(table.schema_arrow, name, weight_column, "to weight documents by")
        for group in range(table.num_row_groups):
            chunks = list_chunks(table.metadata.row_group(group), columns)
            if memory_limit is not None:
                check_chunks(chunks, name, row, memory_limit)
            size = choose_batch_rows(chunks, memory_limit)
            for batch in table.iter_batches(size, row_groups=[group], columns=columns):
                documents = batch.column(column).to_pylist()
                rows = documents if weight_column is None else batch.to_pylist()
                del batch
                for document, kept in zip(documents, rows, strict=True):
                    row += 1
                    if document is None:
                        message = (
                            "null instead of a string; fill it, "
                            "or pass on_error='skip' (--on-error skip)"
                        )
                        error = CorpusError(message, file=name, line=row, column=column, unit="row")
                        raise_or_skip(error)
                    elif (
                        memory_limit is not None and len(document) > memory_limit // TEXTS_PER_LIMIT
                    ):
                        raise_or_skip(refuse_text(name, row, column, memory_limit))
                    else:
                        yield kept
                # Texts may be long, and the next batch takes memory before these names change.
                document = kept = None
                documents.clear()
                rows.clear()
    except CorpusError as error:
        raise_or_skip(error)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as damage:
        if isinstance(damage, OSError) and damage.errno is not None:
            raise
        message = f"cannot be read as a table ({damage}); fetch or write it again"
        raise_or_skip(CorpusError(message, file=name, line=row + 1 if row else None, unit="row"))
    finally:
        # What pyarrow keeps for reuse would count against the limit of the job that follows.
        pyarrow.default_memory_pool().release_unused()


def list_chunks(group: Any, columns: list[str]) -> list[Any]:
    """Return what the file says about columns of a row group."""
    chunks = [group.column(index) for index in range(group.num_columns)]
    return [chunk for chunk in chunks if chunk.path_in_schema in columns]


def check_chunks(chunks: list[Any], name: str, row: int, memory_limit: int) -> None:
    """Reject a row group whose columns take too much of the memory limit."""
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    most = memory_limit // GROUPS_PER_LIMIT
    if size > most:
        message = (
            f"the row group from here on has {size} bytes, and {most} are the most with this "
            "memory_limit; write smaller row groups, or raise the limit"
        )
        raise CorpusError(message, file=name, line=row + 1, unit="row")


def refuse_text(name: str, row: int, column: str, memory_limit: int) -> CorpusError:
    """Return the error for a document that is too large for the memory limit."""
    message = (
        f"the document has more than {memory_limit // TEXTS_PER_LIMIT} characters, the most with "
        "this memory_limit; split it, or raise the limit"
    )
    return CorpusError(message, file=name, line=row, column=column, unit="row")


def choose_batch_rows(chunks: list[Any], memory_limit: int | None) -> int:
    """Return how many rows to convert at a time.

    A dictionary may hold one text that all rows repeat. It is at most as large as the column in the
    file, and each row gets a copy.
    """
    sizes: list[int] = [chunk.total_uncompressed_size for chunk in chunks if has_dictionary(chunk)]
    most = BATCH_BYTES if memory_limit is None else min(BATCH_BYTES, memory_limit // 32)
    return max(1, min(BATCH_ROWS, most // max([1, *sizes])))


def has_dictionary(chunk: Any) -> bool:
    """Return whether a column of a row group may repeat texts."""
    return any("DICTIONARY" in encoding for encoding in chunk.encodings)


def check_column(schema: Any, name: str, column: str) -> None:
    """Reject a table without the column, or one whose column does not hold strings."""
    import pyarrow.types as kinds

    kind = find_column(schema, name, column, "that holds the text").type
    inner = kind.value_type if kinds.is_dictionary(kind) else kind
    if not (kinds.is_string(inner) or kinds.is_large_string(inner)):
        message = f"the column holds {kind}, not strings; name the one that holds the text"
        raise CorpusError(message, file=name, column=column)


def find_column(schema: Any, name: str, column: str, purpose: str) -> Any:
    """Return a column of a table.

    Raises:
        CorpusError: If there is none, or more than one.
    """
    if schema.names.count(column) != 1:
        has = ", ".join(map(repr, schema.names)) or "none"
        count = "more than one" if column in schema.names else "no"
        message = f"{count} such column; the table has {has}: name the one {purpose}"
        raise CorpusError(message, file=name, column=column)
    return schema.field(column)
