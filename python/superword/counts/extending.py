"""Extending a tokenizer on a folder of counts."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Unpack

from superword.atomic_files import local_path
from superword.corpus import CorpusLike, CorpusOptions, ReadingKeywords, WeightKeywords
from superword.counts.learner import CountsLearner, ExtendedBase, Thresholds
from superword.counts.training import learn_on_counts
from superword.interop import import_tokenizer
from superword.keywords import expand_keywords, gather
from superword.tokenizer import Tokenizer, TrainingConfig
from superword.training import ResourceKeywords, Resources, show_progress
from superword.training.extending import Extension, ExtensionKind, Limits, make_extended

__all__ = ["extend_on_counts"]


class CountsExtensionKeywords(ReadingKeywords, WeightKeywords, ResourceKeywords, total=False):
    """The keywords of `extend_on_counts` that configuration objects hold."""


@expand_keywords(CountsExtensionKeywords, CorpusOptions, Resources)
def extend_on_counts(
    base: Tokenizer | str | os.PathLike[str],
    counts: str | os.PathLike[str],
    add: int,
    *,
    corpus: CorpusLike | None = None,
    kind: ExtensionKind = "superwords",
    min_count: int = TrainingConfig.min_count,
    max_superwords: int | float | None = None,
    max_words: int | None = None,
    max_token_bytes: int | None = None,
    forbid: str | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[CountsExtensionKeywords],
) -> Tokenizer:
    """Extend a tokenizer on counts that `count` or `merge_counts` wrote: docs/extending.md.

    The model is the same, byte for byte, as that of `extend` on the counted documents. Superwords
    need a second count, as for `train_on_counts`.

    Args:
        base: A tokenizer without added tokens, or its file.
        counts: The folder. The corpus must be counted with the pattern and the eligibility of the
            base.
        add: Number of tokens to add.
        corpus: The corpus, if missing shards are to be counted.
        kind: As for `extend`; so are `min_count` and the limits.
        min_count: Lowest count at which a pair is merged.
        max_superwords: With `kind="both"`, the most superwords in the extended vocabulary.
        max_words: Most words of a new token; by default that of the base.
        max_token_bytes: Most bytes of a new token; by default that of the base.
        forbid: Regex that must not match in a new token's text; by default that of the base.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads, memory, progress; or its fields as keywords.
        keywords: The fields of `CorpusOptions` and `Resources`, described there.

    Raises:
        MissingFragmentsError: If the first pass is done, and the second is not. Its attribute `cut`
            is the path of `cut.json`.
        CountsError: If the counts are incomplete, damaged, of another pattern, or made from
            documents that changed in between; if the base has added tokens.
        ModelFormatError: If the base is not a tokenizer, or cannot be reproduced.
        MemoryError: If learning needs more than `memory_limit`.
        ValueError: If an option is invalid.
    """
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    corpus_options.reject_limits("counts")
    if corpus is None:
        corpus_options.reject_weights("existing counts; pass them to count, or name the corpus")
    resources = gather(Resources, resources, keywords)
    limits = Limits(max_superwords, max_words, max_token_bytes, forbid)
    extension = Extension(kind, add, min_count, limits)
    if not isinstance(base, Tokenizer):
        base = import_tokenizer(base)
    extended = ExtendedBase(base, extension.of(base))
    # What counting depends on.
    config = TrainingConfig(
        pattern=base.parameters.pattern,
        eligible=base.parameters.eligible,
        supermerges=kind != "merges",
    )
    with show_progress(resources.progress) as report:
        resources = replace(resources, progress=report or False)
        thresholds = Thresholds(None, None)
        learner = CountsLearner(config, (), resources, thresholds, report, extended)
        model = learn_on_counts(
            learner, local_path(counts), corpus, config, corpus_options, resources
        )
        return make_extended(model, base, add)
