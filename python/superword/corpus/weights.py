"""Weights: how often the documents of each source count."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

__all__ = ["parse_weights"]


def parse_weights(weights: Mapping[str, int] | str) -> dict[str, int]:
    """Return the weight of each source, from a mapping or from a text such as `code=2,*=1`.

    Raises:
        ValueError: If a weight is not an integer from 0 on, or nothing is named.

    Example:
        >>> parse_weights("code=2,*=1")
        {'code': 2, '*': 1}
    """
    named = read_pairs(weights) if isinstance(weights, str) else dict(weights)
    if not named:
        raise ValueError("weights name no source; write them like 'code=2,*=1'")
    return {name: check_weight(name, weight) for name, weight in named.items()}


def read_pairs(text: str) -> dict[str, object]:
    """Return the names and weights of a text; a weight that is not an integer stays a text.

    Raises:
        ValueError: If it is not of the form NAME=N,NAME=N.
    """
    pairs: dict[str, object] = {}
    for pair in text.split(","):
        name, separator, weight = (part.strip() for part in pair.rpartition("="))
        if not separator or not name:
            raise ValueError(f"weights must be like 'code=2,*=1', not {text!r}")
        if name in pairs:
            raise ValueError(f"weights name {name!r} twice; name it once")
        digits = weight.removeprefix("-")
        pairs[name] = int(weight) if digits.isascii() and digits.isdecimal() else weight
    return pairs


def check_weight(name: str, weight: Any) -> int:
    """Return a weight as an integer.

    Raises:
        ValueError: If it is not an integer from 0 on, or too large.
    """
    if not isinstance(name, str):
        raise ValueError(f"weights are named by strings, not {name!r}")
    try:
        number = -1 if isinstance(weight, bool) else operator.index(weight)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"the weight of {name!r} must be an integer from 0 on, not {weight!r}")
    if number >= 2**62:
        raise ValueError(f"the weight of {name!r} must be less than 2^62, not {weight!r}")
    return number
