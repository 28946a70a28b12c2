"""Documents from files, tables, URLs, standard input, and Python iterables."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NoReturn, TypeAlias, Unpack

from superword import _core
from superword.corpus.options import CorpusKeywords, CorpusOptions
from superword.corpus.parquet import parquet_documents
from superword.corpus.paths import Source, find_sources, find_table_format, names_a_file
from superword.corpus.rows import csv_documents, json_documents
from superword.errors import CorpusError
from superword.keywords import expand_keywords, gather

__all__ = ["CorpusLike", "Shard", "open_corpus", "open_sources", "sample", "warn_of_skipped"]

CorpusLike: TypeAlias = (
    str
    | os.PathLike[str]
    | Iterable[os.PathLike[str]]
    | Iterable[str]
    | Iterable[Mapping[str, Any]]
)
TABLE_READERS = {
    "parquet": parquet_documents,
    "csv": csv_documents,
    "json": json_documents,
}
# A corpus of names instead of documents is found out within as many.
DOCUMENTS_TO_CHECK = 16
Shard: TypeAlias = tuple[int, int]
"""`(i, n)`: every n-th file of a corpus, or document of an iterable, from the i-th on."""


@dataclass(frozen=True, kw_only=True)
class Input:
    """Documents that can be read only once: items, or a binary file that the core parses."""

    name: str | None = None
    documents: Iterable[Any] | None = None
    file: IO[bytes] | None = None


@expand_keywords(CorpusKeywords, CorpusOptions)
def open_corpus(
    corpus: CorpusLike,
    *,
    shard: Shard | None = None,
    once: bool = False,
    memory_limit: int | None = None,
    corpus_options: CorpusOptions | None = None,
    **keywords: Unpack[CorpusKeywords],
) -> _core.Corpus:
    r"""Open a corpus.

    Files of JSON lines and text are read again for each pass. Everything else (tables, standard
    input, URLs, iterables) can be read only once. It is read as it is needed if one pass is enough.
    Otherwise the first 64 MB of documents stay in memory, and the rest goes to a temporary file.

    Args:
        corpus: A path: a file, a folder (read recursively, sorted), a glob, a URL, or `-` for
            standard input. Or an iterable of `Path`: several of these. Or any other iterable:
            its items are the documents, strings or mappings (rows) that hold one in `column`.
            Files are `.jsonl`, `.txt` or `.parquet`, the first two also as `.gz`, `.zst` or
            `.bz2`; `.csv` and `.json` (an array) if they are named, and not only in a folder.
            Standard input is JSON lines if it starts with `{"`, otherwise text.
        shard: `(i, n)` to take every n-th file, or document of an iterable, from the i-th on,
            counted from 0.
        once: Whether one pass is enough.
        memory_limit: In bytes. A document above a 16th of it is refused, and less of what can be
            read only once stays in memory.
        corpus_options: The options for reading documents; or its fields as keywords.
        keywords: The fields of `CorpusOptions`.

    Raises:
        CorpusError: If there is nothing to read, or the input is malformed.
        OSError: If the system cannot read a file.

    Example:
        >>> open_corpus(["one", {"text": "two"}], max_documents=5).documents()
        ['one', 'two']
    """
    options = gather(CorpusOptions, corpus_options, keywords)
    if shard is not None and not 0 <= shard[0] < shard[1]:
        raise ValueError(f"shard {shard[0]} of {shard[1]} does not exist; the first is 0")
    if isinstance(corpus, (str, os.PathLike)):
        sources = select_shard(find_sources([os.fspath(corpus)]), shard)
        return open_sources(sources, options, memory_limit, once=once)
    if isinstance(corpus, Mapping):
        reject_dictionary(corpus)
    if isinstance(corpus, (bytes, bytearray)) or not isinstance(corpus, Iterable):
        raise TypeError(
            f"a corpus is a path or an iterable of documents, not {type(corpus).__name__}"
        )
    if hasattr(corpus, "columns"):
        # Iterating over a data frame yields column names.
        raise TypeError(f"a {type(corpus).__name__} is a table; pass one of its columns")
    items: Iterator[Any] = iter(corpus)
    first = list(islice(items, 1))
    if first and isinstance(first[0], os.PathLike):
        paths = [os.fspath(path) for path in chain(first, items)]
        sources = select_shard(find_sources(paths), shard)
        return open_sources(sources, options, memory_limit, once=once)
    start, step = shard or (0, 1)
    documents = reject_file_names(chain(first, items), options.column)
    inputs = [Input(documents=islice(documents, start, None, step))]
    weights = options.make_weights()
    return _core.Corpus.inputs(inputs, [], options, weights, once=once, memory_limit=memory_limit)


def reject_file_names(documents: Iterator[Any], column: str) -> Iterator[Any]:
    """Yield documents; reject strings that name files, as those that `glob.glob` returns.

    Only the first documents are looked at, when they are needed: a corpus of names is all names.

    Raises:
        CorpusError: If a string names a file.
    """
    for document in islice(documents, DOCUMENTS_TO_CHECK):
        if isinstance(document, str) and names_a_file(document):
            raise CorpusError(
                f"{document!r} is the name of a file, and strings in an iterable are documents; "
                "to read the files, pass [Path(name) for name in names]; "
                f"if it is a document, pass it as {{{column!r}: {document!r}}}"
            )
        yield document
    yield from documents


def reject_dictionary(corpus: Mapping[Any, Any]) -> NoReturn:
    """Reject a dictionary, such as a `DatasetDict` of Hugging Face, and say what to pass.

    Raises:
        TypeError: Always.
    """
    kind, names = type(corpus).__name__, list(corpus)
    if not names or any(isinstance(value, str) for value in corpus.values()):
        raise TypeError(
            f"a corpus is a path or an iterable of documents, not {kind}; pass rows in a list"
        )
    best = "train" if "train" in names else names[0]
    raise TypeError(
        f"a {kind} is not a corpus; pass one of its parts, such as corpus[{best!r}]: "
        f"it has {', '.join(map(repr, names))}"
    )


def select_shard(sources: list[Source], shard: Shard | None) -> list[Source]:
    """Return the files of a shard.

    Raises:
        CorpusError: If there are fewer files than shards.
    """
    if shard is None:
        return sources
    index, count = shard
    if len(sources) < count:
        raise CorpusError(
            f"{count} shards need at least as many files, and there are {len(sources)}; "
            "use fewer shards, or split the files"
        )
    return sources[index::count]


def open_sources(
    sources: list[Source],
    options: CorpusOptions,
    memory_limit: int | None = None,
    *,
    once: bool = False,
) -> _core.Corpus:
    """Open several sources as one corpus, in this order."""
    weights = options.make_weights()
    if all(source.is_rereadable for source in sources):
        return _core.Corpus.files([source.name for source in sources], options, weights)
    skipped: list[str] = []
    inputs = open_inputs(sources, options, skipped.append, memory_limit)
    return _core.Corpus.inputs(
        inputs, skipped, options, weights, once=once, memory_limit=memory_limit
    )


def open_inputs(
    sources: list[Source],
    options: CorpusOptions,
    skip: Callable[[str], None],
    memory_limit: int | None,
) -> Iterator[Input]:
    """Open sources one after the other. Each is closed when the next is asked for."""
    for source in sources:
        with source.open() as file:
            table_format = find_table_format(source.name)
            if table_format is None:
                yield Input(name=source.name, file=file)
                continue
            rows = TABLE_READERS[table_format](
                file,
                source.name,
                options.column,
                skip if options.on_error == "skip" else None,
                options.weight_column,
                memory_limit,
            )
            yield Input(name=source.name, documents=rows)


def warn_of_skipped(corpus: _core.Corpus, stacklevel: int = 3) -> None:
    """Warn of the input that a corpus has skipped."""
    if messages := corpus.skipped():
        lines = "\n".join(f"  {message}" for message in messages)
        warnings.warn(f"skipped input that cannot be read:\n{lines}", stacklevel=stacklevel)


def sample() -> Iterator[str]:
    """Yield the documents of the bundled sample: six English novels in 207 pieces, 2.9 MB.

    They are in the public domain; `data/README.md` names their sources.

    Example:
        >>> documents = list(sample())
        >>> len(documents), sum(len(document.encode()) for document in documents)
        (207, 2857956)
    """
    yield from open_corpus(Path(__file__).parent.parent / "data" / "sample.jsonl.zst").documents()
