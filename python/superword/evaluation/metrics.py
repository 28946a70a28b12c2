"""The metrics, as functions of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "bytes_per_token",
    "gini",
    "rank_counts",
    "renyi_efficiency",
    "shannon_efficiency",
    "supermerge_shares",
    "vocabulary_used",
]


def bytes_per_token(bytes: int, tokens: int) -> float:
    """Return the mean number of bytes per token; 0 if there are no tokens.

    Example:
        >>> bytes_per_token(18, 4)
        4.5
    """
    return bytes / tokens if tokens else 0.0


def renyi_efficiency(counts: ArrayLike, alpha: float = 2.5, vocab_size: int | None = None) -> float:
    """Return the Rényi entropy of a token distribution, divided by its maximum.

    See Zouhar et al. 2023, "Tokenization and the Noiseless Channel", who recommend `alpha=2.5`.
    A larger alpha gives frequent tokens more weight.

    Args:
        counts: The count of each token.
        alpha: The order of the entropy; 1 is Shannon's.
        vocab_size: The size of the vocabulary. None uses the number of tokens that occur, as
            PyPI's `tokenization-scorer` does.

    Returns:
        From 0 to 1; 1 if all tokens are equally frequent, or the vocabulary has one token.

    Raises:
        ValueError: If alpha is negative, or more tokens occur than the vocabulary has.

    Example:
        >>> renyi_efficiency([5, 5, 5, 5])
        1.0
        >>> round(renyi_efficiency([3, 1], alpha=2), 6), round(renyi_efficiency([3, 1], 2, 4), 6)
        (0.678072, 0.339036)
    """
    if alpha < 0:
        raise ValueError(f"alpha must not be negative, and is {alpha}")
    occurring = np.asarray(counts)
    occurring = occurring[occurring > 0].astype(np.float64)
    types = len(occurring) if vocab_size is None else vocab_size
    if types < len(occurring):
        raise ValueError(f"{len(occurring)} tokens occur, and the vocabulary has {types}")
    if types < 2:
        return 1.0
    if not len(occurring):
        return 0.0
    shares = occurring / occurring.sum()
    if alpha == 1:
        entropy = -np.sum(shares * np.log2(shares))
    else:
        entropy = np.log2(np.sum(shares**alpha)) / (1 - alpha)
    return float(entropy / np.log2(types))


def shannon_efficiency(counts: ArrayLike, vocab_size: int | None = None) -> float:
    """Return the Shannon entropy of a token distribution, divided by its maximum.

    Example:
        >>> round(shannon_efficiency([2, 1, 1], vocab_size=8), 6)
        0.5
    """
    return renyi_efficiency(counts, 1, vocab_size)


def vocabulary_used(counts: ArrayLike, vocab_size: int) -> float:
    """Return the share of a vocabulary that occurs at least once.

    Example:
        >>> vocabulary_used([3, 0, 1], vocab_size=4)
        0.5
    """
    return int(np.count_nonzero(counts)) / vocab_size if vocab_size else 0.0


def rank_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Sort counts in descending order.

    Example:
        >>> rank_counts([1, 5, 0, 2]).tolist()
        [5, 2, 1, 0]
    """
    return np.sort(np.asarray(counts, np.int64))[::-1]


def gini(values: ArrayLike) -> float:
    """Return the Gini coefficient: the mean absolute difference divided by twice the mean.

    Returns:
        0 if all values are equal; close to 1 if one value is the whole sum.

    Example:
        >>> gini([1, 1, 1]), gini([1, 3])
        (0.0, 0.25)
    """
    ordered = np.sort(np.asarray(values, np.float64))
    total = ordered.sum()
    if not total:
        return 0.0
    n = len(ordered)
    ranks = np.arange(1, n + 1)
    return float(np.sum((2 * ranks - n - 1) * ordered) / (n * total))


def supermerge_shares(is_supermerge: ArrayLike, interval: int = 8192) -> NDArray[np.float64]:
    """Return the share of supermerges in each group of consecutive rules.

    Args:
        is_supermerge: A flag for each merge and supermerge, in training order.
        interval: The number of rules in a group; the last group may be smaller.

    Example:
        >>> supermerge_shares([False, False, False, True, True], interval=2).tolist()
        [0.0, 0.5, 1.0]
    """
    flags = np.asarray(is_supermerge, bool)
    starts = np.arange(0, len(flags), interval)
    if not len(starts):
        return np.zeros(0)
    sizes = np.diff(np.append(starts, len(flags)))
    return np.add.reduceat(flags.astype(np.int64), starts) / sizes
