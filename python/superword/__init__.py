"""Superword tokenizers: BPE, PickyBPE and BoundlessBPE, exact and fast.

The words used here are explained in docs/algorithm.md.
"""

from superword.corpus import sample
from superword.counting import Counted, count, merge_counts
from superword.counts_training import train_on_counts
from superword.encoding import DecodeStream, Offsets
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
from superword.explanation import Step
from superword.exporting import export
from superword.extending import extend
from superword.patterns import is_eligible, pretokenize
from superword.prompts import Prompt
from superword.rules import Rule
from superword.token_files import encode_corpus
from superword.tokenizer import Tokenizer, load
from superword.training import train

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
