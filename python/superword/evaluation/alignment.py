"""How the tokens of a text lie on its pretokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.patterns import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Alignment", "align", "pretoken_ends"]


class Alignment(NamedTuple):
    """What tokens make of pretokens, and what pretokens say of tokens. All are counts.

    Attributes:
        pretokens: The pretokens.
        single: Those that are exactly one token.
        inside: Those that lie within a larger token, whole.
        words: The pretokens that have a letter.
        whole_words: The words that no token divides.
        pieces: For each word the tokens that have a byte of it, summed up.
        byte_tokens: The tokens of one byte.
        subword_tokens: The tokens of more bytes that are neither of the following.
        word_tokens: The tokens of more bytes that are exactly one pretoken.
        superword_tokens: The tokens that are superwords.
    """

    pretokens: int = 0
    single: int = 0
    inside: int = 0
    words: int = 0
    whole_words: int = 0
    pieces: int = 0
    byte_tokens: int = 0
    subword_tokens: int = 0
    word_tokens: int = 0
    superword_tokens: int = 0

    def plus(self, other: Alignment) -> Alignment:
        """The counts of two texts together."""
        return Alignment(*map(sum, zip(self, other, strict=True)))


def align(
    token_ends: NDArray[np.int64],
    is_superword: NDArray[np.bool_],
    pretoken_ends: NDArray[np.int64],
    words: NDArray[np.int64],
) -> Alignment:
    r"""Lay tokens on pretokens.

    Texts may be put together: the end of one is then an end of both.

    Args:
        token_ends: Where each token ends, in bytes; the last is the end of the text.
        is_superword: Whether each token is a superword.
        pretoken_ends: Where each pretoken ends.
        words: Which of the pretokens have a letter.

    Example:
        `To| be| un|aided|!|` as the tokens `To be`, ` un`, `aid`, `ed` and `!`:

        >>> tokens, pretokens = np.array([5, 8, 11, 13, 14]), np.array([2, 5, 13, 14])
        >>> superword = np.array([True, False, False, False, False])
        >>> counts = align(tokens, superword, pretokens, np.array([0, 1, 2]))
        >>> counts.pretokens, counts.single, counts.inside
        (4, 1, 2)
        >>> counts.words, counts.whole_words, counts.pieces
        (3, 2, 5)
        >>> counts[6:]
        (1, 3, 0, 1)
    """
    if not len(token_ends) or not len(pretoken_ends):
        return Alignment()
    size = int(token_ends[-1])
    token_starts = np.concatenate(([0], token_ends[:-1]))
    starts = np.concatenate(([0], pretoken_ends[:-1]))

    is_token_end = ends_as_mask(token_ends, size)
    # How many tokens end before each byte, or at it.
    ended = np.cumsum(is_token_end, dtype=np.int32)
    # The ends strictly within a pretoken.
    cuts = ended[pretoken_ends] - ended[starts] - is_token_end[pretoken_ends]
    is_whole = cuts == 0
    is_single = is_whole & is_token_end[starts] & is_token_end[pretoken_ends]

    is_pretoken_end = ends_as_mask(pretoken_ends, size)
    ended = np.cumsum(is_pretoken_end, dtype=np.int32)
    is_pretoken = (
        is_pretoken_end[token_starts]
        & is_pretoken_end[token_ends]
        & (ended[token_ends] - ended[token_starts] == 1)
    )
    is_byte = token_ends - token_starts == 1
    superwords = count(is_superword & ~is_byte)
    whole = count(is_pretoken & ~is_byte & ~is_superword)
    single_bytes = count(is_byte)
    return Alignment(
        pretokens=len(pretoken_ends),
        single=count(is_single),
        inside=count(is_whole & ~is_single),
        words=len(words),
        whole_words=count(is_whole[words]),
        pieces=len(words) + int(cuts[words].sum()),
        byte_tokens=single_bytes,
        subword_tokens=len(token_ends) - single_bytes - whole - superwords,
        word_tokens=whole,
        superword_tokens=superwords,
    )


def count(flags: NDArray[np.bool_]) -> int:
    """How many are set, as a number that JSON takes."""
    return int(np.count_nonzero(flags))


def ends_as_mask(ends: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """For each place in a text, its start included, whether something ends there."""
    mask = np.zeros(size + 1, bool)
    mask[0] = True
    mask[ends] = True
    return mask


def pretoken_ends(
    texts: Sequence[str], pattern: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the pretokens of texts end, in their bytes put together, and which have a letter.

    Example:
        >>> ends, words = pretoken_ends(["To be!", "No"], "gpt4o")
        >>> ends.tolist(), words.tolist()
        ([2, 5, 6, 8], [0, 1, 3])
    """
    ends, words = compiled(pattern).ends(texts)
    return np.frombuffer(ends, np.int64), np.frombuffer(words, np.int64)
