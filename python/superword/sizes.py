"""Sizes in bytes: a number, or a text such as `5MB`."""

from __future__ import annotations

import re
from decimal import Decimal

__all__ = ["parse_size"]


def parse_size(size: int | str) -> int:
    """Return a size in bytes.

    Raises:
        ValueError: If it is not a size.

    Example:
        >>> parse_size("1GB"), parse_size("1.5 MB"), parse_size("2 GiB"), parse_size(42)
        (1000000000, 1500000, 2147483648, 42)
    """
    if isinstance(size, int) and not isinstance(size, bool):
        return size
    text = size if isinstance(size, str) else ""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError(
            f"a size must be a number of bytes, or like '1GB' or '512MiB', not {size!r}"
        )
    number, prefix, binary = match.groups()
    base = 1024 if binary else 1000
    # Not a float: that would round large numbers.
    return int(Decimal(number) * base ** " KMGT".index(prefix.upper() or " "))
