"""What is measured, as functions of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "bytes_per_token",
    "gini",
    "renyi_efficiency",
    "shannon_efficiency",
    "sorted_counts",
    "supermerge_shares",
    "vocabulary_used",
]


def bytes_per_token(bytes: int, tokens: int) -> float:
    """How many bytes of text a token stands for; 0 where there are no tokens.

    Example:
        >>> bytes_per_token(18, 4)
        4.5
    """
    return bytes / tokens if tokens else 0.0


def renyi_efficiency(counts: ArrayLike, alpha: float = 2.5, vocab_size: int | None = None) -> float:
    """How even a distribution of tokens is: its Rényi entropy as a share of the largest possible.

    Zouhar et al. 2023, "Tokenization and the Noiseless Channel", who advise `alpha=2.5`. The
    larger it is, the more frequent tokens weigh.

    Args:
        counts: How often each token occurs.
        alpha: The order of the entropy; 1 is Shannon's.
        vocab_size: How many tokens there could be; None for those that occur, which is what
            PyPI's `tokenization-scorer` takes.

    Returns:
        From 0 to 1; 1 if all tokens are equally frequent, or there could be only one.

    Raises:
        ValueError: If alpha is negative, or more tokens occur than there could be.

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
    """The same with Shannon's entropy.

    Example:
        >>> round(shannon_efficiency([2, 1, 1], vocab_size=8), 6)
        0.5
    """
    return renyi_efficiency(counts, 1, vocab_size)


def vocabulary_used(counts: ArrayLike, vocab_size: int) -> float:
    """The share of a vocabulary that occurs at least once.

    Example:
        >>> vocabulary_used([3, 0, 1], vocab_size=4)
        0.5
    """
    return int(np.count_nonzero(counts)) / vocab_size if vocab_size else 0.0


def sorted_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """How often each token occurs, the most frequent first.

    Example:
        >>> sorted_counts([1, 5, 0, 2]).tolist()
        [5, 2, 1, 0]
    """
    return np.sort(np.asarray(counts, np.int64))[::-1]


def gini(values: ArrayLike) -> float:
    """How unequal some amounts are: the mean difference of two as a share of twice the mean.

    Returns:
        0 if all are equal; nearly 1 if one has everything.

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
    """The share of supermerges in each group of consecutive rules; the last may be smaller.

    Args:
        is_supermerge: For each rule that joins tokens, in order, whether it is a supermerge.
        interval: How many rules a group has.

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
