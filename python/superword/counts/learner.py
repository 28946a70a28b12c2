"""Learning from summed counts: merges from pretokens first, then supermerges from fragments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from superword import _core
from superword.counts import key_counts
from superword.counts.cuts import Cut
from superword.counts.folders import Totals
from superword.tokenizer import Tokenizer, TrainingConfig
from superword.training import ProgressCallback, Resources
from superword.training.extending import Extension

__all__ = ["CountsLearner", "ExtendedBase", "Thresholds", "check_thresholds"]


class Thresholds(NamedTuple):
    """The counts below which pretokens and fragments are left out; None to keep all."""

    min_pretoken_count: int | None
    min_fragment_count: int | None


def check_thresholds(min_pretoken_count: int | None, min_fragment_count: int | None) -> Thresholds:
    """Return valid thresholds. One of 1 leaves nothing out and becomes None.

    Raises:
        ValueError: If one is below 1.
    """
    given = Thresholds(min_pretoken_count, min_fragment_count)
    for name, threshold in given._asdict().items():
        if threshold is not None and threshold < 1:
            raise ValueError(f"{name} must be at least 1, not {threshold}")
    return Thresholds(*(None if threshold == 1 else threshold for threshold in given))


class ExtendedBase(NamedTuple):
    """A tokenizer, and how to extend it."""

    base: Tokenizer
    extension: Extension


class CountsLearner:
    """Learns merges, decides where documents are cut, and learns supermerges.

    If a tokenizer is extended, they follow its rules, and it brings its special tokens.

    Batches are `pyarrow.RecordBatch` with the columns `key` and `count`, each key once.
    """

    def __init__(
        self,
        config: TrainingConfig,
        special_tokens: Sequence[str],
        resources: Resources,
        thresholds: Thresholds,
        report: ProgressCallback | None,
        extended: ExtendedBase | None = None,
    ) -> None:
        self._config = config
        self._special_tokens = special_tokens
        self._resources = resources
        self._thresholds = thresholds
        self._report = report
        self._extended = extended
        self._learned: _core.LearnedMerges | None = None

    def learn_merges(self, pretokens: Iterable[Any], totals: Totals) -> int:
        """Learn merges, and return the lowest count of a bigram that supermerges may need."""
        sums = _core.PretokenSums(self._config, self._resources)
        for batch in pretokens:
            kept = drop_rare(batch, self._thresholds.min_pretoken_count)
            sums.add(*key_counts.to_core(kept))
        if self._extended is None:
            self._learned = sums.learn(totals, self._report)
        else:
            base, extension = self._extended
            self._learned = sums.learn_after(base._model, extension, totals, self._report)
        return self._learned.min_supermerge_count

    def make_cut(self, frequent_bigrams: bytes | None) -> Cut:
        """Return where to cut documents; `frequent_bigrams` has a bit for each bigram bucket."""
        assert self._learned is not None
        if not self._learned.may_split_rare_neighbours:
            frequent_bigrams = None
        return Cut(
            self._config.pattern,
            self._config.eligible,
            _core.UNICODE_VERSION,
            self._learned.min_supermerge_count,
            self._learned.openable_pretokens(),
            frequent_bigrams,
        )

    def learn_supermerges(self, fragments: Iterable[Any], cut: Cut) -> _core.Model | None:
        """Return the model, or None if the cut must not separate rare neighbours."""
        assert self._learned is not None
        sums = self._learned.fragment_sums()
        for batch in fragments:
            kept = drop_rare(batch, self._thresholds.min_fragment_count)
            sums.add(*key_counts.to_core(kept))
        return self._finish(sums, cut.frequent_bigrams is not None)

    def finish_without_supermerges(self) -> _core.Model:
        """Return the model with merges only."""
        model = self._finish(None, False)
        assert model is not None
        return model

    def _finish(self, sums: _core.FragmentSums | None, is_cut: bool) -> _core.Model | None:
        assert self._learned is not None
        return self._learned.finish(
            sums, is_cut, self._special_tokens, self._thresholds, self._report
        )


def drop_rare(batch: Any, threshold: int | None) -> Any:
    """Return the rows of a batch whose counts reach a threshold."""
    if threshold is None:
        return batch
    return batch.filter(key_counts.import_arrow().compute.field("count") >= threshold)
