"""Training on a Spark DataFrame: executors count, Spark sums, the driver learns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from superword.corpus import CorpusOptions, WeightKeywords
from superword.counts.cuts import Cut
from superword.counts.folders import Totals
from superword.counts.key_counts import BIGRAM_BUCKETS
from superword.counts.learner import CountsLearner, check_thresholds
from superword.errors import CorpusError
from superword.keywords import expand_keywords, gather
from superword.spark.session import select_weighted_text
from superword.spark.weighting import Weighting
from superword.tokenizer import OneStageKeywords, Tokenizer, TrainingConfig
from superword.training import ResourceKeywords, Resources, show_progress
from superword.training.training import check_special_tokens, gather_config, make_tokenizer

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["Passed", "train"]

log = logging.getLogger(__name__)

# Most partitions per core. Large partitions sum more before the shuffle; small ones lose less when
# a task fails.
PARTITIONS_PER_CORE = 4


class Passed(NamedTuple):
    """A summary of one pass over the documents.

    Attributes:
        stage: `pretokens` or `fragments`.
        documents: Number of documents.
        bytes: Number of bytes of text.
        pretokens: Number of pretokens.
        rows: Number of rows shuffled.
    """

    stage: str
    documents: int
    bytes: int
    pretokens: int
    rows: int


class SparkKeywords(OneStageKeywords, WeightKeywords, ResourceKeywords, total=False):
    """The keywords of `train` that configuration objects hold."""


@expand_keywords(SparkKeywords, TrainingConfig, CorpusOptions, Resources)
def train(
    df: DataFrame,
    vocab_size: int | None = None,
    *,
    text_column: str | None = None,
    special_tokens: Sequence[str] = (),
    min_pretoken_count: int | None = None,
    min_fragment_count: int | None = None,
    report: Callable[[Passed], object] | None = None,
    config: TrainingConfig | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[SparkKeywords],
) -> Tokenizer:
    """Train a tokenizer on the documents of a DataFrame: docs/scale.md.

    The model is the same, byte for byte, as that of `superword.train` on the same documents,
    whatever the partitions. Executors read the text, twice. The driver gets distinct pretokens and
    fragments, and learns from them.

    Args:
        df: The documents, one in each row.
        vocab_size: Size of the vocabulary, without special tokens; at least 256. It may be in
            `config` instead.
        text_column: The column that holds them; or `column` in `corpus_options`.
        special_tokens: Texts that are single tokens. Their ids follow all others.
        min_pretoken_count: Leave out rarer pretokens before they reach the driver. This changes the
            model.
        min_fragment_count: Leave out rarer fragments before they reach the driver. This changes the
            model.
        report: Called with a summary of each pass.
        config: The training configuration; or its fields as keywords.
        corpus_options: Its `column` holds the documents, and `weights` and `weight_column` say how
            often they count; the other options do not apply.
        resources: Threads, memory and progress of the driver; or its fields as keywords.
        keywords: The fields of `TrainingConfig` and `Resources`, and the weights of
            `CorpusOptions`, described there.

    Raises:
        CorpusError: If the column is missing or holds null or no strings; if the documents are
            different when they are read again.
        MemoryError: If learning needs more than `memory_limit`.
        PatternError: If a regex is malformed.
        ValueError: If an option is invalid.
    """
    config = gather_config(config, vocab_size, keywords)
    config.reject_second_stage("Spark")
    resources = gather(Resources, resources, keywords)
    given = dict(keywords) if text_column is None else {**keywords, "column": text_column}
    corpus_options = gather(CorpusOptions, corpus_options, given)
    if corpus_options.without_weights() != CorpusOptions(column=corpus_options.column):
        raise ValueError("of the CorpusOptions, only column and weights apply to a DataFrame")
    check_special_tokens(special_tokens)
    thresholds = check_thresholds(min_pretoken_count, min_fragment_count)
    passes = Passes(df, corpus_options, report)
    with show_progress(resources.progress) as report_progress:
        learner = CountsLearner(config, special_tokens, resources, thresholds, report_progress)
        sums = passes.count_pretokens(config)
        try:
            pretokens = sums.collect_pretokens(thresholds.min_pretoken_count)
            threshold = learner.learn_merges(pretokens, sums.seen())
            frequent = sums.find_frequent_bigrams(threshold) if config.supermerges else None
        finally:
            sums.release()
        if not config.supermerges:
            return make_tokenizer(learner.finish_without_supermerges())
        cut, model = learner.make_cut(frequent), None
        while model is None:
            fragments = passes.count_fragments(cut, thresholds.min_fragment_count)
            model = learner.learn_supermerges(fragments, cut)
            # None means that some superword is spelled in two ways: neighbours must stay together.
            cut = cut.without_bigrams()
        return make_tokenizer(model)


class Passes:
    """Passes over the documents, which must be the same each time."""

    def __init__(
        self, df: DataFrame, options: CorpusOptions, report: Callable[[Passed], object] | None
    ) -> None:
        self._texts = select_weighted_text(df, options)
        self._column = options.column
        self._weighting = Weighting.from_options(options)
        self._report = report
        self._context = df.sparkSession.sparkContext
        most = PARTITIONS_PER_CORE * self._context.defaultParallelism
        if self._texts.rdd.getNumPartitions() > most:
            self._texts = self._texts.coalesce(most)
        self._first: Passed | None = None

    def count_pretokens(self, config: TrainingConfig) -> PretokenSums:
        """Return the sums of the first pass."""
        from superword.spark import counting

        count = partial(
            counting.count_pretokens,
            pattern=config.pattern,
            eligible=config.eligible,
            bigrams=config.supermerges,
            weighting=self._weighting,
        )
        sums = PretokenSums(self._sum_counts(count, counting.COLUMNS))
        self._check("pretokens", sums.totals)
        self._check_weights(sums.totals)
        return sums

    def count_fragments(self, cut: Cut, threshold: int | None) -> Iterator[Any]:
        """Yield the sums of the second pass."""
        from pyspark import StorageLevel

        from superword.spark import counting

        broadcast = self._context.broadcast(cut)
        count = partial(counting.count_fragments, cut=broadcast, weighting=self._weighting)
        sums = self._sum_counts(count, 1).persist(StorageLevel.DISK_ONLY)
        try:
            self._check("fragments", read_totals(sums))
            wanted = sums.filter(f"kind = {counting.FRAGMENTS} and n0 >= {threshold or 1}")
            yield from collect(wanted.selectExpr("key", "n0 as count"))
        finally:
            sums.unpersist()
            broadcast.destroy()

    def _sum_counts(self, count: Callable[..., Any], columns: int) -> DataFrame:
        """Return the sums of the counts of all partitions."""
        from pyspark.sql import functions

        names = [f"n{column}" for column in range(columns)]
        schema = "kind tinyint, key binary, " + ", ".join(f"{name} bigint" for name in names)
        sums = [functions.sum(name).alias(name) for name in names]
        return self._texts.mapInArrow(count, schema).groupBy("kind", "key").agg(*sums)

    def _check(self, stage: str, totals: dict[str, int]) -> None:
        """Reject documents that are null, or differ from those of the first pass."""
        if totals.get("nulls"):
            raise CorpusError(
                f"{totals['nulls']:,} rows are null; fill or drop them", column=self._column
            )
        names = ("documents", "bytes", "pretokens", "rows")
        passed = Passed(stage, *(totals.get(name, 0) for name in names))
        first = self._first or passed
        if passed[1:4] != first[1:4]:
            raise CorpusError(
                "the documents changed between two passes: "
                f"{first.documents:,} of {first.bytes:,} bytes at first, then "
                f"{passed.documents:,} of {passed.bytes:,}; write the DataFrame to files, or "
                "persist it, and train on that"
            )
        self._first = first
        log.info("%s", passed)
        if self._report is not None:
            self._report(passed)

    def _check_weights(self, totals: dict[str, int]) -> None:
        """Reject weights of a source that no document has."""
        from superword.spark.counting import USED_WEIGHT

        if self._weighting is None:
            return
        used = [name.removeprefix(USED_WEIGHT) for name in totals if name.startswith(USED_WEIGHT)]
        unused = self._weighting.find_unused({int(number) for number in used})
        if unused is not None:
            raise CorpusError(
                f"weights name the source {unused!r}, which no document has; correct it"
            )


class PretokenSums:
    """Sums of pretokens and bigrams, kept on the executors' disks while the driver learns."""

    def __init__(self, sums: DataFrame) -> None:
        from pyspark import StorageLevel

        self._sums = sums.persist(StorageLevel.DISK_ONLY)
        self.totals = read_totals(self._sums)

    def seen(self) -> Totals:
        """Return the numbers of documents, bytes, skipped items and pretokens."""
        names = ("documents", "bytes", "pretokens")
        return Totals(skipped=0, **{name: self.totals.get(name, 0) for name in names})

    def collect_pretokens(self, threshold: int | None) -> Iterator[Any]:
        """Yield the pretokens whose counts reach the threshold."""
        from superword.spark import counting

        wanted = self._sums.filter(f"kind = {counting.PRETOKENS} and n0 >= {threshold or 1}")
        return collect(wanted.selectExpr("key", "n0 as count"))

    def find_frequent_bigrams(self, threshold: int) -> bytes:
        """Return a bit for each bigram bucket, set if its count reaches the threshold."""
        from pyspark.sql import functions

        from superword.spark import counting

        # The counts of a partition saturate at the largest uint32.
        threshold = min(threshold, 2**32 - 1)
        columns: list[Column] = [functions.col(f"n{n}") for n in range(counting.COLUMNS)]
        some = self._sums.filter(f"kind = {counting.BIGRAMS}").filter(
            functions.greatest(*columns) >= threshold
        )
        frequent = np.zeros((BIGRAM_BUCKETS // counting.COLUMNS, counting.COLUMNS), np.bool_)
        for batch in collect(some.drop("kind")):
            rows = np.array([int.from_bytes(key) for key in batch.column("key").to_pylist()])
            for n in range(counting.COLUMNS):
                frequent[rows, n] = np.asarray(batch.column(f"n{n}")) >= threshold
        return np.packbits(frequent.reshape(-1), bitorder="little").tobytes()

    def release(self) -> None:
        """Free the executors' disks."""
        self._sums.unpersist()


def read_totals(sums: DataFrame) -> dict[str, int]:
    """Return the totals of all documents by name."""
    from superword.spark import counting

    rows = sums.filter(f"kind = {counting.TOTALS}").select("key", "n0").collect()
    return {bytes(row["key"]).decode(): row["n0"] for row in rows}


def collect(sums: DataFrame) -> Iterator[Any]:
    """Yield the batches of a DataFrame, one partition at a time."""
    from superword.spark import counting

    packed = sums.mapInArrow(counting.pack, "packed binary")
    rows = packed.toLocalIterator(prefetchPartitions=True)
    return counting.unpack(bytes(row["packed"]) for row in rows)
