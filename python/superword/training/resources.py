"""Sizes of memory, as people write them."""

from __future__ import annotations

import re

from superword import _core

__all__ = ["bytes_of", "memory_limit_of"]

LEAST_MEMORY = _core.LEAST_MEMORY


def memory_limit_of(memory_limit: int | str | None) -> int | None:
    """Read a limit of memory.

    Raises:
        ValueError: If it is no size, or too small.
    """
    limit = None if memory_limit is None else bytes_of(memory_limit)
    if limit is not None and limit < LEAST_MEMORY:
        raise ValueError(f"memory_limit must be at least 256 MB, not {memory_limit!r}")
    return limit


def bytes_of(size: int | str) -> int:
    """Read a size in bytes, which may have a unit.

    Example:
        >>> bytes_of("1GB"), bytes_of("1.5 MB"), bytes_of("2 GiB"), bytes_of(42)
        (1000000000, 1500000, 2147483648, 42)
    """
    if isinstance(size, int):
        return size
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", size, re.IGNORECASE)
    if found is None:
        raise ValueError(f"a size is a number of bytes or like '1GB' or '512MiB', not {size!r}")
    number, prefix, binary = found.groups()
    base = 1024 if binary else 1000
    return int(float(number) * base ** " KMGT".index(prefix.upper() or " "))
