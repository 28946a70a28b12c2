"""Training on sums: on the counts of pretokens first, then on those of fragments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from superword import _core
from superword.counts import key_counts
from superword.counts.cuts import Cut
from superword.tokenizer.tokenizer import Parameters
from superword.training.progress import ProgressCallback

__all__ = ["Staged", "Thresholds", "checked_thresholds"]

Thresholds = tuple[int | None, int | None]
"""The counts below which pretokens and fragments are left out, if any are to be."""


def checked_thresholds(
    min_pretoken_count: int | None, min_fragment_count: int | None
) -> Thresholds:
    """Refuse thresholds that make no sense; one that leaves nothing out is none."""
    given = {"min_pretoken_count": min_pretoken_count, "min_fragment_count": min_fragment_count}
    for name, threshold in given.items():
        if threshold is not None and threshold < 1:
            raise ValueError(f"{name} must be at least 1, not {threshold}")
    pretoken, fragment = (None if number == 1 else number for number in given.values())
    return pretoken, fragment


class Staged:
    """Learns merges, says where documents are to be cut, and learns supermerges.

    Batches are `pyarrow.RecordBatch` with the columns `key` and `count`, each key once.
    """

    def __init__(
        self,
        parameters: Parameters,
        special_tokens: Sequence[str],
        effort: tuple[int, int | None, int | None],
        thresholds: Thresholds,
        tell: ProgressCallback | None,
    ) -> None:
        self._parameters = parameters
        self._special_tokens = special_tokens
        self._effort = effort
        self._thresholds = thresholds
        self._tell = tell
        self._merged: _core.Merged | None = None

    def learn_merges(self, pretokens: Iterable[Any], seen: tuple[int, int, int, int]) -> int:
        """Learn merges, and give the count that neighbours must reach to matter."""
        sums = _core.Pretokens(self._parameters, self._effort)
        for batch in pretokens:
            sums.add(*key_counts.as_rows(at_least(self._thresholds[0], batch)))
        self._merged = sums.learn(seen, self._tell)
        return self._merged.bound

    def cut(self, often: bytes | None) -> Cut:
        """Say where to cut; `often` has a bit for each place of bigrams."""
        assert self._merged is not None
        pattern, eligible = self._parameters.pattern, self._parameters.eligible
        words, bound = self._merged.words(), self._merged.bound
        return Cut(pattern, eligible, _core.UNICODE_VERSION, bound, words, often)

    def learn_supermerges(self, fragments: Iterable[Any], cut: Cut) -> _core.Model | None:
        """Give the model, or None if the documents must be cut without regard to neighbours."""
        assert self._merged is not None
        sums = self._merged.fragments()
        for batch in fragments:
            sums.add(*key_counts.as_rows(at_least(self._thresholds[1], batch)))
        return self._finish(sums, cut.often is not None)

    def without_supermerges(self) -> _core.Model:
        """Give the model that has merges only."""
        model = self._finish(None, False)
        assert model is not None
        return model

    def _finish(self, sums: _core.FragmentSums | None, is_cut: bool) -> _core.Model | None:
        assert self._merged is not None
        return self._merged.finish(sums, is_cut, self._special_tokens, self._thresholds, self._tell)


def at_least(threshold: int | None, batch: Any) -> Any:
    """The keys that are not left out."""
    if threshold is None:
        return batch
    return batch.filter(key_counts.arrow().compute.field("count") >= threshold)
