"""Superword tokenizers: BPE, PickyBPE and BoundlessBPE, exact and fast.

The words used here are explained in docs/algorithm.md.
"""

from superword.corpus import sample
from superword.errors import (
    CorpusError,
    ModelFormatError,
    PatternError,
    SpecialTokenError,
    SuperwordError,
    UnknownTokenError,
)
from superword.patterns import is_eligible, pretokenize

__all__ = [
    "CorpusError",
    "ModelFormatError",
    "PatternError",
    "SpecialTokenError",
    "SuperwordError",
    "UnknownTokenError",
    "is_eligible",
    "pretokenize",
    "sample",
]
