"""The token sequences that cover held-back bytes, and how probable each is.

A cover is a sequence of tokens that write the held-back bytes; only its last token may write more.
Every sequence that begins with the bytes begins with exactly one cover. So the model's distribution
over all sequences, given that the text begins with these bytes, is: choose a cover in proportion to
its probability, then go on as usual. docs/transformers.md compares this with a mask on each step.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from superword.integrations.token_prefixes import TokenPrefixes

__all__ = ["Cover", "Covers", "search_covers"]

# Given lists of ids that follow the prompt, returns a row of log-probabilities of the next id for
# each.
NextLogProbabilities = Callable[[list[list[int]]], NDArray[np.floating]]


class Cover(NamedTuple):
    """A token sequence that covers the held-back bytes.

    Attributes:
        ids: Its ids, to be put after those of the prompt.
        log_probability: Its log-probability among all covers.
    """

    ids: list[int]
    log_probability: float


class CoverGroup(NamedTuple):
    """The covers that differ only in their last token: a row each of `last_ids`."""

    first_ids: list[int]
    last_ids: NDArray[np.int64]
    log_probabilities: NDArray[np.float64]


class Covers:
    """The covers of the held-back bytes of a prompt.

    Attributes:
        log_probability: The log-probability that the text goes on with the held-back bytes, over
            all covers found: a lower bound, and exact if `max_error` was 0.
        error: How far the distribution may be from the exact one, in total variation distance.
        evaluations: How many sequences the model was run on.
    """

    def __init__(self, groups: list[CoverGroup], missing: float, evaluations: int) -> None:
        self._groups = groups
        self._masses = np.array([np.logaddexp.reduce(group[2]) for group in groups])
        self.log_probability = float(np.logaddexp.reduce(self._masses))
        self.evaluations = evaluations
        # The covers that were not found have at most this share of the probability.
        self.error = float(np.exp(missing - np.logaddexp(missing, self.log_probability)))

    def __len__(self) -> int:
        """Return the number of covers found."""
        return sum(len(group.last_ids) for group in self._groups)

    def rank(self, limit: int) -> list[Cover]:
        """Return the most probable covers, the most probable first."""
        candidates = []
        for group in self._groups:
            best = np.argsort(-group.log_probabilities, kind="stable")[:limit]
            candidates += [self._cover(group, int(at)) for at in best]
        return heapq.nlargest(limit, candidates, key=lambda cover: cover.log_probability)

    def sample(self, size: int, seed: int | np.random.Generator | None = None) -> list[Cover]:
        """Draw covers with their probabilities, with replacement."""
        generator = np.random.default_rng(seed)
        chances = np.exp(self._masses - self.log_probability)
        chosen = []
        for index in generator.choice(len(self._groups), size, p=chances / chances.sum()):
            group = self._groups[index]
            chances_within = np.exp(group.log_probabilities - self._masses[index])
            at = generator.choice(len(group.last_ids), p=chances_within / chances_within.sum())
            chosen.append(self._cover(group, int(at)))
        return chosen

    def _cover(self, group: CoverGroup, at: int) -> Cover:
        log_probability = float(group.log_probabilities[at]) - self.log_probability
        return Cover([*group.first_ids, *group.last_ids[at].tolist()], log_probability)


def search_covers(
    next_log_probabilities: NextLogProbabilities,
    tokens: TokenPrefixes,
    held_back: bytes,
    *,
    max_error: float = 0.001,
    max_evaluations: int = 10_000,
    batch_size: int = 32,
) -> Covers:
    """Find the covers of held-back bytes, the most probable beginnings first.

    The model is run once for every sequence of tokens that the held-back bytes begin with, shorter
    than all of them. With `max_error=0` that is every such sequence: exponentially many in the
    bytes. The probability of a beginning bounds that of all covers that begin so, so the search
    can stop as soon as what is left is small.

    Args:
        next_log_probabilities: The model: from lists of ids that follow the prompt to a row of
            log-probabilities of the next id for each.
        tokens: The tokens that may be written.
        held_back: The held-back bytes of the prompt.
        max_error: The total variation distance from the exact distribution that is allowed.
        max_evaluations: How many sequences the model may be run on.
        batch_size: How many of them at a time.

    Raises:
        ValueError: If `max_error` is not reached within `max_evaluations`, or no token begins with
            the next byte.

    Example:
        >>> from math import exp
        >>> tokens = TokenPrefixes([(0, b"o"), (1, b"f"), (2, b"of")])
        >>> uniform = lambda batch: np.full((len(batch), 3), -np.log(3))
        >>> covers = search_covers(uniform, tokens, b"of", max_error=0)
        >>> [(cover.ids, round(exp(cover.log_probability), 3)) for cover in covers.rank(9)]
        [([2], 0.75), ([0, 1], 0.25)]
        >>> covers.evaluations, round(exp(covers.log_probability), 3)
        (2, 0.444)
    """
    if not held_back:
        nothing = CoverGroup([], np.empty((1, 0), np.int64), np.zeros(1))
        return Covers([nothing], -np.inf, 0)
    groups: list[CoverGroup] = []
    # Unfinished sequences: the most probable first. Of equals, the one that was found first.
    number = count()
    unfinished: list[tuple[float, int, list[int], bytes]] = [(0.0, next(number), [], held_back)]
    found, missing, evaluations = -np.inf, 0.0, 0
    while unfinished:
        missing = float(np.logaddexp.reduce([-cost for cost, *_ in unfinished]))
        error = np.exp(missing - np.logaddexp(missing, found))
        if error <= max_error:
            break
        room = min(batch_size, max_evaluations - evaluations, len(unfinished))
        if room <= 0:
            raise ValueError(
                f"after {evaluations:,} evaluations of the model, the error may still be "
                f"{error:.2g}; allow a larger max_error or max_evaluations, or use the mask"
            )
        batch = [heapq.heappop(unfinished) for _ in range(room)]
        rows = next_log_probabilities([ids for _, _, ids, _ in batch])
        evaluations += room
        for (cost, _, ids, rest), row in zip(batch, rows, strict=True):
            last = tokens.find_covering(rest)
            log_probabilities = np.asarray(row[last], np.float64) - cost
            if np.isfinite(mass := np.logaddexp.reduce(log_probabilities)):
                groups.append(CoverGroup(ids, last[:, None], log_probabilities))
                found = np.logaddexp(found, mass)
            for id in tokens.find_within(rest).tolist():
                if np.isfinite(row[id]):
                    longer = tokens.find_rest(rest, [id])
                    assert longer
                    more = (cost - float(row[id]), next(number), [*ids, id], longer)
                    heapq.heappush(unfinished, more)
    else:
        missing = -np.inf
    if not groups:
        raise ValueError("the model gives the held-back bytes a probability of zero")
    return Covers(groups, missing, evaluations)
