"""Vocabulary files of tiktoken: lines of a token in base 64 and its rank."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from superword.errors import ModelFormatError

__all__ = ["read_ranks"]


def read_ranks(path: Path) -> dict[bytes, int] | None:
    """Read a vocabulary file; None if it does not begin like one."""
    with path.open("rb") as file:
        if rank_of(file.readline(4096)) is None:
            return None
        file.seek(0)
        lines = file.read().splitlines()
    ranks = {}
    for number, line in enumerate(lines, 1):
        if line:
            if (ranked := rank_of(line)) is None:
                message = "no token in base 64 and its rank, as in other lines"
                raise ModelFormatError(f"{path}, line {number}: {message}")
            ranks[ranked[0]] = ranked[1]
    return ranks


def rank_of(line: bytes) -> tuple[bytes, int] | None:
    """The token and the rank of a line.

    Example:
        >>> rank_of(b"IHRoZQ== 262"), rank_of(b"word v1")
        ((b' the', 262), None)
    """
    token, _, rank = line.strip().partition(b" ")
    try:
        return (base64.b64decode(token, validate=True), int(rank)) if token else None
    except (binascii.Error, ValueError):
        return None
