"""Choosing the tokens that stay when a sequence is too long, as Hugging Face does."""

from __future__ import annotations

from typing import Literal

__all__ = ["divide_room", "split_windows"]

Side = Literal["left", "right"]


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
