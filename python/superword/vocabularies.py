"""Published vocabularies by name: how they split text, and their special tokens.

One table serves training (`pattern="cl100k_base"`), importing and evaluation, so that a name means
the same split everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from superword import _core

__all__ = ["VOCABULARIES", "Vocabulary"]


class Vocabulary(NamedTuple):
    """What a vocabulary file of tiktoken does not hold.

    Attributes:
        pattern: The pattern that splits text: a named one, or a regex that has a scanner.
        special_tokens: The special tokens with their ids; None if the name stands for the split
            alone.
    """

    pattern: str
    special_tokens: Mapping[str, int] | None = None


VOCABULARIES: dict[str, Vocabulary] = {
    name: Vocabulary(pattern, None if special_tokens is None else dict(special_tokens))
    for name, (pattern, special_tokens) in _core.PUBLISHED_VOCABULARIES.items()
}
