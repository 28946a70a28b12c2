"""Training on a folder of counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from superword import _core
from superword.atomic_files import local_path
from superword.corpus import CorpusLike, CorpusOptions, ReadingKeywords, WeightKeywords
from superword.counts import key_counts
from superword.counts.counting import count
from superword.counts.cuts import Cut, find_frequent_bigrams
from superword.counts.folders import (
    CUT_FILE,
    CountedShard,
    Totals,
    check_files,
    counts_file,
    list_all_shards,
    list_shards,
)
from superword.counts.learner import CountsLearner, check_thresholds
from superword.errors import CountsError, MissingFragmentsError
from superword.keywords import expand_keywords, gather
from superword.tokenizer import OneStageKeywords, Tokenizer, TrainingConfig
from superword.training import ResourceKeywords, Resources, show_progress
from superword.training.training import check_special_tokens, gather_config, make_tokenizer

__all__ = ["learn_on_counts", "train_on_counts"]


class CountsTrainingKeywords(
    OneStageKeywords, ReadingKeywords, WeightKeywords, ResourceKeywords, total=False
):
    """The keywords of `train_on_counts` that configuration objects hold."""


@expand_keywords(CountsTrainingKeywords, TrainingConfig, CorpusOptions, Resources)
def train_on_counts(
    counts: str | os.PathLike[str],
    vocab_size: int | None = None,
    *,
    corpus: CorpusLike | None = None,
    special_tokens: Sequence[str] = (),
    min_pretoken_count: int | None = None,
    min_fragment_count: int | None = None,
    config: TrainingConfig | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[CountsTrainingKeywords],
) -> Tokenizer:
    """Train a tokenizer on counts that `count` or `merge_counts` wrote: docs/scale.md.

    The model is the same, byte for byte, as that of `train` on the counted documents.

    With supermerges, the corpus is counted twice. The second count, of fragments, needs the result
    of the first: the file `cut.json`, which this function writes to the folder. If fragments are
    missing and the corpus is given, they are counted; otherwise `MissingFragmentsError` says how.

    Args:
        counts: The folder.
        vocab_size: Size of the vocabulary, without special tokens; at least 256. It may be in
            `config` instead.
        corpus: The corpus, if missing shards are to be counted.
        special_tokens: Texts that are single tokens. Their ids follow all others.
        min_pretoken_count: Leave out pretokens that are rarer. This changes the model.
        min_fragment_count: Leave out fragments that are rarer. This changes the model.
        config: The training configuration; or its fields as keywords. `pattern` and `eligible` must
            be those that the corpus was counted with.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads, memory, progress; or its fields as keywords.
        keywords: The fields of `TrainingConfig`, `CorpusOptions` and `Resources`, described there.

    Raises:
        MissingFragmentsError: If the first pass is done, and the second is not. Its attribute `cut`
            is the path of `cut.json`.
        CountsError: If the counts are incomplete, damaged, of another pattern, or made from
            documents that changed in between.
        MemoryError: If learning needs more than `memory_limit`.
        ValueError: If an option is invalid.
    """
    config = gather_config(config, vocab_size, keywords)
    config.reject_second_stage("counts")
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    corpus_options.reject_limits("counts")
    if corpus is None:
        corpus_options.reject_weights("existing counts; pass them to count, or name the corpus")
    resources = gather(Resources, resources, keywords)
    check_special_tokens(special_tokens)
    thresholds = check_thresholds(min_pretoken_count, min_fragment_count)
    folder = local_path(counts)
    with show_progress(resources.progress) as report:
        resources = replace(resources, progress=report or False)
        learner = CountsLearner(config, special_tokens, resources, thresholds, report)
        return make_tokenizer(
            learn_on_counts(learner, folder, corpus, config, corpus_options, resources)
        )


def learn_on_counts(
    learner: CountsLearner,
    folder: Path,
    corpus: CorpusLike | None,
    config: TrainingConfig,
    corpus_options: CorpusOptions,
    resources: Resources,
) -> _core.Model:
    """Learn from the counts of a folder. If a corpus is given, missing counts are added.

    Raises:
        MissingFragmentsError: If the first pass is done, and the second is not.
        CountsError: If the counts do not match.
    """
    if corpus is not None:
        count_missing(corpus, folder, None, config, corpus_options, resources)
    pretokens = check_pretokens(folder, config)
    seen = Totals.add(shard.seen for shard in pretokens)
    threshold = learner.learn_merges(sum_shards(folder, pretokens, "pretokens"), seen)
    if not config.supermerges:
        return learner.finish_without_supermerges()
    bigrams = sum_shards(folder, pretokens, "bigrams")
    cut = learner.make_cut(find_frequent_bigrams(bigrams, threshold))
    counted_with = {shard.cut for shard in list_shards(folder, "fragments")}
    if counted_with == {cut.without_bigrams().sha256}:
        # An earlier call found that neighbours must stay together.
        cut = cut.without_bigrams()
    model = None
    while model is None:
        cut.save(folder / CUT_FILE)
        if corpus is not None:
            count_missing(corpus, folder, cut, config, corpus_options, resources)
        fragments = check_fragments(folder, cut, seen)
        model = learner.learn_supermerges(sum_shards(folder, fragments, "fragments"), cut)
        # None means that some superword is spelled in two ways: neighbours must stay together.
        cut = cut.without_bigrams()
    return model


def count_missing(
    corpus: CorpusLike,
    folder: Path,
    cut: Cut | None,
    config: TrainingConfig,
    corpus_options: CorpusOptions,
    resources: Resources,
) -> None:
    """Count pretokens, or with a cut fragments, in as many shards as the folder has."""
    shards = next((shard.shards for shard in list_shards(folder, "pretokens")), 1)
    for index in range(shards):
        count(
            corpus,
            folder,
            shard=(index, shards),
            cut=cut,
            config=config,
            corpus_options=corpus_options,
            resources=resources,
        )


def sum_shards(folder: Path, shards: Sequence[CountedShard], kind: str) -> Iterator[object]:
    """Yield the sums over all shards."""
    return key_counts.sum_files([counts_file(folder, shard, kind) for shard in shards])


def check_pretokens(folder: Path, config: TrainingConfig) -> list[CountedShard]:
    """Return the shards of pretokens.

    Raises:
        CountsError: If there are none, or they do not match the configuration.
    """
    shards = list_all_shards(folder, "pretokens")
    if not shards:
        raise CountsError(f"{folder}: no counts there; superword count CORPUS -o {folder}")
    counted = shards[0]
    if (counted.pattern, counted.eligible) != (config.pattern, config.eligible):
        raise CountsError(
            f"{folder}: counted with pattern {counted.pattern!r} and eligible "
            f"{counted.eligible!r}, not {config.pattern!r} and {config.eligible!r}; "
            "use those, or count again"
        )
    if config.supermerges and "bigrams" not in counted.files:
        raise CountsError(f"{folder}: counted for training without supermerges; count again")
    for shard in shards:
        check_files(folder, shard)
    return shards


def check_fragments(folder: Path, cut: Cut, seen: Totals) -> list[CountedShard]:
    """Return the shards of fragments.

    Raises:
        MissingFragmentsError: If there are none yet.
        CountsError: If they were made with another cut, or are of other documents.
    """
    shards = list_all_shards(folder, "fragments")
    cut_file = folder / CUT_FILE
    remedy = (
        f"superword count CORPUS -o {folder} --cut {cut_file}, in the same shards as before, "
        "and then try again"
    )
    if not shards:
        message = f"{folder}: the fragments are not counted yet; {remedy}"
        raise MissingFragmentsError(message, cut_file)
    if any(shard.cut != cut.sha256 for shard in shards):
        raise CountsError(f"{folder}: the fragments were made with another cut; {remedy}")
    for shard in shards:
        check_files(folder, shard)
    now = Totals.add(shard.seen for shard in shards)
    if now != seen:
        raise CountsError(
            f"{folder}: the fragments are of other documents than the pretokens: "
            f"{seen} then, {now} now; count the same files"
        )
    return shards
