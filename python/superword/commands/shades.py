"""Pieces of a text, told apart by colours."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

__all__ = ["SHADES", "shaded"]

SHADES = ["black on bright_cyan", "black on bright_yellow"]


def shaded(pieces: Iterable[str]) -> Text:
    """The pieces one after the other, coloured in turn."""
    return Text().join(Text(piece, SHADES[at % 2]) for at, piece in enumerate(pieces))
