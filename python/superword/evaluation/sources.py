"""Sum up a corpus by source, where a column names the source of each document."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.corpus import CorpusLike, find_sources, open_corpus
from superword.corpus.paths import find_table_format
from superword.errors import CorpusError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SourceTotals", "find_source_labels", "group_sources", "sum_by_source"]

OTHER = "other"
DEFAULT_COLUMN = "source"


class SourceTotals(NamedTuple):
    """The documents, bytes and tokens of one source."""

    documents: int
    bytes: int
    tokens: int


def find_source_labels(
    corpus: CorpusLike,
    column: str | None,
    documents: int,
    *,
    are_some_skipped: bool = False,
    stacklevel: int = 4,
) -> list[str] | None:
    """Return the source of each of the first documents; None unless all of them have one.

    A warning says why there is none, unless no column is named and the documents have no `source`.

    Args:
        corpus: The corpus.
        column: The column that names the source; None for `source`, where there is one.
        documents: The number of documents.
        are_some_skipped: Whether some input was skipped; then labels cannot be told apart.
        stacklevel: Which caller the warning names.
    """
    name = DEFAULT_COLUMN if column is None else column
    try:
        if are_some_skipped:
            raise CorpusError("some input was skipped")
        return read_source_labels(corpus, name, documents)
    except CorpusError as error:
        if column is not None or has_label(corpus, name):
            # What follows the semicolon is advice for reading documents.
            reason = str(error).partition(";")[0]
            warnings.warn(f"nothing is reported by source: {reason}", stacklevel=stacklevel)
        return None


def has_label(corpus: CorpusLike, column: str) -> bool:
    """Return whether the first document has the column, with whatever value."""
    if not has_columns(corpus):
        return False
    try:
        read_source_labels(corpus, column, 1)
    except CorpusError as error:
        return "no such column" not in str(error)
    return True


def read_source_labels(corpus: CorpusLike, column: str, documents: int) -> list[str]:
    """Read the source of each of the first documents.

    This reads the corpus again, so it works for files and lists only.

    Raises:
        CorpusError: If a document has none.

    Example:
        >>> rows = [{"text": "a", "source": "one"}, {"text": "b", "source": "two"}]
        >>> read_source_labels(rows, "source", 2)
        ['one', 'two']
    """
    if not has_columns(corpus):
        raise CorpusError(
            f"no column {column!r}, since only JSON lines, Parquet files and lists of rows have any"
        )
    opened = open_corpus(corpus, column=column, max_documents=documents)
    labels = [label for batch in opened.batches() for label in batch]
    if len(labels) != documents:
        raise CorpusError(f"column {column!r}: {len(labels):,} labels for {documents:,} documents")
    return labels


def has_columns(corpus: CorpusLike) -> bool:
    """Return whether the documents may have columns and can be read again."""
    if isinstance(corpus, (str, os.PathLike)):
        return paths_have_columns([os.fspath(corpus)])
    if not isinstance(corpus, Sequence) or not corpus:
        return False
    if isinstance(corpus[0], os.PathLike):
        return paths_have_columns(map(os.fspath, corpus))
    return isinstance(corpus[0], Mapping)


def paths_have_columns(paths: Iterable[str]) -> bool:
    """Return whether all paths are JSON lines or tables; text files have no columns."""
    return all(
        (source.is_rereadable and ".txt" not in PurePath(source.name.lower()).suffixes)
        or (find_table_format(source.name) and os.path.isfile(source.name))
        for source in find_sources(paths)
    )


def sum_by_source(
    labels: Sequence[str], sizes: NDArray[np.int64], tokens: NDArray[np.int64]
) -> dict[str, SourceTotals]:
    """Sum up documents, bytes and tokens by source.

    Example:
        >>> totals = sum_by_source(["b", "a", "b"], np.array([10, 20, 30]), np.array([1, 2, 3]))
        >>> totals["b"]
        SourceTotals(documents=2, bytes=40, tokens=4)
    """
    names, groups = np.unique(np.asarray(labels), return_inverse=True)
    documents = np.bincount(groups)
    # Sums of float64 are exact up to 2**53, which no corpus reaches.
    sums = [np.bincount(groups, each).astype(np.int64) for each in (sizes, tokens)]
    columns = (column.tolist() for column in (documents, *sums))
    return {str(name): SourceTotals(*row) for name, *row in zip(names, *columns, strict=True)}


def group_sources(
    sources: Mapping[str, SourceTotals], groups: Mapping[str, Sequence[str]]
) -> dict[str, SourceTotals]:
    """Sum up sources by the first group with a glob that matches the source's name.

    Example:
        >>> one = SourceTotals(1, 10, 2)
        >>> group_sources({"a/b": one, "a/c": one, "d": one}, {"letters": ["a/*"]})["letters"]
        SourceTotals(documents=2, bytes=20, tokens=4)
        >>> group_sources({"a/b": one, "d": one}, {"letters": ["a/*"]})["other"]
        SourceTotals(documents=1, bytes=10, tokens=2)
    """
    totals: dict[str, SourceTotals] = {}
    for name, source in sources.items():
        matching = (
            group
            for group, globs in groups.items()
            if any(fnmatchcase(name, glob) for glob in globs)
        )
        group = next(matching, OTHER)
        before = totals.get(group, SourceTotals(0, 0, 0))
        totals[group] = SourceTotals(*map(sum, zip(before, source, strict=True)))
    return {group: totals[group] for group in [*groups, OTHER] if group in totals}
