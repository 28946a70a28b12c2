"""Limits on what training learns, for every kind of model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import superword
from superword import Tokenizer, TrainingConfig
from superword.tokenizer.inspection import fact_table, inspect

DOCUMENTS = list(superword.sample())[::10]
KINDS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "PickyBPE": {"supermerges": False, "tau": 0.7},
    "BoundlessBPE": {},
    "SuperBPE": {"supermerges": False, "deletion": None, "transition": 600},
}


def count_superwords(tok: Tokenizer) -> int:
    return sum(map(tok.is_superword, range(tok.vocab_size)))


@pytest.mark.parametrize("deletion", ["bytes", "pair", None])
def test_a_model_with_a_share_contains_every_smaller_model(deletion: Any) -> None:
    config = TrainingConfig(vocab_size=1500, deletion=deletion, tau=0.7, max_superwords=0.03)
    tok = superword.train(DOCUMENTS, config=config)
    assert count_superwords(tok) == 45
    for size in (256, 300, 500, 700, 1000, 1499):
        trained = superword.train(DOCUMENTS, config=replace(config, vocab_size=size))
        assert tok.truncate(size) == trained
        assert count_superwords(trained) <= int(0.03 * size)
    # At this size, the merges of the larger model follow supermerges that the smaller one lacks.
    assert tok.truncate(1000).truncate(700) == tok.truncate(700)
    last = max(rule.index for rule in tok.truncate(1000).rules if rule.kind == "supermerge")
    assert last < max(rule.index for rule in tok.rules if rule.kind == "supermerge")


def test_a_cap_gives_way_to_merges() -> None:
    free, capped = (superword.train(DOCUMENTS, 1500, max_superwords=cap) for cap in (None, 20))
    assert count_superwords(capped) == 20 < count_superwords(free)
    assert capped.vocab_size == free.vocab_size == 1500
    kinds = [[rule.kind for rule in tok.rules] for tok in (free, capped)]
    assert kinds[0].count("merge") < kinds[1].count("merge")


@pytest.mark.parametrize("kind", ["BPE", "PickyBPE"])
def test_a_cap_changes_no_model_without_supermerges(kind: str) -> None:
    capped = superword.train(DOCUMENTS, 700, **KINDS[kind], max_superwords=0.1)
    assert list(capped.rules) == list(superword.train(DOCUMENTS, 700, **KINDS[kind]).rules)


def test_superbpe_refuses_a_cap() -> None:
    with pytest.raises(ValueError, match="max_superwords limits supermerges, which SuperBPE does"):
        superword.train(DOCUMENTS, 700, **KINDS["SuperBPE"], max_superwords=0.1)


def test_extending_adds_superwords_whatever_the_cap() -> None:
    base = superword.train(DOCUMENTS, 700, max_superwords=0.01)
    extended = superword.extend(base, DOCUMENTS, 50)
    assert count_superwords(extended) == 57
    assert extended.parameters.max_superwords is None
    assert list(extended.rules)[: len(base.rules)] == list(base.rules)


@pytest.mark.parametrize(
    ("cap", "shown"), [(None, "-"), (20, "max_superwords 20"), (0.03, "max_superwords 0.03 (21)")]
)
def test_limits_are_shown_in_a_summary(cap: Any, shown: str) -> None:
    found = inspect(superword.train(DOCUMENTS, 700, max_superwords=cap))
    facts = {str(name): fact for name, fact in fact_table(found).rows}
    assert facts["limits"] == shown
    assert found.as_json()["parameters"]["max_superwords"] == cap  # type: ignore[index]
