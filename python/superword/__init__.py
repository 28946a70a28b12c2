"""Superword tokenizers: BPE, PickyBPE, BoundlessBPE and SuperBPE, exact and fast.

In reading order, each stage importing only earlier ones:
    reference     The specification in slow, plain Python; docs/algorithm.md explains it.
    vocabularies  Published vocabularies by name: their splits and special tokens.
    patterns      The patterns that split text into pretokens.
    corpus        Reading documents.
    tokenizer     A trained tokenizer.
    interop       Files of other libraries.
    training      Training on a corpus, and extending a tokenizer.
    tokens        A corpus as a file of tokens.
    counts        Training on counts, for corpora of any size.
    spark         The same on Spark.
    integrations  Hugging Face transformers, datatrove.
    evaluation    Measuring and comparing tokenizers, and pruning them.
    reproduction  The experiments of the paper.
    playground    Tokenizers side by side in the browser.
    commands      The command line.
"""

import typing

from superword.corpus import CorpusOptions, sample
from superword.counts import Counted, count, extend_on_counts, merge_counts, train_on_counts
from superword.errors import (
    CorpusError,
    CountsError,
    ExportError,
    MissingFragmentsError,
    ModelFormatError,
    PatternError,
    SpecialTokenError,
    SuperwordError,
    UnknownTokenError,
)
from superword.evaluation import prune
from superword.interop import export, open_base
from superword.patterns import is_eligible, pretokenize
from superword.tokenizer import (
    DecodeStream,
    EncodeStream,
    Offsets,
    Prompt,
    Rule,
    Step,
    Tokenizer,
    TrainingConfig,
    load,
)
from superword.tokens import encode_corpus
from superword.training import Resources, extend, map_ids, measure_changes, train

__all__ = [
    "CorpusError",
    "CorpusOptions",
    "Counted",
    "CountsError",
    "DecodeStream",
    "EncodeStream",
    "ExportError",
    "MissingFragmentsError",
    "ModelFormatError",
    "Offsets",
    "PatternError",
    "Prompt",
    "Resources",
    "Rule",
    "SpecialTokenError",
    "Step",
    "SuperwordError",
    "Tokenizer",
    "TrainingConfig",
    "UnknownTokenError",
    "count",
    "encode_corpus",
    "export",
    "extend",
    "extend_on_counts",
    "is_eligible",
    "load",
    "map_ids",
    "measure_changes",
    "merge_counts",
    "open_base",
    "pretokenize",
    "prune",
    "sample",
    "train",
    "train_on_counts",
]

if typing.TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """Look the version up when it is asked for: that reads files."""
        if name == "__version__":
            from superword.version import find_version

            return find_version()
        raise AttributeError(f"module 'superword' has no attribute {name!r}")
