"""The rules of a model, as Python sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast, overload

from superword import _core

__all__ = ["Rule", "Rules", "Step"]

Kind = Literal["merge", "supermerge", "delete"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a model.

    Attributes:
        index: Its place in the list.
        kind: `merge` joins two tokens inside a pretoken, `supermerge` two whole units, and
            `delete` splits a token.
        left: The first of the two tokens, or the one that is deleted.
        right: The second of the two; None for a delete.
        parts: What a deleted token is split into; empty for the other kinds.
        count: How often training joined the two, 0 if the model's file did not say; None for a
            delete.
    """

    index: int
    kind: Kind
    left: bytes
    right: bytes | None = None
    parts: tuple[bytes, ...] = ()
    count: int | None = None

    @property
    def token(self) -> bytes:
        """The token that the rule makes or deletes."""
        return self.left + (self.right or b"")


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


class Rules(Sequence[Rule]):
    """The rules of a model in order; each is made when it is asked for."""

    def __init__(self, model: _core.Model) -> None:
        self._model = model

    def __len__(self) -> int:
        """How many there are."""
        return self._model.rule_count

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | list[Rule]:
        """One rule, or a list of some."""
        places = range(len(self))[index]
        return self._rule(places) if isinstance(places, int) else [self._rule(i) for i in places]

    def __repr__(self) -> str:
        """How many there are."""
        return f"<{len(self)} rules>"

    def _rule(self, index: int) -> Rule:
        kind, left, right, parts, count = self._model.rule(index)
        return Rule(index, cast(Kind, kind), left, right, parts, count)
