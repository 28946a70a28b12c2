"""Choosing the tokens that stay when a sequence is too long, as Hugging Face does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Literal

__all__ = ["truncate"]

Side = Literal["left", "right"]


def truncate(
    lengths: Sequence[int], room: int | None, strategy: str, stride: int | None, side: Side
) -> list[tuple[range, ...]]:
    """Return the windows of each row of an example: first the row that stays, then the others.

    Args:
        lengths: Number of tokens of each sequence, one or two.
        room: Number of tokens in a row; None for any.
        strategy: `longest_first`, `only_first`, `only_second` or `do_not_truncate`.
        stride: Number of tokens that the next row repeats; None for no further rows.
        side: The side at which tokens are cut off.

    Raises:
        ValueError: If the strategy leaves no tokens, or `stride` is not smaller than the room.

    Example:
        >>> truncate([6, 2], 6, "only_first", 1, "right")
        [(range(0, 4), range(0, 2)), (range(3, 6), range(0, 2))]
    """
    if room is None or strategy == "do_not_truncate" or sum(lengths) <= room:
        return [tuple(map(range, lengths))]
    if strategy == "longest_first" and len(lengths) == 2:
        if stride is not None:
            raise ValueError(
                "overflowing tokens of a pair need truncation='only_first' or 'only_second', "
                "not 'longest_first'"
            )
        rooms = divide_room(lengths[0], lengths[1], max(room, 0))
        shares = zip(lengths, rooms, strict=True)
        return [tuple(split_windows(length, share, 0, side)[0] for length, share in shares)]
    which = 1 if strategy == "only_second" else 0
    left = room - (sum(lengths) - lengths[which]) if which < len(lengths) else 0
    if left <= 0 and (len(lengths) == 2 or which == 1):
        raise ValueError(
            f"truncation={strategy!r} cannot reach max_length; "
            "truncate the other sequence, or both with 'longest_first'"
        )
    windows = [[range(length)] for length in lengths]
    windows[which] = split_windows(lengths[which], left, stride or 0, side)
    rows = list(product(*windows))
    return rows[:1] if stride is None else rows


def split_windows(length: int, room: int, stride: int, side: Side) -> list[range]:
    """Split a sequence into windows of `room` tokens; neighbours share `stride` tokens.

    The first window stays, and the others overflow.

    Args:
        length: Number of tokens.
        room: Number of tokens in a window.
        stride: Number of tokens that the next window repeats.
        side: The side at which tokens are cut off.

    Raises:
        ValueError: If `stride` is not smaller than `room`.

    Example:
        >>> split_windows(10, 4, 1, "right")
        [range(0, 4), range(3, 7), range(6, 10)]
        >>> split_windows(10, 4, 1, "left")
        [range(6, 10), range(3, 7), range(0, 4)]
    """
    if length <= room:
        return [range(length)]
    if room <= 0:
        return [range(0)]
    if stride >= room:
        raise ValueError(f"stride must be smaller than the room for tokens, {room}, not {stride}")
    starts = range(0, length - room + (room - stride), room - stride)
    split = [range(start, min(start + room, length)) for start in starts]
    if side == "right":
        return split
    return [range(length - window.stop, length - window.start) for window in split]


def divide_room(first: int, second: int, room: int) -> tuple[int, int]:
    """Divide room between two sequences: the longer one is cut first, then both.

    Example:
        >>> divide_room(10, 3, 8), divide_room(10, 30, 8), divide_room(2, 3, 8)
        ((5, 3), (4, 4), (2, 3))
    """
    if first + second <= room:
        return first, second
    shorter = min(first, second)
    longer = shorter if shorter > room else max(shorter, room - shorter)
    if shorter + longer > room:
        shorter = room // 2
        longer = shorter + room % 2
    return (longer, shorter) if first > second else (shorter, longer)
