"""The paired bootstrap over documents, against a plain twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superword.evaluation.bootstrap import BitsDifference, bootstrap_difference


def bootstrap_slowly(
    first: list[float], second: list[float], sizes: list[int], samples: int, seed: int
) -> BitsDifference:
    """Do the same with lists, from the same draws."""
    rows = [row for row in zip(first, second, sizes, strict=True) if row[2]]
    generator = np.random.default_rng(seed)
    differences = []
    for _ in range(samples):
        drawn = [rows[int(at)] for at in generator.integers(len(rows), size=len(rows))]
        one, two, size = (math.fsum(column) for column in zip(*drawn, strict=True))
        differences.append(two / size - one / size)
    differences.sort()

    def quantile(share: float) -> float:
        below = math.floor(share * (samples - 1))
        rest = share * (samples - 1) - below
        ends = differences[below], differences[min(below + 1, samples - 1)]
        return (1 - rest) * ends[0] + rest * ends[1]

    one, two, size = (math.fsum(column) for column in zip(*rows, strict=True))
    relative = two / one - 1 if one else None
    if len(rows) < 2:
        return BitsDifference((two - one) / size, relative, None, None)
    return BitsDifference((two - one) / size, relative, quantile(0.025), quantile(0.975))


BITS = st.integers(0, 10**6).map(lambda sixteenths: sixteenths / 16)
DOCUMENT = st.tuples(BITS, BITS, st.one_of(st.just(0), st.integers(1, 10**6)))


@given(
    st.lists(DOCUMENT, min_size=1, max_size=12).filter(lambda rows: any(row[2] for row in rows)),
    st.integers(1, 60),
    st.integers(0, 5),
)
def test_the_interval_is_that_of_the_plain_twin(
    rows: list[tuple[float, float, int]], samples: int, seed: int
) -> None:
    first, second, sizes = map(list, zip(*rows, strict=True))
    found = bootstrap_difference(first, second, sizes, samples=samples, seed=seed)
    expected = bootstrap_slowly(first, second, sizes, samples, seed)
    scale = max(max(row[:2]) / row[2] for row in rows if row[2])
    for value, other in zip(found, expected, strict=True):
        if other is None:
            assert value is None
        else:
            assert value == pytest.approx(other, rel=1e-9, abs=1e-9 * max(scale, 1))


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    generator = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        sizes = generator.integers(100, 1000, 60)
        first = sizes * generator.normal(1, 0.3, 60)
        second = first - sizes * generator.normal(0.02, 0.05, 60)
        found = bootstrap_difference(first, second, sizes, samples=200, seed=trial)
        assert found.low is not None and found.high is not None
        covered += found.low <= -0.02 <= found.high
    assert 175 <= covered <= 199


def test_documents_are_paired() -> None:
    """The difference is the same in all documents, however much they differ."""
    first, sizes = np.array([10.0, 500.0, 3.0]), np.array([10, 100, 1])
    found = bootstrap_difference(first, first - 0.5 * sizes, sizes)
    assert found.low == pytest.approx(-0.5)
    assert found.high == pytest.approx(-0.5)


def test_one_document_has_no_interval() -> None:
    found = bootstrap_difference([10, 0, 0], [5, 0, 0], [10, 0, 0])
    assert found == BitsDifference(-0.5, -0.5, None, None)


def test_a_first_model_of_no_bits_has_no_relative_difference() -> None:
    assert bootstrap_difference([0, 0], [1, 1], [1, 1]) == BitsDifference(1.0, None, 1.0, 1.0)


def test_no_text_and_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="all documents are empty"):
        bootstrap_difference([0], [0], [0])
    with pytest.raises(ValueError, match="samples must be at least 1, not 0"):
        bootstrap_difference([1], [1], [1], samples=0)
