"""Counting a corpus in shards, into a folder, and summing such folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from superword import _core
from superword.corpus.documents import (
    CorpusLike,
    OnError,
    open_corpus,
    open_sources,
    warn_of_skipped,
)
from superword.corpus.paths import Source, find_sources
from superword.counts import key_counts
from superword.counts.cuts import Cut
from superword.counts.folders import (
    Seen,
    Shard,
    Stage,
    check_files,
    complete,
    find,
    refuse_strangers,
    write_files,
    write_shard,
)
from superword.errors import CountsError
from superword.patterns import ELIGIBLE, compiled, eligibility
from superword.tokenizer.encoding import checked
from superword.training.progress import ProgressCallback, bar
from superword.training.resources import memory_limit_of

__all__ = ["Counted", "count", "merge_counts"]


class Counted(NamedTuple):
    """What was counted.

    Attributes:
        stage: `pretokens` or `fragments`.
        documents: How many documents.
        bytes: How many bytes of text they have.
        pretokens: How many pretokens.
        keys: How many of what was counted differ.
        is_new: Whether it was counted now, and was not there already.
    """

    stage: Stage
    documents: int
    bytes: int
    pretokens: int
    keys: int
    is_new: bool


def count(
    corpus: CorpusLike,
    output: str | os.PathLike[str],
    *,
    shard: tuple[int, int] = (0, 1),
    cut: str | os.PathLike[str] | Cut | None = None,
    pattern: str = "boundless",
    eligible: str = ELIGIBLE,
    supermerges: bool = True,
    column: str = "text",
    separator: str | None = None,
    on_error: OnError = "raise",
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | ProgressCallback = False,
) -> Counted:
    """Count a corpus, or a shard of it, into a folder, to be trained on: docs/scale.md.

    A shard that is there already, whole and of the same files, is not counted again.

    Args:
        corpus: As for `train`. Only files can be divided into shards.
        output: The folder; it is made if it is not there.
        shard: Which shard to count and how many there are: shard i of n has every n-th file, from
            the i-th on, counted from 0.
        cut: The cut that training wrote; with it, fragments are counted, without, pretokens.
        pattern: As for `train`. A cut knows it.
        eligible: As for `train`. A cut knows it.
        supermerges: Whether training is to learn supermerges.
        column: As for `train`.
        separator: As for `train`.
        on_error: As for `train`.
        threads: How many threads to use; all there are by default.
        memory_limit: How much memory to keep to; what goes beyond is kept in temporary files.
        progress: True to show a bar on a terminal, or a function to call.

    Raises:
        CountsError: If the folder has counts that do not go with these, or pyarrow is missing.
        CorpusError: If the corpus cannot be read.
        PatternError: If a regex is malformed.
    """
    index, shards = shard
    if not 0 <= index < shards:
        raise ValueError(f"a shard is i/n with i from 0 to n - 1, not {index}/{shards}")
    key_counts.arrow()
    cut = cut if cut is None or isinstance(cut, Cut) else Cut.load(Path(cut))
    if cut is not None:
        pattern, eligible = cut.pattern, cut.eligible
        if cut.unicode != _core.UNICODE_VERSION:
            here = _core.UNICODE_VERSION
            raise CountsError(f"the cut was made with Unicode {cut.unicode}, and this is {here}")
    compiled(pattern)
    eligibility(eligible)
    effort = (checked(threads), memory_limit_of(memory_limit))
    sources = listed(corpus, index, shards)
    new = Shard(
        stage="pretokens" if cut is None else "fragments",
        index=index,
        shards=shards,
        pattern=pattern,
        eligible=eligible,
        unicode=_core.UNICODE_VERSION,
        sources=sizes(sources),
        seen=Seen(0, 0, 0, 0),
        cut=None if cut is None else cut.sha256,
        files={},
    )
    folder = Path(output)
    folder.mkdir(exist_ok=True)
    kinds = {"pretokens", "bigrams"} if supermerges else {"pretokens"}
    there = counted_already(folder, new, {"fragments"} if cut else kinds)
    if there is not None:
        return summary(there, is_new=False)
    opened = (
        open_corpus(corpus, column=column, separator=separator, on_error=on_error)
        if sources is None
        else open_sources(sources, column, options(column, separator, on_error), on_error)
    )
    with bar(progress) as tell:
        if cut is None:
            counts = _core.count_pretokens(opened, pattern, eligible, supermerges, effort, tell)
        else:
            counts = _core.count_fragments(opened, pattern, eligible, cut.core, effort, tell)
    warn_of_skipped(opened)
    new = Shard(**{**vars(new), "seen": Seen(*counts.seen)})
    first = find(folder, "pretokens", index, shards) if cut else None
    if first is not None and first.seen != new.seen:
        raise CountsError(
            f"{folder}: shard {index}/{shards} has other documents than when its pretokens were "
            f"counted: {said(first.seen)} then, {said(new.seen)} now; count the same files"
        )
    return summary(write_shard(folder, new, counts), is_new=True)


def said(seen: Seen) -> str:
    """What documents hold, in words."""
    return f"{seen.documents:,} documents of {seen.bytes:,} bytes and {seen.pretokens:,} pretokens"


def listed(corpus: CorpusLike, index: int, shards: int) -> list[Source] | None:
    """List the files of a shard; None if the corpus is documents and not files."""
    if isinstance(corpus, (str, os.PathLike)):
        paths: list[object] = [corpus]
    elif isinstance(corpus, Sequence) and corpus and isinstance(corpus[0], os.PathLike):
        paths = list(corpus)
    elif shards > 1:
        raise CountsError("only files can be divided into shards; count the documents as one")
    else:
        return None
    sources = find_sources([os.fspath(path) for path in paths])  # type: ignore[call-overload]
    if len(sources) < shards:
        raise CountsError(
            f"{shards} shards need as many files, and the corpus has {len(sources)}; "
            "divide it into more, or name fewer shards"
        )
    return sources[index::shards]


def sizes(sources: Iterable[Source] | None) -> list[tuple[str, int]]:
    """The names of files and their sizes."""
    names = [source.name for source in sources or ()]
    return [(name, os.path.getsize(name) if os.path.isfile(name) else 0) for name in names]


def options(column: str, separator: str | None, on_error: OnError) -> _core.CorpusOptions:
    """How the files of a shard are read."""
    return _core.CorpusOptions(
        column=column,
        separator=separator,
        skip=on_error == "skip",
        max_bytes=None,
        max_documents=None,
    )


def counted_already(folder: Path, new: Shard, kinds: set[str]) -> Shard | None:
    """Give the shard if it is there, and is what would be counted; None if it has to be counted.

    Raises:
        CountsError: If what is there goes with another corpus or other settings.
    """
    there = find(folder, new.stage, new.index, new.shards)
    if there is None or there.cut != new.cut:
        return None
    name = f"{folder}: shard {new.index}/{new.shards}"
    if there.settings() != new.settings() or set(there.files) != kinds:
        raise CountsError(
            f"{name} was counted with pattern {there.pattern!r}, or another eligibility, Unicode "
            "or choice of supermerges; name another folder, or remove it"
        )
    if there.sources != new.sources:
        raise CountsError(f"{name} was counted from other files; name another folder, or remove it")
    if not new.sources:
        return None
    try:
        check_files(folder, there)
    except CountsError:
        return None
    return there


def summary(shard: Shard, *, is_new: bool) -> Counted:
    """What a shard has."""
    seen, keys = shard.seen, shard.files[shard.stage].keys
    return Counted(shard.stage, seen.documents, seen.bytes, seen.pretokens, keys, is_new)


def merge_counts(
    inputs: Iterable[str | os.PathLike[str]], output: str | os.PathLike[str]
) -> list[Counted]:
    """Sum the counts of folders, each complete, into one: docs/scale.md.

    What is in all of them is summed: pretokens, and fragments if they were made with the same cut.
    The files are read in portions, however large they are.

    Raises:
        CountsError: If a folder is incomplete or damaged, or they do not belong together.
    """
    folders = [Path(folder) for folder in inputs]
    if not folders:
        raise CountsError("no counts to sum; name at least one folder")
    target = Path(output)
    if target.resolve() in {folder.resolve() for folder in folders}:
        raise CountsError(f"{target}: both summed and written; name another folder for the sums")
    target.mkdir(exist_ok=True)
    merged = []
    stages: tuple[Stage, ...] = ("pretokens", "fragments")
    for stage in stages:
        found = [(folder, shard) for folder in folders for shard in complete(folder, stage)]
        if {folder for folder, _ in found} != set(folders):
            if stage == "pretokens":
                lacking = next(f for f in folders if f not in {folder for folder, _ in found})
                raise CountsError(f"{lacking}: no counts of pretokens; count the corpus first")
            continue
        shards = [shard for _, shard in found]
        refuse_strangers(target, shards)
        if len({shard.cut for shard in shards}) > 1:
            raise CountsError("fragments were made with different cuts; count them with one")
        for folder, shard in found:
            check_files(folder, shard)
        new = Shard(
            **{
                **vars(shards[0]),
                "index": 0,
                "shards": 1,
                "sources": [source for shard in shards for source in shard.sources],
                "seen": Seen.total(shard.seen for shard in shards),
                "files": {},
            }
        )
        kinds = {
            kind: key_counts.summed([folder / shard.files[kind].name for folder, shard in found])
            for kind in shards[0].files
        }
        merged.append(summary(write_files(target, new, kinds), is_new=True))
    return merged
