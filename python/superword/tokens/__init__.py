"""Token files: a corpus encoded to disk.

In reading order:
    descriptions     The description beside a token file, which is the manifest of its files.
    names            The names of these files, and names that clash.
    arrays           Arrays in files.
    existing         Checks of the files that documents are appended to.
    writers          The formats: `.npy`, `.bin`, `.parquet`, and Megatron's `.idx`.
    corpus_encoding  `encode_corpus`.
"""

from superword.tokens.corpus_encoding import Encoded, encode_corpus
from superword.tokens.names import list_outputs

__all__ = ["Encoded", "encode_corpus", "list_outputs"]
