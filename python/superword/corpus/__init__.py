"""Reading documents.

In reading order:
    weights    How often the documents of each source count.
    options    `CorpusOptions`: the options for reading.
    remote     Files behind URLs.
    paths      The sources that a path names: a file, a folder, a glob, a URL, standard input.
    parquet    Documents from Parquet tables.
    rows       Documents from CSV files and JSON arrays.
    documents  `open_corpus`, which opens any of these, and the bundled `sample`.
    inputs     Outputs that are inputs are refused.
"""

from superword.corpus.documents import (
    CorpusLike,
    Shard,
    open_corpus,
    open_sources,
    sample,
    warn_of_skipped,
)
from superword.corpus.inputs import reject_inputs, split_paths
from superword.corpus.options import (
    CorpusKeywords,
    CorpusOptions,
    LimitedReadingKeywords,
    ReadingKeywords,
    WeightKeywords,
)
from superword.corpus.paths import RawPath, Source, find_sources

__all__ = [
    "CorpusKeywords",
    "CorpusLike",
    "CorpusOptions",
    "LimitedReadingKeywords",
    "RawPath",
    "ReadingKeywords",
    "Shard",
    "Source",
    "WeightKeywords",
    "find_sources",
    "open_corpus",
    "open_sources",
    "reject_inputs",
    "sample",
    "split_paths",
    "warn_of_skipped",
]
