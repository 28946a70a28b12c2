"""JSON on standard output: the one place that prints it."""

from __future__ import annotations

import json
import sys
from typing import Any

__all__ = ["dump_json", "encodes_unicode", "print_json"]


def print_json(value: Any) -> None:
    """Print a value as JSON. Whatever else a command says goes to standard error."""
    sys.stdout.write(dump_json(value, is_ascii=not encodes_unicode()) + "\n")


def encodes_unicode() -> bool:
    """Return whether standard output can encode every character."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def dump_json(value: Any, *, is_ascii: bool = False) -> str:
    r"""Return a value as JSON that shows on a terminal what it says.

    Control characters, invisible ones and lone surrogates are escaped. Objects, and lists of
    objects, are indented; texts, ids, and lists of them take one line.

    Example:
        >>> print(dump_json(["café", "\x9b2J\u202e", "\U000e0001"]))
        ["café", "\u009b2J\u202e", "\udb40\udc01"]
    """
    first = value[0] if isinstance(value, list) and value else value
    indent = 2 if isinstance(first, dict) else None
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent, allow_nan=False)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
