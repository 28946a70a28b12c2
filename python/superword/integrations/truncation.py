"""Which of a sequence's tokens stay when there is room for fewer, as Hugging Face chooses them."""

from __future__ import annotations

from typing import Literal

__all__ = ["room_for_pair", "windows"]

Side = Literal["left", "right"]


def windows(length: int, room: int, stride: int, side: Side) -> list[range]:
    """Cut a sequence into windows that have room; neighbours share `stride` tokens.

    The first window is what stays, and the others are what overflows.

    Args:
        length: How many tokens there are.
        room: How many a window takes.
        stride: How many of them the next one has too.
        side: Where tokens are cut off.

    Raises:
        ValueError: If windows would not get on.

    Example:
        >>> windows(10, 4, 1, "right")
        [range(0, 4), range(3, 7), range(6, 10)]
        >>> windows(10, 4, 1, "left")
        [range(6, 10), range(3, 7), range(0, 4)]
    """
    if length <= room:
        return [range(length)]
    if room <= 0:
        return [range(0)]
    if stride >= room:
        raise ValueError(
            f"stride is {stride}, and there is room for {room} tokens; it must be smaller"
        )
    starts = range(0, length - room + (room - stride), room - stride)
    cut = [range(start, min(start + room, length)) for start in starts]
    if side == "right":
        return cut
    return [range(length - window.stop, length - window.start) for window in cut]


def room_for_pair(first: int, second: int, room: int) -> tuple[int, int]:
    """Share room among two sequences: the longer one loses first, then both.

    Example:
        >>> room_for_pair(10, 3, 8), room_for_pair(10, 30, 8), room_for_pair(2, 3, 8)
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
