"""Rules, and how they apply to units: pretokens with their tokens, and superwords."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypeVar

from superword.reference.pretokens import (
    ELIGIBLE,
    SCRIPT_ELIGIBLE,
    SCRIPT_PATTERN,
    is_eligible,
    pretokenize,
)

Pair = tuple[bytes, bytes]
Tokens = tuple[bytes, ...]
Item = TypeVar("Item")


class Unit(NamedTuple):
    """One pretoken with its tokens, or one superword."""

    tokens: Tokens
    is_eligible: bool = False
    is_superword: bool = False

    @property
    def open_token(self) -> bytes:
        """The token of an open unit; empty, which no token is, if the unit is not open."""
        is_open = len(self.tokens) == 1 and (self.is_eligible or self.is_superword)
        return self.tokens[0] if is_open else b""


@dataclass(frozen=True)
class Rule:
    """One rule of a model; its index is its position in the list."""

    index: int
    kind: Literal["merge", "supermerge", "delete"]
    left: bytes
    right: bytes | None = None
    parts: Tokens = ()
    count: int | None = None

    @property
    def token(self) -> bytes:
        """The token that the rule makes or deletes."""
        return self.left + (self.right or b"")


def single_bytes(token: bytes) -> Tokens:
    """Split a token into its bytes: ab -> a, b."""
    return tuple(bytes([byte]) for byte in token)


def initial_units(
    text: str, pattern: str, eligible: str | None, lookup: Collection[bytes] = ()
) -> list[Unit]:
    """Return one unit for each pretoken, with its bytes as tokens; or itself, if looked up."""
    if eligible is None:
        eligible = SCRIPT_ELIGIBLE if pattern == SCRIPT_PATTERN else ELIGIBLE
    pretokens = pretokenize(text, pattern)
    starts = [(b,) if (b := p.encode()) in lookup else single_bytes(b) for p in pretokens]
    return [Unit(b, is_eligible(p, eligible)) for p, b in zip(pretokens, starts, strict=True)]


def pairs(tokens: Tokens) -> Iterator[Pair]:
    """Yield each adjacent pair as often as `join` would replace it: (a, a) once for a a a."""
    previous = None
    for pair in pairwise(tokens):
        # A pair equal to the one just counted overlaps it: (x, x) in x x x.
        if pair == previous or b"" in pair:
            previous = None
        else:
            previous = pair
            yield pair


def join(items: Sequence[Item], tokens: Tokens, rule: Rule, joined: Item) -> list[Item]:
    """Replace the rule's pair from left to right, without overlap: a a a -> aa a."""
    result, at = [], 0
    while at < len(items):
        is_pair = tokens[at] == rule.left and tokens[at + 1 : at + 2] == (rule.right,)
        result.append(joined if is_pair else items[at])
        at += 2 if is_pair else 1
    return result


def apply_rule(rule: Rule, units: list[Unit]) -> list[Unit]:
    """Apply a rule everywhere in a document. Only units with its tokens can change."""
    if rule.kind == "supermerge":
        superword = Unit((rule.token,), is_superword=True)
        return join(units, tuple([unit.open_token for unit in units]), rule, superword)
    left, right = rule.left, rule.right or rule.left
    return [apply_in_unit(rule, u) if left in u.tokens and right in u.tokens else u for u in units]


def apply_in_unit(rule: Rule, unit: Unit) -> Unit:
    """Apply a merge or a delete to one unit. A delete does not split a superword."""
    if rule.kind == "merge":
        return unit._replace(tokens=tuple(join(unit.tokens, unit.tokens, rule, rule.token)))
    split = {} if unit.is_superword else {rule.left: rule.parts}
    tokens = [part for token in unit.tokens for part in split.get(token, (token,))]
    return unit._replace(tokens=tuple(tokens))
