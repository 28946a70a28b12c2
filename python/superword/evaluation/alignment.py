"""Compare the boundaries of tokens with those of pretokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.patterns import compile_pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Alignment", "align", "find_pretoken_ends"]


class Alignment(NamedTuple):
    """Counts of pretokens and tokens by how their boundaries relate.

    Attributes:
        pretokens: All pretokens.
        single: Pretokens that are exactly one token.
        inside: Pretokens that lie whole within a larger token.
        words: Pretokens with a letter.
        whole_words: Words that no token boundary divides.
        pieces: The number of tokens that overlap a word, summed over words.
        byte_tokens: Tokens of one byte.
        subword_tokens: Longer tokens that are neither a whole pretoken nor a superword.
        word_tokens: Longer tokens that are exactly one pretoken.
        superword_tokens: Tokens that are superwords.
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
        """Return the sum of two alignments."""
        return Alignment(*map(sum, zip(self, other, strict=True)))


def align(
    token_ends: NDArray[np.int64],
    is_superword: NDArray[np.bool_],
    pretoken_ends: NDArray[np.int64],
    words: NDArray[np.int64],
) -> Alignment:
    """Count how tokens align with pretokens.

    Several texts may be concatenated if each end of a text is an end of a token and a pretoken.

    Args:
        token_ends: The end of each token, in bytes; the last is the end of the text.
        is_superword: Whether each token is a superword.
        pretoken_ends: The end of each pretoken, in bytes.
        words: The indices of the pretokens with a letter.

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

    is_token_end = mark_boundaries(token_ends, size)
    # The number of tokens that end at or before each byte offset.
    ended = np.cumsum(is_token_end, dtype=np.int32)
    # Token ends strictly within each pretoken.
    cuts = ended[pretoken_ends] - ended[starts] - is_token_end[pretoken_ends]
    is_whole = cuts == 0
    is_single = is_whole & is_token_end[starts] & is_token_end[pretoken_ends]

    is_pretoken_end = mark_boundaries(pretoken_ends, size)
    ended = np.cumsum(is_pretoken_end, dtype=np.int32)
    is_pretoken = (
        is_pretoken_end[token_starts]
        & is_pretoken_end[token_ends]
        & (ended[token_ends] - ended[token_starts] == 1)
    )
    is_byte = token_ends - token_starts == 1
    superwords = count_true(is_superword & ~is_byte)
    whole = count_true(is_pretoken & ~is_byte & ~is_superword)
    single_bytes = count_true(is_byte)
    return Alignment(
        pretokens=len(pretoken_ends),
        single=count_true(is_single),
        inside=count_true(is_whole & ~is_single),
        words=len(words),
        whole_words=count_true(is_whole[words]),
        pieces=len(words) + int(cuts[words].sum()),
        byte_tokens=single_bytes,
        subword_tokens=len(token_ends) - single_bytes - whole - superwords,
        word_tokens=whole,
        superword_tokens=superwords,
    )


def count_true(flags: NDArray[np.bool_]) -> int:
    """Count the flags that are set, as an int that JSON accepts."""
    return int(np.count_nonzero(flags))


def mark_boundaries(ends: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """Return a mask over the byte offsets of a text: its start and all ends are set."""
    mask = np.zeros(size + 1, bool)
    mask[0] = True
    mask[ends] = True
    return mask


def find_pretoken_ends(
    texts: Sequence[str], pattern: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ends of the pretokens in the concatenated texts, and which have a letter.

    Example:
        >>> ends, words = find_pretoken_ends(["To be!", "No"], "gpt4o")
        >>> ends.tolist(), words.tolist()
        ([2, 5, 6, 8], [0, 1, 3])
    """
    ends, words = compile_pattern(pattern).ends(texts)
    return ends.view(np.int64), words.view(np.int64)
