"""Learning further rules after those of a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from superword.reference.limits import NO_LIMITS, Limits
from superword.reference.pretokens import DEFAULT_PATTERN
from superword.reference.rules import Rule
from superword.reference.training import Trainer


def extend(
    documents: Iterable[str],
    rules: Iterable[Rule],
    add: int,
    *,
    kind: Literal["merges", "superwords", "both"] = "superwords",
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    min_count: int = 2,
    limits: Limits = NO_LIMITS,
    lookup: Collection[bytes] = (),
) -> tuple[list[Rule], list[bytes]]:
    """Learn rules of a kind after the given ones, until there are `add` more tokens.

    The limits are those of the new rules. With `kind="superwords"`, `add` is the cap.
    """
    limits = limits._replace(supermerges=kind != "merges")
    trainer = Trainer(documents, pattern, eligible, limits, lookup=lookup)
    for rule in rules:
        trainer.perform(rule)
    vocab_size = len(trainer.vocabulary) + add
    while len(trainer.vocabulary) < vocab_size:
        if kind != "superwords":
            if not trainer.step(None, 1, min_count):
                break
            continue
        supermerge, count = trainer.best_supermerge()
        if count < min_count:
            break
        trainer.perform(Rule(len(trainer.rules), "supermerge", *supermerge, (), count))
    return trainer.rules, trainer.vocabulary
