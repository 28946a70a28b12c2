"""Training on a Spark DataFrame: executors count, Spark sums, the driver learns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from superword import _core
from superword.counts.stages import Staged, checked_thresholds
from superword.errors import CorpusError
from superword.patterns import ELIGIBLE
from superword.spark.session import text_of
from superword.tokenizer.tokenizer import Deletion, Parameters, Tokenizer
from superword.training.progress import ProgressCallback, bar
from superword.training.training import (
    checked_effort,
    checked_parameters,
    finished,
    refuse_repeated,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["Passed", "train"]

log = logging.getLogger(__name__)

# How many partitions a core counts at most. The larger they are, the more is summed before it is
# shuffled; the smaller, the less is lost with a task that fails.
PARTITIONS = 4


class Passed(NamedTuple):
    """What a pass over the documents saw.

    Attributes:
        stage: `pretokens` or `fragments`.
        documents: How many documents.
        bytes: How many bytes of text they have.
        pretokens: How many pretokens.
        rows: How many rows were shuffled.
    """

    stage: str
    documents: int
    bytes: int
    pretokens: int
    rows: int


def train(
    df: DataFrame,
    vocab_size: int,
    *,
    text_column: str = "text",
    pattern: str = "boundless",
    supermerges: bool = True,
    deletion: Deletion = "bytes",
    tau: float = 0.9,
    min_count: int = 2,
    eligible: str = ELIGIBLE,
    special_tokens: Sequence[str] = (),
    min_pretoken_count: int | None = None,
    min_fragment_count: int | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | ProgressCallback = False,
    verify_every: int | None = None,
    report: Callable[[Passed], object] | None = None,
) -> Tokenizer:
    """Train a tokenizer on the documents of a DataFrame: docs/scale.md.

    The result is that of `superword.train` on the same documents, to the byte, however they are
    divided into partitions. The text is read by executors, twice; the driver gets distinct
    pretokens and fragments, and learns on them.

    Args:
        df: The documents, a row each.
        vocab_size: As for `superword.train`, like all that is not named here.
        text_column: The column that holds them.
        pattern: As for `superword.train`.
        supermerges: As for `superword.train`.
        deletion: As for `superword.train`.
        tau: As for `superword.train`.
        min_count: As for `superword.train`.
        eligible: As for `superword.train`.
        special_tokens: As for `superword.train`.
        min_pretoken_count: Leave out pretokens that are rarer, before they reach the driver. This
            changes the model.
        min_fragment_count: Leave out fragments that are rarer, before they reach the driver. This
            changes the model.
        threads: How many threads the driver learns with.
        memory_limit: How much memory the driver keeps to.
        progress: As for `superword.train`; only learning is told of.
        verify_every: As for `superword.train`.
        report: Is called with what each pass saw, also how many rows it shuffled.

    Raises:
        CorpusError: If the column is missing or holds null or no strings; if the documents are
            not the same when they are read again.
        MemoryError: If learning would take more than `memory_limit`.
        PatternError: If a regex is malformed.
        ValueError: If a parameter makes no sense.
    """
    parameters = checked_parameters(
        Parameters(pattern, eligible, supermerges, deletion, tau, min_count, vocab_size)
    )
    effort = checked_effort(threads, memory_limit, verify_every)
    refuse_repeated(special_tokens)
    thresholds = checked_thresholds(min_pretoken_count, min_fragment_count)
    passes = Passes(df, text_column, report)
    with bar(progress) as tell:
        staged = Staged(parameters, special_tokens, effort, thresholds, tell)
        sums = passes.pretokens(parameters)
        try:
            bound = staged.learn_merges(sums.pretokens(thresholds[0]), sums.seen())
            often = sums.often(bound) if supermerges else None
        finally:
            sums.forget()
        if not supermerges:
            return finished(staged.without_supermerges())
        cut, model = staged.cut(often), None
        while model is None:
            fragments = passes.fragments(cut, thresholds[1])
            model = staged.learn_supermerges(fragments, cut)
            # If there is none, some superword is spelled in two ways, and neighbours must not be
            # cut apart.
            cut = cut.without_bigrams()
        return finished(model)


class Passes:
    """Passes over the documents, which must be the same each time."""

    def __init__(
        self, df: DataFrame, column: str, report: Callable[[Passed], object] | None
    ) -> None:
        self._texts = text_of(df, column)
        self._column = column
        self._report = report
        context = df.sparkSession.sparkContext
        most = PARTITIONS * context.defaultParallelism
        if self._texts.rdd.getNumPartitions() > most:
            self._texts = self._texts.coalesce(most)
        self._context = context
        self._first: Passed | None = None

    def pretokens(self, parameters: Parameters) -> PretokenSums:
        """The sums of the first pass."""
        from superword.spark import counting

        pattern, eligible, supermerges, *_ = parameters
        count = partial(
            counting.count_pretokens, pattern=pattern, eligible=eligible, bigrams=supermerges
        )
        sums = PretokenSums(self._summed(count, counting.COLUMNS))
        self.check("pretokens", sums.totals)
        return sums

    def fragments(self, cut: Any, threshold: int | None) -> Iterator[Any]:
        """The sums of the second pass."""
        from pyspark import StorageLevel

        from superword.spark import counting

        broadcast = self._context.broadcast(cut)
        count = partial(counting.count_fragments, cut=broadcast)
        sums = self._summed(count, 1).persist(StorageLevel.DISK_ONLY)
        try:
            self.check("fragments", totals_of(sums))
            wanted = sums.filter(f"kind = {counting.FRAGMENTS} and n0 >= {threshold or 1}")
            yield from collected(wanted.selectExpr("key", "n0 as count"))
        finally:
            sums.unpersist()
            broadcast.destroy()

    def _summed(self, count: Callable[..., Any], columns: int) -> DataFrame:
        """What executors count of their partitions, and Spark sums."""
        from pyspark.sql import functions

        names = [f"n{column}" for column in range(columns)]
        schema = "kind tinyint, key binary, " + ", ".join(f"{name} bigint" for name in names)
        sums = [functions.sum(name).alias(name) for name in names]
        return self._texts.mapInArrow(count, schema).groupBy("kind", "key").agg(*sums)

    def check(self, stage: str, totals: dict[str, int]) -> None:
        """Refuse documents that are null, or not those of the first pass."""
        if totals.get("nulls"):
            raise CorpusError(
                f"{totals['nulls']:,} rows are null; fill or drop them", column=self._column
            )
        names = ("documents", "bytes", "pretokens", "rows")
        passed = Passed(stage, *(totals.get(name, 0) for name in names))
        first = self._first or passed
        if passed[1:4] != first[1:4]:
            raise CorpusError(
                "the documents changed while they were read: "
                f"{first.documents:,} of {first.bytes:,} bytes at first, then "
                f"{passed.documents:,} of {passed.bytes:,}; write the DataFrame to files, or "
                "persist it, and train on that"
            )
        self._first = first
        log.info("%s", passed)
        if self._report is not None:
            self._report(passed)


class PretokenSums:
    """Sums of pretokens and bigrams, kept on the executors' disks while the driver learns."""

    def __init__(self, sums: DataFrame) -> None:
        from pyspark import StorageLevel

        self._sums = sums.persist(StorageLevel.DISK_ONLY)
        self.totals = totals_of(self._sums)

    def seen(self) -> tuple[int, int, int, int]:
        """Documents, bytes, items left out, and pretokens."""
        documents, size, pretokens = (
            self.totals.get(name, 0) for name in ("documents", "bytes", "pretokens")
        )
        return documents, size, 0, pretokens

    def pretokens(self, threshold: int | None) -> Iterator[Any]:
        """All pretokens that are frequent enough."""
        from superword.spark import counting

        wanted = self._sums.filter(f"kind = {counting.PRETOKENS} and n0 >= {threshold or 1}")
        return collected(wanted.selectExpr("key", "n0 as count"))

    def often(self, bound: int) -> bytes:
        """A bit for each place of bigrams, set where the bound is reached."""
        from pyspark.sql import functions

        from superword.spark import counting

        # A partition's count stops at the largest uint32.
        bound = min(bound, 2**32 - 1)
        columns: list[Column] = [functions.col(f"n{n}") for n in range(counting.COLUMNS)]
        some = self._sums.filter(f"kind = {counting.BIGRAMS}").filter(
            functions.greatest(*columns) >= bound
        )
        reached = np.zeros((_core.PLACES // counting.COLUMNS, counting.COLUMNS), np.bool_)
        for batch in collected(some.drop("kind")):
            rows = np.array([int.from_bytes(key) for key in batch.column("key").to_pylist()])
            for n in range(counting.COLUMNS):
                reached[rows, n] = np.asarray(batch.column(f"n{n}")) >= bound
        return np.packbits(reached.reshape(-1), bitorder="little").tobytes()

    def forget(self) -> None:
        """Free the disks."""
        self._sums.unpersist()


def totals_of(sums: DataFrame) -> dict[str, int]:
    """What the documents hold, by name."""
    from superword.spark import counting

    rows = sums.filter(f"kind = {counting.TOTALS}").select("key", "n0").collect()
    return {bytes(row["key"]).decode(): row["n0"] for row in rows}


def collected(sums: DataFrame) -> Iterator[Any]:
    """Yield the batches of a DataFrame, one partition at a time."""
    from superword.spark import counting

    packed = sums.mapInArrow(counting.pack, "packed binary")
    rows = packed.toLocalIterator(prefetchPartitions=True)
    return counting.unpacked(bytes(row["packed"]) for row in rows)
