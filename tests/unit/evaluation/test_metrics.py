"""The metrics, against values computed by hand and against `tokenization-scorer`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tokenization_scorer
from hypothesis import given
from hypothesis import strategies as st

from superword.evaluation.metrics import (
    bytes_per_token,
    gini,
    rank_counts,
    renyi_efficiency,
    shannon_efficiency,
    supermerge_shares,
    vocabulary_used,
)


def test_bytes_per_token() -> None:
    assert bytes_per_token(9, 2) == 4.5
    assert bytes_per_token(0, 0) == 0


def test_renyi_efficiency_by_hand() -> None:
    # Shares 1/2, 1/4, 1/4: their squares sum to 3/8.
    assert renyi_efficiency([2, 1, 1], 2) == pytest.approx(math.log2(8 / 3) / math.log2(3))
    assert renyi_efficiency([2, 1, 1], 2, vocab_size=16) == pytest.approx(math.log2(8 / 3) / 4)
    # Order 2.5: 2^-2.5 + 2 * 4^-2.5 = 2^-2.5 + 2^-4.
    entropy = math.log2(2**-2.5 + 2**-4) / -1.5
    assert renyi_efficiency([2, 1, 1], vocab_size=4) == pytest.approx(entropy / 2)
    # Order 0 counts types, whatever their shares.
    assert renyi_efficiency([100, 1], 0, vocab_size=4) == pytest.approx(0.5)


def test_shannon_efficiency_by_hand() -> None:
    assert shannon_efficiency([2, 1, 1]) == pytest.approx(1.5 / math.log2(3))
    assert shannon_efficiency([2, 1, 1], vocab_size=8) == pytest.approx(0.5)


def test_tokens_that_do_not_occur_count_only_in_the_vocabulary() -> None:
    assert renyi_efficiency([2, 0, 1, 1, 0]) == renyi_efficiency([2, 1, 1])


def test_efficiency_of_one_token_or_none() -> None:
    assert renyi_efficiency([7]) == 1
    assert renyi_efficiency([], vocab_size=10) == 0
    assert renyi_efficiency([7], vocab_size=10) == 0


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="3 tokens occur, and the vocabulary has 2"):
        renyi_efficiency([1, 1, 1], vocab_size=2)
    with pytest.raises(ValueError, match="alpha must not be negative"):
        renyi_efficiency([1], alpha=-1)


@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=12),
    st.sampled_from([0.5, 1.5, 2.0, 2.5, 3.0, 7.0]),
    st.integers(0, 50),
)
def test_renyi_efficiency_is_that_of_tokenization_scorer(
    counts: list[int], alpha: float, more: int
) -> None:
    text = " ".join(f"t{token}" for token, count in enumerate(counts) for _ in range(count))
    theirs = tokenization_scorer.score([text], metric="renyi", power=alpha)
    assert renyi_efficiency(counts, alpha) == pytest.approx(theirs, abs=1e-9)
    size = len(counts) + more
    theirs = tokenization_scorer.score([text], metric="renyi", power=alpha, vocab=size)
    assert renyi_efficiency(counts, alpha, size) == pytest.approx(theirs, abs=1e-9)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=12))
def test_shannon_efficiency_is_that_of_tokenization_scorer(counts: list[int]) -> None:
    text = " ".join(f"t{token}" for token, count in enumerate(counts) for _ in range(count))
    theirs = tokenization_scorer.score([text], metric="shannon_efficiency")
    assert shannon_efficiency(counts) == pytest.approx(theirs, abs=1e-9)


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=20))
def test_efficiency_falls_with_its_order_and_with_the_vocabulary(counts: list[int]) -> None:
    by_order = [renyi_efficiency(counts, alpha) for alpha in (0, 0.5, 1, 2, 2.5, 4)]
    assert all(a >= b - 1e-12 for a, b in zip(by_order, by_order[1:], strict=False))
    assert renyi_efficiency(counts, vocab_size=len(counts) + 1) <= renyi_efficiency(counts) <= 1.001


def test_vocabulary_used() -> None:
    assert vocabulary_used([0, 3, 1], 6) == pytest.approx(1 / 3)
    assert vocabulary_used([], 0) == 0


def test_counts_are_sorted_downwards() -> None:
    assert rank_counts([0, 9, 4, 9]).tolist() == [9, 9, 4, 0]


def test_gini_by_hand() -> None:
    assert gini([5, 5]) == 0
    # All pairs of 1, 2, 3 differ by 1, 1, 2: twice 4 over 9 pairs is 8/9, over twice the mean 2.
    assert gini([3, 1, 2]) == pytest.approx(8 / 9 / 4)
    # One of four has everything: 3/4.
    assert gini([0, 0, 0, 8]) == 0.75
    assert gini([]) == gini([0, 0]) == 0


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8))
def test_gini_is_half_the_relative_mean_difference(values: list[float]) -> None:
    differences = np.abs(np.subtract.outer(values, values)).mean()
    assert gini(values) == pytest.approx(differences / (2 * np.mean(values)))


def test_shares_of_supermerges() -> None:
    rules = [False] * 4 + [True, False] + [True] * 3
    assert supermerge_shares(rules, 4).tolist() == [0, 0.75, 1]
    assert supermerge_shares([], 4).tolist() == []
