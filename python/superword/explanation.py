"""How a text is encoded, step by step, as in Listing 1 of the paper."""

from __future__ import annotations

from typing import NamedTuple

from superword.rules import Rule

__all__ = ["Step"]


class Step(NamedTuple):
    """What one rule has changed.

    Attributes:
        rule: The rule; None for the start.
        units: The units after it: pretokens with their tokens, and superwords.
        changes: Where it has changed something: the unit, and the token in it.
    """

    rule: Rule | None
    units: list[list[bytes]]
    changes: list[tuple[int, int]]
