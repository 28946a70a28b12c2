"""Superword tokenizers: BPE, PickyBPE and BoundlessBPE, exact and fast.

The words used here are explained in docs/algorithm.md.
"""

from superword.corpus.documents import sample
from superword.counts.counting import Counted, count, merge_counts
from superword.counts.training import train_on_counts
from superword.errors import (
    CorpusError,
    CountsError,
    ExportError,
    ModelFormatError,
    PatternError,
    SpecialTokenError,
    SuperwordError,
    UnknownTokenError,
)
from superword.interop.exporting import export
from superword.patterns import is_eligible, pretokenize
from superword.tokenizer.encoding import DecodeStream, Offsets
from superword.tokenizer.prompts import Prompt
from superword.tokenizer.rules import Rule, Step
from superword.tokenizer.tokenizer import Tokenizer, load
from superword.tokens.corpus_encoding import encode_corpus
from superword.training.extending import extend
from superword.training.training import train

__all__ = [
    "CorpusError",
    "Counted",
    "CountsError",
    "DecodeStream",
    "ExportError",
    "ModelFormatError",
    "Offsets",
    "PatternError",
    "Prompt",
    "Rule",
    "SpecialTokenError",
    "Step",
    "SuperwordError",
    "Tokenizer",
    "UnknownTokenError",
    "count",
    "encode_corpus",
    "export",
    "extend",
    "is_eligible",
    "load",
    "merge_counts",
    "pretokenize",
    "sample",
    "train",
    "train_on_counts",
]
