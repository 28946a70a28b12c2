"""Token files: a corpus encoded to disk.

In reading order:
    writers          The formats: `.npy`, `.bin`, `.parquet`, and Megatron's `.idx`.
    corpus_encoding  `encode_corpus`.
"""

from superword.tokens.corpus_encoding import Encoded, encode_corpus

__all__ = ["Encoded", "encode_corpus"]
