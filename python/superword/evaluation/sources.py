"""Where the documents of a corpus come from, as a column of it says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from superword.corpus.documents import CorpusLike, open_corpus
from superword.corpus.paths import find_sources, is_parquet
from superword.errors import CorpusError
from superword.evaluation.measurement import Share

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["by_source", "source_labels"]


def source_labels(corpus: CorpusLike, column: str, documents: int) -> list[str] | None:
    """The source of each of the first documents; None if the corpus does not say it of all.

    The corpus is read again, which only files and lists can be.

    Example:
        >>> rows = [{"text": "a", "source": "one"}, {"text": "b", "source": "two"}]
        >>> source_labels(rows, "source", 2), source_labels(["a", "b"], "source", 2)
        (['one', 'two'], None)
    """
    if not has_columns(corpus):
        return None
    try:
        opened = open_corpus(corpus, column=column, max_documents=documents)
        labels = [label for batch in opened.batches() for label in batch]
    except CorpusError:
        return None
    return labels if len(labels) == documents else None


def has_columns(corpus: CorpusLike) -> bool:
    """Say whether every document may have columns, and can be read again."""
    if isinstance(corpus, (str, os.PathLike)):
        return paths_have_columns([os.fspath(corpus)])
    if not isinstance(corpus, Sequence) or not corpus:
        return False
    if isinstance(corpus[0], os.PathLike):
        return paths_have_columns(map(os.fspath, corpus))
    return isinstance(corpus[0], Mapping)


def paths_have_columns(paths: Iterable[str]) -> bool:
    """Say whether all that paths name are files of rows: what is text has no columns."""
    return all(
        (source.is_rereadable and ".txt" not in PurePath(source.name.lower()).suffixes)
        or (is_parquet(source.name) and os.path.isfile(source.name))
        for source in find_sources(paths)
    )


def by_source(
    labels: Sequence[str], sizes: NDArray[np.int64], tokens: NDArray[np.int64]
) -> dict[str, Share]:
    """Sum up documents, their bytes and their tokens by source.

    Example:
        >>> by_source(["b", "a", "b"], np.array([10, 20, 30]), np.array([1, 2, 3]))
        {'a': Share(documents=1, bytes=20, tokens=2), 'b': Share(documents=2, bytes=40, tokens=4)}
    """
    names, places = np.unique(np.asarray(labels), return_inverse=True)
    documents = np.bincount(places)
    # Sums of float64 are exact up to 2**53, which no corpus reaches.
    summed = [np.bincount(places, each).astype(np.int64) for each in (sizes, tokens)]
    columns = (column.tolist() for column in (documents, *summed))
    return {str(name): Share(*row) for name, *row in zip(names, *columns, strict=True)}
