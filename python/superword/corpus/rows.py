"""Documents from CSV files and JSON arrays.

A CSV file is read row by row. A JSON array is read whole; JSON lines are not.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from superword.errors import CorpusError

__all__ = ["csv_documents", "json_documents"]

# A longer field is a missing quote, which would take the rest of the file into memory.
LONGEST_FIELD = 2**28

# A field and an array may have the memory limit divided by this: one character of a field takes up
# to four bytes, and one item of an array, such as `{},`, seventy.
FIELDS_PER_LIMIT = 16
ARRAYS_PER_LIMIT = 40

SKIP_HINT = "correct it, or pass on_error='skip' (--on-error skip)"


def csv_documents(
    file: IO[bytes],
    name: str,
    column: str,
    skip: Callable[[str], None] | None,
    weight_column: str | None = None,
    memory_limit: int | None = None,
) -> Iterator[str | dict[str, str]]:
    """Yield the strings of one column of a CSV file, whose first row names the columns.

    If documents are weighted by another column, rows of both are yielded.

    Args:
        file: The file.
        name: Its name in messages.
        column: The column.
        skip: Called with a message for each row that cannot be read. If None, the message is raised
            as an error.
        weight_column: The column that documents are weighted by, if there is one.
        memory_limit: In bytes. It bounds the length of a field.

    Raises:
        CorpusError: If the column is missing, or a row is malformed.
    """
    # Bytes that are not UTF-8 are found in their row, so that the other rows can be read.
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    longest = LONGEST_FIELD
    if memory_limit is not None:
        longest = min(longest, memory_limit // FIELDS_PER_LIMIT)
    limit = csv.field_size_limit(longest)
    row = 0
    try:
        rows = csv.reader(text, strict=True)
        header = next(rows, [])
        at = find_column(header, name, column, "that holds the text")
        weight_at = None
        if weight_column is not None:
            weight_at = find_column(header, name, weight_column, "to weight documents by")
        for row, fields in enumerate(rows, 1):
            if not fields:
                continue
            if len(fields) != len(header):
                reason = f"{len(fields)} fields, and the first row names {len(header)} columns"
            elif not is_utf8(fields[at]):
                reason = "not UTF-8"
            else:
                if weight_column is None or weight_at is None:
                    yield fields[at]
                else:
                    yield {column: fields[at], weight_column: fields[weight_at]}
                continue
            error = CorpusError(f"{reason}; {SKIP_HINT}", file=name, line=row, unit="row")
            raise_or_skip(error, skip)
    except CorpusError as error:
        raise_or_skip(error, skip)
    except csv.Error as damage:
        message = f"cannot be read on ({damage}); a quote may be missing, or the file is cut off"
        raise_or_skip(CorpusError(message, file=name, line=row + 1, unit="row"), skip)
    finally:
        csv.field_size_limit(limit)
        text.close()


def find_column(header: list[str], name: str, column: str, purpose: str) -> int:
    """Return the index of a column.

    Raises:
        CorpusError: If there is none, or more than one.
    """
    if header.count(column) != 1:
        has = ", ".join(map(repr, header)) or "none"
        count = "more than one" if column in header else "no"
        message = (
            f"{count} such column; the first row names {has}: name the one {purpose}, and separate "
            "columns by commas"
        )
        raise CorpusError(message, file=name, column=column)
    return header.index(column)


def json_documents(
    file: IO[bytes],
    name: str,
    column: str,
    skip: Callable[[str], None] | None,
    weight_column: str | None = None,
    memory_limit: int | None = None,
) -> Iterator[str | Mapping[str, Any]]:
    """Yield the documents of a JSON array: strings, or objects that hold one in `column`.

    If documents are weighted by another column, the objects are yielded.

    Args:
        file: The file.
        name: Its name in messages.
        column: The key.
        skip: Called with a message for each item that cannot be read. If None, the message is
            raised as an error.
        weight_column: The key that documents are weighted by, if there is one.
        memory_limit: In bytes. It bounds the size of the array.

    Raises:
        CorpusError: If the file is not an array, or an item is not a document.
    """
    try:
        items = parse_array(read_array(file, name, memory_limit), name)
    except CorpusError as error:
        raise_or_skip(error, skip)
        return
    for number, item in enumerate(items, 1):
        document = item.get(column) if isinstance(item, Mapping) else item
        if isinstance(document, str) and is_utf8(document):
            yield document if weight_column is None else item
            continue
        if isinstance(item, Mapping) and column not in item:
            has = ", ".join(map(repr, item)) or "none"
            reason = f"no such key; the object has {has}: name the one that holds the text"
        else:
            reason = f"{type(document).__name__} instead of a string of valid Unicode; {SKIP_HINT}"
        key = column if isinstance(item, Mapping) else None
        bad_item = CorpusError(reason, file=name, line=number, column=key, unit="item")
        raise_or_skip(bad_item, skip)


def read_array(file: IO[bytes], name: str, memory_limit: int | None) -> bytes:
    """Return the bytes of a JSON array.

    Raises:
        CorpusError: If they are too many for the memory limit.
    """
    if memory_limit is None:
        return file.read()
    most = memory_limit // ARRAYS_PER_LIMIT
    data = file.read(most + 1)
    if len(data) > most:
        message = (
            f"the array has more than {most} bytes, the most that is read with this memory_limit; "
            "write it as JSON lines, or raise the limit"
        )
        raise CorpusError(message, file=name)
    return data


def parse_array(data: bytes, name: str) -> list[Any]:
    """Return the items of a JSON array.

    Raises:
        CorpusError: If it is anything else.
    """
    try:
        found = json.loads(data)
    except json.JSONDecodeError as error:
        is_lines = error.msg == "Extra data" and data.lstrip().startswith(b"{")
        hint = "rename it to .jsonl if it is JSON lines" if is_lines else "correct it"
        raise CorpusError(f"not a JSON array ({error}); {hint}", file=name) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise CorpusError(f"not a JSON array ({error}); correct it", file=name) from None
    if not isinstance(found, list):
        message = "holds no array of documents; rename it to .jsonl if it is JSON lines"
        raise CorpusError(message, file=name)
    return found


def is_utf8(text: str) -> bool:
    """Return whether a text has no lone surrogate."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def raise_or_skip(error: CorpusError, skip: Callable[[str], None] | None) -> None:
    """Raise an error, or pass its message to `skip`."""
    if skip is None:
        raise error from None
    skip(str(error))
