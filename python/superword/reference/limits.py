"""The limits of training."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import regex

from superword.reference.pretokens import UNSPACED_LETTER, end_only


class Limits(NamedTuple):
    """The limits of training. Each removes candidates."""

    max_superwords: float = math.inf
    max_words: float = math.inf
    max_token_bytes: float = math.inf
    forbid: str | None = None
    supermerges: bool = True


NO_LIMITS = Limits()


def is_forbidden(token: bytes, forbid: str) -> bool:
    """Return whether a regex matches in a token's text; a token that is not UTF-8 has none."""
    try:
        return regex.search(end_only(forbid), token.decode()) is not None
    except UnicodeDecodeError:
        return False


@cache
def is_unspaced_word(token: bytes) -> bool:
    """Return whether a token is letters of scripts without spaces, with at most a space before."""
    try:
        return regex.fullmatch(f" ?(?:{UNSPACED_LETTER})+", token.decode()) is not None
    except UnicodeDecodeError:
        return False
