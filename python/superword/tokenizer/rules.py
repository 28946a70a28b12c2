"""The rules of a model, and the steps of an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, cast, overload

from superword import _core

__all__ = ["Rule", "RuleKind", "Rules", "Step"]

RuleKind = Literal["merge", "supermerge", "delete"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a model.

    Attributes:
        index: Its position in the list of rules.
        kind: `merge` joins two tokens inside a pretoken, `supermerge` joins two whole units, and
            `delete` splits a token.
        left: The first token of the pair, or the deleted token.
        right: The second token of the pair; None for a delete.
        parts: The tokens that a deleted token is split into; empty for the other kinds.
        count: The count of the pair in training, 0 if the model file does not say; None for a
            delete.
    """

    index: int
    kind: RuleKind
    left: bytes
    right: bytes | None = None
    parts: tuple[bytes, ...] = ()
    count: int | None = None

    @property
    def token(self) -> bytes:
        """The token that the rule makes or deletes."""
        return self.left + (self.right or b"")


if TYPE_CHECKING:
    # What type checkers know of a rule: `if rule.kind != "delete"`, then `rule.right` is `bytes`.
    # When the program runs, all are of the class `Rule`.

    class MergeRule(Rule):
        """A merge or a supermerge."""

        kind: Literal["merge", "supermerge"]
        right: bytes
        count: int

    class DeleteRule(Rule):
        """A delete."""

        kind: Literal["delete"]
        right: None
        count: None

    AnyRule = MergeRule | DeleteRule
else:
    AnyRule = Rule


class Step(NamedTuple):
    """The effect of one rule on a text.

    Attributes:
        rule: The rule; None for the start, and for the last step of a pruned model, in which other
            tokens replace those that were removed.
        units: The units after it: pretokens with their tokens, and superwords.
        changes: The unit and the token in it, for each token that the rule made.
    """

    rule: AnyRule | None
    units: list[list[bytes]]
    changes: list[tuple[int, int]]


class Rules(Sequence[AnyRule]):
    """The rules of a model in order. Each `Rule` is made on access."""

    def __init__(self, model: _core.Model) -> None:
        self._model = model

    def __len__(self) -> int:
        """Return the number of rules."""
        return self._model.rule_count

    @overload
    def __getitem__(self, index: int) -> AnyRule: ...
    @overload
    def __getitem__(self, index: slice) -> list[AnyRule]: ...
    def __getitem__(self, index: int | slice) -> AnyRule | list[AnyRule]:
        """Return one rule, or a list of rules."""
        chosen = range(len(self))[index]
        return self._rule(chosen) if isinstance(chosen, int) else [self._rule(i) for i in chosen]

    def __repr__(self) -> str:
        """Return the number of rules, in words."""
        return f"<{len(self)} rules>"

    def _rule(self, index: int) -> AnyRule:
        return cast("AnyRule", Rule(index, **self._model.rule(index)))
