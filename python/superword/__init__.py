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

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

    __version__: str

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

if not TYPE_CHECKING:
    # The modules of these names, each after those that it imports. They are imported when a name
    # is first used, so that `import superword` takes no time.
    MODULES = (
        *("errors", "patterns", "corpus", "tokenizer", "interop"),
        *("training", "tokens", "counts", "evaluation"),
    )

    def __getattr__(name: str) -> object:
        """Import what is asked for: a public name, one of their modules, or the version."""
        if name == "__version__":
            from superword.version import find_version

            return find_version()
        if name in MODULES:
            return import_module(f"superword.{name}")
        if name in __all__:
            modules = (import_module(f"superword.{each}") for each in MODULES)
            value = next(getattr(each, name) for each in modules if name in each.__all__)
            return globals().setdefault(name, value)
        raise AttributeError(f"module 'superword' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted([*__all__, *MODULES, "__version__"])
