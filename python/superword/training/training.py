"""Training a tokenizer on a corpus."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Unpack

from superword import _core
from superword.corpus import CorpusKeywords, CorpusLike, CorpusOptions, open_corpus, warn_of_skipped
from superword.errors import CorpusError
from superword.keywords import expand_keywords, gather
from superword.tokenizer import Tokenizer, TrainingConfig, TrainingKeywords
from superword.training.progress import show_progress
from superword.training.resources import ResourceKeywords, Resources

__all__ = ["check_special_tokens", "gather_config", "make_tokenizer", "train"]


class TrainKeywords(TrainingKeywords, CorpusKeywords, ResourceKeywords, total=False):
    """The keywords of `train`."""


@expand_keywords(TrainKeywords, TrainingConfig, CorpusOptions, Resources)
def train(
    corpus: CorpusLike,
    vocab_size: int | None = None,
    *,
    special_tokens: Sequence[str] = (),
    config: TrainingConfig | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[TrainKeywords],
) -> Tokenizer:
    """Train a tokenizer.

    The result depends on the documents, in any order, and on the configuration; not on threads or
    on how the documents are divided into files.

    Args:
        corpus: A path, a glob or a folder, `-` for standard input, a URL; several paths; or any
            iterable of documents.
        vocab_size: Size of the vocabulary, without special tokens; at least 256. It may be in
            `config` instead.
        special_tokens: Texts that are single tokens. Their ids follow all others.
        config: The training configuration; or its fields as keywords.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads, memory, progress; or its fields as keywords.
        keywords: The fields of `TrainingConfig`, `CorpusOptions` and `Resources`, described there.

    Raises:
        CorpusError: If the corpus cannot be read, or holds no text.
        PatternError: If a regex is malformed, or backtracks more than a million steps.
        MemoryError: If learning needs more than `memory_limit`; the message says how much.
        ValueError: If an option is invalid.

    Example:
        >>> tok = train(["to be or not to be", "to be"], 259)
        >>> tok.vocab_size, [rule.token for rule in tok.rules if rule.kind == "supermerge"]
        (259, [b'to be'])
    """
    config = gather_config(config, vocab_size, keywords)
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    resources = gather(Resources, resources, keywords)
    check_special_tokens(special_tokens)
    opened = open_corpus(
        corpus,
        # The second stage of SuperBPE reads the text again.
        once=config.transition is None,
        corpus_options=corpus_options,
        memory_limit=resources.memory_bytes,
    )
    with show_progress(resources.progress) as report:
        model = _core.train(opened, config, special_tokens, resources, report)
    warn_of_skipped(opened, stacklevel=4)
    return make_tokenizer(model)


def gather_config(
    config: TrainingConfig | None, vocab_size: int | None, keywords: Mapping[str, object]
) -> TrainingConfig:
    """Return the configuration that a training function was given.

    Raises:
        TypeError: If there is neither a vocabulary size nor a configuration.
        ValueError: If an option is invalid, or given twice.
    """
    if vocab_size is not None:
        return gather(TrainingConfig, config, {"vocab_size": vocab_size, **keywords})
    if config is None:
        raise TypeError("vocab_size is missing; pass it, or a TrainingConfig as config")
    return gather(TrainingConfig, config, keywords)


def check_special_tokens(special_tokens: Sequence[str]) -> None:
    """Reject special tokens that are empty or repeated."""
    if not all(special_tokens) or len(set(special_tokens)) < len(special_tokens):
        raise ValueError(f"special tokens must differ and not be empty: {list(special_tokens)}")


def make_tokenizer(model: _core.Model, stacklevel: int = 4) -> Tokenizer:
    """Return the tokenizer of a new model; warn if it is smaller than requested."""
    tokenizer = Tokenizer._of(model)
    if tokenizer.training.bytes == 0:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    vocab_size = tokenizer.parameters.vocab_size
    if tokenizer.vocab_size < vocab_size:
        limits = "".join(f", or lift {name}" for name in tokenizer.parameters.limits)
        warnings.warn(
            f"the corpus has pairs for only {tokenizer.vocab_size:,} tokens, not {vocab_size:,}; "
            f"train on more text, or lower min_count{limits}",
            stacklevel=stacklevel,
        )
    return tokenizer
