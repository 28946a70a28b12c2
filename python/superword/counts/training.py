"""Training on a folder of counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from superword.corpus.documents import CorpusLike, OnError
from superword.counts import key_counts
from superword.counts.counting import count, said
from superword.counts.cuts import Cut, often
from superword.counts.folders import Seen, Shard, check_files, complete, found
from superword.counts.stages import Staged, checked_thresholds
from superword.errors import CountsError
from superword.patterns import ELIGIBLE
from superword.tokenizer.tokenizer import Deletion, Parameters, Tokenizer
from superword.training.progress import ProgressCallback, bar
from superword.training.training import (
    checked_effort,
    checked_parameters,
    finished,
    refuse_repeated,
)

__all__ = ["train_on_counts"]

CUT = "cut.json"


def train_on_counts(
    counts: str | os.PathLike[str],
    vocab_size: int,
    *,
    corpus: CorpusLike | None = None,
    pattern: str = "boundless",
    supermerges: bool = True,
    deletion: Deletion = "bytes",
    tau: float = 0.9,
    min_count: int = 2,
    eligible: str = ELIGIBLE,
    special_tokens: Sequence[str] = (),
    min_pretoken_count: int | None = None,
    min_fragment_count: int | None = None,
    column: str = "text",
    separator: str | None = None,
    on_error: OnError = "raise",
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | ProgressCallback = False,
    verify_every: int | None = None,
) -> Tokenizer:
    """Train a tokenizer on counts that `count` or `merge_counts` wrote: docs/scale.md.

    The result is that of `train` on the documents that were counted, to the byte.

    With supermerges the corpus is counted twice. The second count, of fragments, needs what the
    first gives: the file `cut.json`, which this function writes to the folder. If the fragments are
    not there, it counts them itself if it is given the corpus, and otherwise stops and says how to.

    Args:
        counts: The folder.
        vocab_size: As for `train`, like all that is not named here.
        corpus: The corpus, for the counts that are missing. What is there already is not counted
            again.
        pattern: What the counts were made with, and so must be `eligible`.
        supermerges: As for `train`.
        deletion: As for `train`.
        tau: As for `train`.
        min_count: As for `train`.
        eligible: As for `train`.
        special_tokens: As for `train`.
        min_pretoken_count: Leave out pretokens that are rarer. This changes the model.
        min_fragment_count: Leave out fragments that are rarer. This changes the model.
        column: As for `train`.
        separator: As for `train`.
        on_error: As for `train`.
        threads: As for `train`.
        memory_limit: As for `train`.
        progress: As for `train`.
        verify_every: As for `train`.

    Raises:
        CountsError: If the counts are incomplete, damaged, of another pattern, or made from
            documents that changed in between.
        MemoryError: If learning would take more than `memory_limit`.
        ValueError: If a parameter makes no sense.
    """
    parameters = checked_parameters(
        Parameters(pattern, eligible, supermerges, deletion, tau, min_count, vocab_size)
    )
    effort = checked_effort(threads, memory_limit, verify_every)
    refuse_repeated(special_tokens)
    thresholds = checked_thresholds(min_pretoken_count, min_fragment_count)
    folder = Path(counts)

    def count_missing(cut: Cut | None, tell: ProgressCallback | None) -> None:
        if corpus is None:
            return
        shards = next((shard.shards for shard in found(folder, "pretokens")), 1)
        for index in range(shards):
            count(
                corpus,
                folder,
                shard=(index, shards),
                cut=cut,
                pattern=pattern,
                eligible=eligible,
                supermerges=supermerges,
                column=column,
                separator=separator,
                on_error=on_error,
                threads=threads,
                memory_limit=memory_limit,
                progress=tell or False,
            )

    with bar(progress) as tell:
        count_missing(None, tell)
        pretokens = pretoken_shards(folder, parameters)
        seen = Seen.total(shard.seen for shard in pretokens)
        staged = Staged(parameters, special_tokens, effort, thresholds, tell)
        bound = staged.learn_merges(summed(folder, pretokens, "pretokens"), seen.as_tuple())
        if not supermerges:
            return finished(staged.without_supermerges())
        cut = staged.cut(often(summed(folder, pretokens, "bigrams"), bound))
        model = None
        if {shard.cut for shard in found(folder, "fragments")} == {cut.without_bigrams().sha256}:
            # It was found out before.
            cut = cut.without_bigrams()
        while model is None:
            cut.save(folder / CUT)
            count_missing(cut, tell)
            fragments = fragment_shards(folder, cut, seen)
            model = staged.learn_supermerges(summed(folder, fragments, "fragments"), cut)
            # If there is none, some superword is spelled in two ways, and neighbours must not be
            # cut apart.
            cut = cut.without_bigrams()
        return finished(model)


def summed(folder: Path, shards: Sequence[Shard], kind: str) -> Iterator[object]:
    """The sums over all shards, once their files are known to be whole."""
    return key_counts.summed([folder / shard.files[kind].name for shard in shards])


def pretoken_shards(folder: Path, parameters: Parameters) -> list[Shard]:
    """The shards of pretokens.

    Raises:
        CountsError: If there are none, or they do not go with the parameters.
    """
    shards = complete(folder, "pretokens")
    if not shards:
        raise CountsError(f"{folder}: no counts there; superword count CORPUS -o {folder}")
    counted, wanted = shards[0], parameters
    if (counted.pattern, counted.eligible) != (wanted.pattern, wanted.eligible):
        raise CountsError(
            f"{folder}: counted with pattern {counted.pattern!r} and eligible "
            f"{counted.eligible!r}, not {wanted.pattern!r} and {wanted.eligible!r}; "
            "train with those, or count again"
        )
    if wanted.supermerges and "bigrams" not in counted.files:
        raise CountsError(f"{folder}: counted for training without supermerges; count again")
    for shard in shards:
        check_files(folder, shard)
    return shards


def fragment_shards(folder: Path, cut: Cut, seen: Seen) -> list[Shard]:
    """The shards of fragments.

    Raises:
        CountsError: If they have to be counted first, or are of other documents.
    """
    shards = complete(folder, "fragments")
    if not shards or any(shard.cut != cut.sha256 for shard in shards):
        why = "were made with another cut" if shards else "are not counted yet"
        raise CountsError(
            f"{folder}: the fragments {why}; superword count CORPUS -o {folder} "
            f"--cut {folder / CUT}, in the same shards as before, and then train again"
        )
    for shard in shards:
        check_files(folder, shard)
    again = Seen.total(shard.seen for shard in shards)
    if again != seen:
        raise CountsError(
            f"{folder}: the fragments are of other documents than the pretokens: "
            f"{said(seen)} then, {said(again)} now; count the same files"
        )
    return shards
