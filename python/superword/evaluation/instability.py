"""Measure whether a prompt is encoded as the beginning of the text that continues it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from random import Random
from typing import NamedTuple

import numpy as np

from superword.evaluation.alignment import find_pretoken_ends
from superword.evaluation.tokenizers import AnyTokenizer
from superword.training import ProgressCallback

__all__ = ["SAMPLE_SIZE", "Instability", "Reservoir", "measure_instability"]

# How many documents are sampled, and how many characters and boundaries of each are tried.
SAMPLE_SIZE = 1000
MAX_CHARACTERS = 4096
MAX_BOUNDARIES = 16
# Documents per call of `encode_batch`.
BATCH_SIZE = 100


class Instability(NamedTuple):
    """Pretoken boundaries that were tried, and those where the prompt's encoding differs."""

    boundaries: int = 0
    unstable: int = 0


class Reservoir:
    """A uniform random sample of the documents of a stream, truncated to their beginnings."""

    def __init__(self, size: int, seed: int) -> None:
        self.texts: list[str] = []
        self._size = size
        self._random = Random(seed)
        self._seen = 0

    def offer(self, texts: list[str]) -> None:
        """Add the next documents of the stream."""
        for text in texts:
            self._seen += 1
            if len(self.texts) < self._size:
                self.texts.append(text[:MAX_CHARACTERS])
            elif self._size and (slot := self._random.randrange(self._seen)) < self._size:
                self.texts[slot] = text[:MAX_CHARACTERS]


def measure_instability(
    tok: AnyTokenizer,
    pattern: str,
    texts: Sequence[str],
    seed: int = 0,
    threads: int = 1,
    progress: ProgressCallback | None = None,
) -> Instability:
    """Count the pretoken boundaries at which a prompt is not encoded as the text's beginning.

    A boundary is unstable if `encode(text)` does not start with `encode(text[:boundary])`, for
    example because a superword crosses it. At most 16 boundaries of each text are tried.

    Example:
        >>> import superword
        >>> from superword.evaluation.tokenizers import Ours
        >>> tok = Ours(superword.train(["to be or to be", "to be"], 259))
        >>> measure_instability(tok, "gpt4o", ["to be or"])  # to| be| or
        Instability(boundaries=2, unstable=1)
    """
    random = Random(seed)
    boundaries = unstable = 0
    for start in range(0, len(texts), BATCH_SIZE):
        if progress:
            progress("instability", start, len(texts))
        families = [
            [text, *sample_prompts(text, pattern, random)]
            for text in texts[start : start + BATCH_SIZE]
        ]
        ids, offsets = tok.encode_batch(list(chain.from_iterable(families)), threads)
        encoded = iter(np.split(ids, offsets[1:-1].astype(np.intp)))
        for family in families:
            whole = next(encoded)
            for prompt in islice(encoded, len(family) - 1):
                boundaries += 1
                unstable += not np.array_equal(prompt, whole[: len(prompt)])
    return Instability(boundaries, unstable)


def sample_prompts(text: str, pattern: str, random: Random) -> Iterator[str]:
    """Yield prefixes of a text that end at random pretoken boundaries."""
    data = text.encode()
    ends = find_pretoken_ends([text], pattern)[0][:-1].tolist()
    for end in random.sample(ends, min(MAX_BOUNDARIES, len(ends))):
        yield data[:end].decode()
