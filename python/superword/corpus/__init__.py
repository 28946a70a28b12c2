"""Reading documents.

In reading order:
    options    `CorpusOptions`: the options for reading.
    paths      The sources that a path names: a file, a folder, a glob, a URL, standard input.
    parquet    Documents from Parquet tables.
    documents  `open_corpus`, which opens any of these, and the bundled `sample`.
"""

from superword.corpus.documents import CorpusLike, open_corpus, sample
from superword.corpus.options import CorpusOptions

__all__ = ["CorpusLike", "CorpusOptions", "open_corpus", "sample"]
