"""The difference of two models, with a paired bootstrap over documents. Depends on numpy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["BitsDifference", "bootstrap_difference"]

SAMPLES = 2000
CONFIDENCE = 0.95


class BitsDifference(NamedTuple):
    """The bits per byte of a second model minus those of a first, on the same documents.

    Attributes:
        difference: The difference; negative if the second model is better.
        relative: The difference as a share of the first model's; None if that is 0.
        low: The lower end of the 95 % interval of the difference; None below two documents.
        high: Its upper end.
    """

    difference: float
    relative: float | None
    low: float | None
    high: float | None


def bootstrap_difference(
    first_bits: ArrayLike,
    second_bits: ArrayLike,
    sizes: ArrayLike,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
) -> BitsDifference:
    """Return the difference of two models in bits per byte, with its interval.

    Each sample draws as many documents as there are, with replacement, and the same ones for both
    models. The interval holds the middle 95 % of the samples' differences.

    Args:
        first_bits: The bits of each document by the first model.
        second_bits: The bits of each document by the second model.
        sizes: The bytes of each document. Empty documents are left out.
        samples: The number of samples.
        seed: Seed of the samples.

    Raises:
        ValueError: If there are no bytes, or no samples.

    Example:
        >>> found = bootstrap_difference([8, 30, 12], [8, 27, 11], [10, 20, 10])
        >>> found.difference, found.relative
        (-0.1, -0.08)
        >>> round(found.low, 4), round(found.high, 4)
        (-0.15, 0.0)
    """
    size = np.asarray(sizes, np.float64)
    first = np.asarray(first_bits, np.float64)[size > 0]
    change = np.asarray(second_bits, np.float64)[size > 0] - first
    size = size[size > 0]
    if not len(size):
        raise ValueError("there is no text to compare on: all documents are empty")
    if samples < 1:
        raise ValueError(f"samples must be at least 1, not {samples}")
    difference = float(change.sum() / size.sum())
    relative = float(change.sum() / first.sum()) if first.sum() else None
    if len(size) < 2:
        return BitsDifference(difference, relative, None, None)
    draw = np.random.default_rng(seed).integers
    differences = np.empty(samples)
    for at in range(samples):
        drawn = draw(len(size), size=len(size))
        differences[at] = change[drawn].sum() / size[drawn].sum()
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(differences, [tail, 1 - tail])
    return BitsDifference(difference, relative, float(low), float(high))
