"""Reading documents.

In reading order:
    paths      What a path names: a file, a folder, a glob, a URL, standard input.
    parquet    Documents from Parquet tables.
    documents  `open_corpus`, which opens any of these, and the bundled `sample`.
"""

from superword.corpus.documents import CorpusLike, open_corpus, sample

__all__ = ["CorpusLike", "open_corpus", "sample"]
