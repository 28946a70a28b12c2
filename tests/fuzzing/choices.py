"""Choices that are read from bytes, so that a fuzzer can steer them, and damage done by them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

VALUES: list[Any] = [
    *[None, True, -1, 0, 1, 2, 3, 255, 2**31, 2**32, 2**62, 2**63, 2**64, 0.5, 1e308, float("nan")],
    *["", "O", "<u2", "uint16", "float64", "..", "../x", "a\0b", "\x1b[31m", "\ud800", "9" * 5000],
    *[[], {}, [[]], [["a", 1]], {"bytes": 0}, {"a": {"b": []}}],
]


class Choices:
    """Draws choices from bytes, and from a generator seeded by them once they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data = iter(data)
        self._random = random.Random(data)

    def below(self, end: int) -> int:
        """Draw a number below `end`."""
        drawn = 0
        for _ in range(1 if end <= 256 else 4):
            byte = next(self._data, None)
            drawn = drawn << 8 | (self._random.randrange(256) if byte is None else byte)
        return drawn % end

    def chance(self, percent: int) -> bool:
        """Draw True this many times in a hundred."""
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        return items[self.below(len(items))]

    def bytes(self, most: int) -> bytes:
        """Draw up to this many bytes."""
        return bytes(self.below(256) for _ in range(self.below(most + 1)))


def damage(choices: Choices, path: Path, others: Sequence[bytes]) -> None:
    """Change a file, in one of many ways; `others` are the contents of other files."""
    content = path.read_bytes() if path.exists() else b""
    match choices.below(8):
        case 0:
            path.unlink(missing_ok=True)
            return
        case 1:
            content = content[: choices.below(len(content) + 1)]
        case 2:
            content += choices.bytes(64)
        case 3:
            content = choices.pick(others)
        case 4 | 5 if path.suffix == ".json":
            content = damage_json(choices, content)
        case _ if content:
            changed = bytearray(content)
            for _ in range(1 + choices.below(3)):
                changed[choices.below(len(changed))] = choices.below(256)
            content = bytes(changed)
    path.write_bytes(content)


def damage_json(choices: Choices, content: bytes) -> bytes:
    """Change a value of a JSON object, or remove it, or add one."""
    try:
        whole = node = json.loads(content)
    except (ValueError, RecursionError):
        return content
    if choices.chance(2):
        return b"[" * 100_000
    while isinstance(node, dict) and node:
        key = choices.pick(list(node))
        inner = node[key]
        if isinstance(inner, dict) and inner and choices.chance(80):
            node = inner
            continue
        match choices.below(10):
            case 0:
                del node[key]
            case 1:
                node["unknown"] = inner
            case 2 | 3 if type(inner) is int:
                node[key] = inner + choices.pick([-1, 1, 10, -10])
            case _:
                node[key] = choices.pick(VALUES)
        break
    return json.dumps(whole).encode()
