"""Applying rules to a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from superword.reference.pretokens import DEFAULT_PATTERN
from superword.reference.rules import Pair, Rule, Tokens, apply_rule, initial_units


def explain(
    text: str,
    rules: Iterable[Rule],
    *,
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    lookup: Collection[bytes] = (),
) -> Iterator[tuple[Rule | None, list[list[bytes]]]]:
    """Yield the initial units, then each rule that changes them, with the units after it."""
    units = initial_units(text, pattern, eligible, lookup)
    yield None, [list(unit.tokens) for unit in units]
    for rule in rules:
        before, units = units, apply_rule(rule, units)
        if units != before:
            yield rule, [list(unit.tokens) for unit in units]


def encode(
    text: str,
    rules: Iterable[Rule],
    *,
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    lookup: Collection[bytes] = (),
    kept: Collection[bytes] | None = None,
) -> list[bytes]:
    """Apply the rules to a text in order, and return its tokens; in a pruned model, kept ones."""
    rules = list(rules)
    *_, (_, units) = explain(text, rules, pattern=pattern, eligible=eligible, lookup=lookup)
    tokens = [token for unit in units for token in unit]
    if kept is None:
        return tokens
    return [part for token in tokens for part in spell(token, rules, kept)]


def first_pair(token: bytes, rules: Sequence[Rule]) -> Pair:
    """Return the pair of the first rule that made a token of two bytes or more."""
    first = next(rule for rule in rules if rule.kind != "delete" and rule.token == token)
    return first.left, first.right or b""


def spell(token: bytes, rules: Sequence[Rule], kept: Collection[bytes]) -> Tokens:
    """Replace a token by its first pair, again and again, until all are kept: abc -> ab, c."""
    if token in kept:
        return (token,)
    left, right = first_pair(token, rules)
    return spell(left, rules, kept) + spell(right, rules, kept)
