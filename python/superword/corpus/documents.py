"""Documents to train and measure on: from files, from tables, from anything that yields strings."""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from itertools import chain, islice
from typing import Any, Literal, TypeAlias

import zstandard

from superword import _core
from superword.corpus.parquet import parquet_documents
from superword.corpus.paths import Source, find_sources, is_parquet
from superword.errors import CorpusError

__all__ = ["CorpusLike", "OnError", "Shard", "open_corpus", "sample", "warn_of_skipped"]

CorpusLike: TypeAlias = (
    str
    | os.PathLike[str]
    | Iterable[os.PathLike[str]]
    | Iterable[str]
    | Iterable[Mapping[str, Any]]
)
OnError: TypeAlias = Literal["raise", "skip"]
Shard: TypeAlias = tuple[int, int]


def open_corpus(
    corpus: CorpusLike,
    *,
    column: str = "text",
    separator: str | None = None,
    on_error: OnError = "raise",
    max_bytes: int | None = None,
    max_documents: int | None = None,
    shard: Shard | None = None,
) -> _core.Corpus:
    r"""Open a corpus, so that it can be read more than once.

    Files of JSON lines and text are read again for each pass. Everything else (tables, standard
    input, URLs, iterables) can be read only once: its documents are kept, 64 MB of them in memory
    and the rest in a temporary file.

    Args:
        corpus: A path: a file, a folder (with the folders in it, sorted), a glob, a URL, or `-`
            for standard input. Or an iterable of `Path`: several of these. Or any other iterable:
            its items are the documents, strings or mappings (rows) that hold one in `column`.
            Files are `.jsonl`, `.txt` or `.parquet`, the first two also as `.gz`, `.zst` or
            `.bz2`; standard input is JSON lines if it starts with `{"`, otherwise text.
        column: The key of a line's object, or the column of a table, that holds the document.
        separator: What separates the documents of a text file; without it, a file is one.
        on_error: Whether to `"raise"` what is wrong with a line, a row, a document or an archive,
            or to `"skip"` and count it.
        max_bytes: Stop before the document with which there would be more bytes of UTF-8.
        max_documents: Stop after as many documents.
        shard: `(i, n)` to take every n-th file of several, or document of an iterable, from the
            i-th on, counted from 0.

    Raises:
        CorpusError: If there is nothing to read, or something is not what it should be.
        OSError: If the system refuses to read a file.

    Example:
        >>> open_corpus(["one", {"text": "two"}], max_documents=5).documents()
        ['one', 'two']
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error is 'raise' or 'skip', not {on_error!r}")
    for name, limit in (("max_bytes", max_bytes), ("max_documents", max_documents)):
        if limit is not None and limit < 1:
            raise ValueError(f"{name} is at least 1, not {limit}")
    if shard is not None and not 0 <= shard[0] < shard[1]:
        raise ValueError(f"of {shard[1]} shards, the first is 0 and the last {shard[1] - 1}")
    options = _core.CorpusOptions(
        column=column,
        separator=separator,
        skip=on_error == "skip",
        max_bytes=max_bytes,
        max_documents=max_documents,
    )
    if isinstance(corpus, (str, os.PathLike)):
        sources = part_of(find_sources([os.fspath(corpus)]), shard)
        return open_sources(sources, column, options, on_error)
    if isinstance(corpus, (bytes, bytearray, Mapping)) or not isinstance(corpus, Iterable):
        raise TypeError(
            f"a corpus is a path or an iterable of documents, not {type(corpus).__name__}"
        )
    if hasattr(corpus, "columns"):
        # A data frame's items are the names of its columns, which nobody means.
        raise TypeError(f"a {type(corpus).__name__} is a table; pass one of its columns")
    items: Iterator[Any] = iter(corpus)
    first = list(take_one(items))
    if first and isinstance(first[0], os.PathLike):
        paths = [os.fspath(path) for path in chain(first, items)]
        return open_sources(part_of(find_sources(paths), shard), column, options, on_error)
    spool = _core.Spool(options)
    spool.extend(islice(chain(first, items), *(shard[0], None, shard[1]) if shard else (None,)))
    return spool.finish()


def part_of(sources: list[Source], shard: Shard | None) -> list[Source]:
    """The files of a shard.

    Raises:
        CorpusError: If there are fewer files than shards.
    """
    if shard is None:
        return sources
    number, count = shard
    if len(sources) < count:
        raise CorpusError(
            f"there are {len(sources)} files for {count} shards, which take whole files; "
            "pass fewer shards, or split the files"
        )
    return sources[number::count]


def take_one(items: Iterator[Any]) -> Iterator[Any]:
    """Yield the next item, if there is one."""
    for item in items:
        yield item
        return


def open_sources(
    sources: list[Source], column: str, options: _core.CorpusOptions, on_error: OnError
) -> _core.Corpus:
    """Open files and what else paths can name, as one corpus in this order."""
    if all(source.is_rereadable for source in sources):
        return _core.Corpus.files([source.name for source in sources], options)
    spool = _core.Spool(options)
    for source in sources:
        if spool.is_full:
            break
        if is_parquet(source.name):
            skip = spool.skip if on_error == "skip" else None
            with source.open() as file:
                spool.extend(parquet_documents(file, source.name, column, skip))
        elif source.is_rereadable:
            spool.extend_from_corpus(_core.Corpus.files([source.name], options))
        else:
            with source.open() as file:
                spool.extend_from_file(file, source.name)
    return spool.finish()


def warn_of_skipped(corpus: _core.Corpus) -> None:
    """Warn of what a corpus has skipped."""
    if messages := corpus.skipped():
        listed = "\n".join(f"  {message}" for message in messages)
        warnings.warn(f"skipped what cannot be read:\n{listed}", stacklevel=3)


def sample() -> Iterator[str]:
    """Yield the documents of the bundled sample: six English novels in 207 pieces, 2.9 MB.

    They are in the public domain; `data/README.md` beside them says where they come from.

    Example:
        >>> documents = list(sample())
        >>> len(documents), sum(len(document.encode()) for document in documents)
        (207, 2857956)
    """
    packed = resources.files("superword").joinpath("data/sample.jsonl.zst")
    with packed.open("rb") as file:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        for line in io.TextIOWrapper(unpacked, encoding="utf-8"):
            yield json.loads(line)["text"]
