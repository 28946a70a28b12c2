"""Counting a corpus in shards, and summing counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from superword import _core
from superword.atomic_files import local_path
from superword.corpus import (
    CorpusLike,
    CorpusOptions,
    ReadingKeywords,
    Shard,
    Source,
    WeightKeywords,
    find_sources,
    open_corpus,
    open_sources,
    reject_inputs,
    split_paths,
    warn_of_skipped,
)
from superword.counts import key_counts
from superword.counts.cuts import Cut
from superword.counts.folders import (
    CountedShard,
    Stage,
    Totals,
    check_files,
    check_same_settings,
    counts_file,
    find_shard,
    list_all_shards,
    list_count_files,
    list_outputs,
    write_files,
    write_shard,
)
from superword.errors import CorpusError, CountsError
from superword.keywords import expand_keywords, gather
from superword.tokenizer import TrainingConfig
from superword.training import ProgressCallback, Resources, show_progress

__all__ = ["Counted", "count", "merge_counts"]


class Counted(NamedTuple):
    """A summary of counts.

    Attributes:
        stage: `pretokens` or `fragments`.
        documents: Number of documents.
        bytes: Number of bytes of text.
        pretokens: Number of pretokens.
        keys: Number of distinct pretokens or fragments.
        is_new: Whether they were counted now; False if the folder already had them.
    """

    stage: Stage
    documents: int
    bytes: int
    pretokens: int
    keys: int
    is_new: bool


class CountKeywords(ReadingKeywords, WeightKeywords, total=False):
    """The keywords of `count` that configuration objects hold."""

    pattern: str
    eligible: str
    supermerges: bool
    threads: int | None
    memory_limit: int | str | None
    progress: bool | ProgressCallback


@expand_keywords(CountKeywords, TrainingConfig, CorpusOptions, Resources)
def count(
    corpus: CorpusLike,
    output: str | os.PathLike[str],
    *,
    shard: Shard = (0, 1),
    cut: str | os.PathLike[str] | Cut | None = None,
    config: TrainingConfig | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[CountKeywords],
) -> Counted:
    """Count a corpus, or a shard of it, into a folder to train on: docs/scale.md.

    A complete shard of the same files is not counted again.

    Args:
        corpus: A path, a glob or a folder, `-` for standard input, a URL; several paths; or any
            iterable of documents. Only files can be divided into shards.
        output: The folder; it is made if it does not exist.
        shard: `(i, n)`: shard i of n has every n-th file, from the i-th on, counted from 0.
        cut: The cut that training wrote. With it, fragments are counted; without, pretokens. Its
            pattern and eligibility are used.
        config: The training configuration; or its fields as keywords. Counting depends only on
            `pattern`, `eligible` and `supermerges`.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads, memory, progress; or its fields as keywords.
        keywords: The fields of `TrainingConfig`, `CorpusOptions` and `Resources`, described there.

    Raises:
        CountsError: If the folder has counts that do not match, or pyarrow is missing.
        CorpusError: If the corpus cannot be read.
        ValueError: If a file or a folder of the corpus would be written to.
        PatternError: If a regex is malformed.
    """
    config = gather(TrainingConfig, config, keywords)
    config.reject_second_stage("counts")
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    corpus_options.reject_limits("counts")
    resources = gather(Resources, resources, keywords)
    index, shards = shard
    if not 0 <= index < shards:
        raise ValueError(f"a shard must be i/n with i from 0 to n - 1, not {index}/{shards}")
    key_counts.import_arrow()
    cut_files = [] if cut is None or isinstance(cut, Cut) else [cut]
    cut = cut if cut is None or isinstance(cut, Cut) else Cut.load(Path(cut))
    if cut is not None:
        config = replace(config, pattern=cut.pattern, eligible=cut.eligible)
        if cut.unicode != _core.UNICODE_VERSION:
            here = _core.UNICODE_VERSION
            raise CountsError(f"the cut was made with Unicode {cut.unicode}, and this is {here}")
    folder = local_path(output)
    stage: Stage = "pretokens" if cut is None else "fragments"
    corpus, paths = split_paths(corpus)
    reject_inputs(
        [folder, *list_outputs(folder, stage, index, shards)], corpus=paths, files=cut_files
    )
    sources = list_sources(corpus, index, shards)
    new = CountedShard(
        stage=stage,
        index=index,
        shards=shards,
        pattern=config.pattern,
        eligible=config.eligible,
        unicode=_core.UNICODE_VERSION,
        sources=list_sizes(sources),
        seen=Totals(0, 0, 0, 0),
        cut=None if cut is None else cut.sha256,
        files={},
        weights=dict(corpus_options.named_weights) or None,
        weight_column=corpus_options.weight_column,
    )
    folder.mkdir(exist_ok=True)
    kinds = {"pretokens", "bigrams"} if config.supermerges else {"pretokens"}
    existing = find_existing(folder, new, {"fragments"} if cut else kinds)
    if existing is not None:
        return summarize(existing, is_new=False)
    limit = resources.memory_bytes
    if sources is None:
        opened = open_corpus(corpus, once=True, corpus_options=corpus_options, memory_limit=limit)
    else:
        opened = open_sources(sources, corpus_options, limit, once=True)
    counts = count_opened(opened, config, cut, resources)
    warn_of_skipped(opened, stacklevel=4)
    if shards == 1 and opened.unused_weight is not None:
        raise CorpusError(
            f"weights name the source {opened.unused_weight!r}, which no document has; correct it"
        )
    new = replace(new, seen=Totals(**counts.totals))
    first = find_shard(folder, "pretokens", index, shards) if cut else None
    if first is not None and first.weighting() != new.weighting():
        raise CountsError(
            f"{folder}: the pretokens of shard {index}/{shards} were counted with "
            f"{first.describe_weights()}; count the fragments with the same"
        )
    if first is not None and first.seen != new.seen:
        raise CountsError(
            f"{folder}: shard {index}/{shards} has other documents than when its pretokens were "
            f"counted: {first.seen} then, {new.seen} now; count the same files"
        )
    return summarize(write_shard(folder, new, counts), is_new=True)


def count_opened(
    corpus: _core.Corpus, config: TrainingConfig, cut: Cut | None, resources: Resources
) -> _core.SortedCounts:
    """Count the pretokens of a corpus, or its fragments if there is a cut."""
    pattern, eligible = config.pattern, config.eligible
    with show_progress(resources.progress) as report:
        if cut is not None:
            return _core.count_fragments(corpus, pattern, eligible, cut.splitter, resources, report)
        bigrams = config.supermerges
        return _core.count_pretokens(corpus, pattern, eligible, bigrams, resources, report)


def list_sources(corpus: CorpusLike, index: int, shards: int) -> list[Source] | None:
    """Return the files of a shard; None if the corpus is documents and not files."""
    if isinstance(corpus, (str, os.PathLike)):
        paths: list[object] = [corpus]
    elif isinstance(corpus, Sequence) and corpus and isinstance(corpus[0], os.PathLike):
        paths = list(corpus)
    elif shards > 1:
        raise CountsError("only files can be divided into shards; count the documents as one shard")
    else:
        return None
    sources = find_sources([os.fspath(path) for path in paths])  # type: ignore[call-overload]
    if len(sources) < shards:
        raise CountsError(
            f"{shards} shards need at least as many files, and the corpus has {len(sources)}; "
            "split the files, or use fewer shards"
        )
    return sources[index::shards]


def list_sizes(sources: Iterable[Source] | None) -> list[tuple[str, int]]:
    """Return the names of files and their sizes."""
    names = [source.name for source in sources or ()]
    return [(name, os.path.getsize(name) if os.path.isfile(name) else 0) for name in names]


def find_existing(folder: Path, new: CountedShard, kinds: set[str]) -> CountedShard | None:
    """Return the shard if the folder already has it; None if it must be counted.

    Raises:
        CountsError: If the folder has it of another corpus or with other settings.
    """
    existing = find_shard(folder, new.stage, new.index, new.shards)
    if existing is None or existing.cut != new.cut:
        return None
    name = f"{folder}: shard {new.index}/{new.shards}"
    if existing.settings() != new.settings() or set(existing.files) != kinds:
        raise CountsError(
            f"{name} was counted with pattern {existing.pattern!r}, or another eligibility, "
            "Unicode or choice of supermerges; use another folder, or remove it"
        )
    if existing.weighting() != new.weighting():
        raise CountsError(
            f"{name} was counted with {existing.describe_weights()}, not with "
            f"{new.describe_weights()}; use another folder, or remove it"
        )
    if existing.sources != new.sources:
        raise CountsError(f"{name} was counted from other files; use another folder, or remove it")
    if not new.sources:
        return None
    try:
        check_files(folder, existing)
    except CountsError:
        return None
    return existing


def summarize(shard: CountedShard, *, is_new: bool) -> Counted:
    """Return the summary of a shard."""
    seen, keys = shard.seen, shard.files[shard.stage].keys
    return Counted(shard.stage, seen.documents, seen.bytes, seen.pretokens, keys, is_new)


def merge_counts(
    inputs: Iterable[str | os.PathLike[str]], output: str | os.PathLike[str]
) -> list[Counted]:
    """Sum the counts of folders, each complete, into one folder: docs/scale.md.

    Pretokens are summed, and fragments if all folders have them, made with the same cut. Memory
    use does not depend on the size of the files.

    Raises:
        CountsError: If a folder is incomplete or damaged, or the folders do not match.
    """
    folders = [Path(folder) for folder in inputs]
    if not folders:
        raise CountsError("no counts to sum; name at least one folder")
    target = local_path(output)
    stages: tuple[Stage, ...] = ("pretokens", "fragments")
    outputs = [path for stage in stages for path in list_outputs(target, stage, 0, 1)]
    inputs = [path for folder in folders for path in [folder, *list_count_files(folder)]]
    try:
        reject_inputs([target, *outputs], files=inputs)
    except ValueError as error:
        raise CountsError(str(error)) from None
    target.mkdir(exist_ok=True)
    merged = []
    for stage in stages:
        found = [(folder, shard) for folder in folders for shard in list_all_shards(folder, stage)]
        counted = {folder for folder, _ in found}
        if counted != set(folders):
            if stage == "pretokens":
                lacking = next(folder for folder in folders if folder not in counted)
                raise CountsError(f"{lacking}: no counts of pretokens; count the corpus first")
            continue
        shards = [shard for _, shard in found]
        check_same_settings(target, shards)
        if len({shard.cut for shard in shards}) > 1:
            raise CountsError("the fragments were made with different cuts; count them with one")
        for folder, shard in found:
            check_files(folder, shard)
        new = replace(
            shards[0],
            index=0,
            shards=1,
            sources=[source for shard in shards for source in shard.sources],
            seen=Totals.add(shard.seen for shard in shards),
            files={},
            **merge_weights(shards),
        )
        kinds = {
            kind: key_counts.sum_files(
                [counts_file(folder, shard, kind) for folder, shard in found]
            )
            for kind in shards[0].files
        }
        merged.append(summarize(write_files(target, new, kinds), is_new=True))
    return merged


def merge_weights(shards: Sequence[CountedShard]) -> dict[str, Any]:
    """Return the weights that all shards have; none if they differ."""
    same = all(shard.weighting() == shards[0].weighting() for shard in shards)
    return shards[0].weighting() if same else {"weights": None, "weight_column": None}
