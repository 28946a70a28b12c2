"""Limits on what training learns, for every kind of model."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import superword
from superword import Tokenizer, TrainingConfig
from superword.tokenizer.inspection import fact_table, inspect

DOCUMENTS = list(superword.sample())[::10]
# A phrase that many documents repeat, as licence headers do.
HEADERS = [*DOCUMENTS, *["you may not use this file except as the license allows"] * 200]
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


def count_words(tok: Tokenizer) -> dict[bytes, int]:
    """Return the words of each superword, and in SuperBPE of each token of the second stage."""
    if tok.parameters.transition is not None:
        second = list(tok.rules)[tok.parameters.transition - 256 :]
        split = tok.parameters.pattern
        texts = {rule.token: rule.token.decode(errors="ignore") for rule in second}
        return {token: len(superword.pretokenize(text, split)) for token, text in texts.items()}
    words: dict[bytes, int] = {}
    for rule in tok.rules:
        if rule.kind == "supermerge":
            joined = words.get(rule.left, 1) + words.get(rule.right or b"", 1)
            words[rule.token] = max(joined, words.get(rule.token, 1))
    return words


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "limits",
    [
        {"max_words": 2},
        {"max_token_bytes": 5},
        {"forbid": "[.,]|the$"},
        {"max_words": 3, "forbid": "e"},
    ],
    ids=str,
)
def test_every_kind_of_model_keeps_its_limits(kind: str, limits: dict[str, Any]) -> None:
    free = superword.train(HEADERS, 900, **KINDS[kind])
    tok = superword.train(HEADERS, 900, **KINDS[kind], **limits)
    made = [rule.token for rule in tok.rules if rule.kind != "delete"]
    assert max(count_words(tok).values(), default=1) <= limits.get("max_words", 99)
    assert max(map(len, made)) <= limits.get("max_token_bytes", 99)
    forbidden = re.compile(limits.get("forbid", "(?!)"))
    assert not any(forbidden.search(token.decode(errors="replace")) for token in made)
    # Without the limit, more would be made, except that few words matter to some kinds.
    is_free = kind in ("BPE", "PickyBPE") and list(limits) == ["max_words"]
    assert (list(tok.rules) == list(free.rules)) == is_free
    # The limits are saved, and truncation gives the model of training.
    assert Tokenizer._from_json(tok._model.to_json()) == tok
    smaller = superword.train(HEADERS, 700, **KINDS[kind], **limits)
    assert tok.truncate(700) == smaller
    assert {name: getattr(smaller.parameters, name) for name in limits} == limits


def test_extending_keeps_the_limits_of_the_base() -> None:
    base = superword.train(DOCUMENTS, 700, max_words=2, max_token_bytes=9, forbid="^ t")
    extended = superword.extend(base, DOCUMENTS, 40)
    added = [rule.token for rule in extended.rules][len(base.rules) :]
    assert max(map(len, added)) <= 9
    assert not any(token.startswith(b" t") for token in added)
    assert max(count_words(extended).values()) == 2
    assert extended.parameters.max_words == 2


def test_a_corpus_that_runs_out_of_allowed_pairs_says_so() -> None:
    with pytest.warns(UserWarning, match="min_count, or lift max_superwords, or lift max_tok"):
        tok = superword.train(DOCUMENTS, 1500, max_token_bytes=2)
    assert tok.vocab_size < 1500
    with pytest.warns(UserWarning, match="lower min_count$"):
        superword.train(["to be"] * 2, 1500, max_superwords=None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_words": 0}, "max_words must be at least 1, not 0"),
        ({"max_words": 2.5}, "max_words must be an integer"),
        ({"max_token_bytes": -3}, "max_token_bytes must be at least 1, not -3"),
        ({"forbid": "(a"}, "cannot read the regex"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        superword.train(DOCUMENTS, 700, **given)


@pytest.mark.parametrize(
    ("cap", "shown"), [(None, "-"), (20, "max_superwords 20"), (0.03, "max_superwords 0.03 (21)")]
)
def test_limits_are_shown_in_a_summary(cap: Any, shown: str) -> None:
    found = inspect(superword.train(DOCUMENTS, 700, max_superwords=cap))
    facts = {str(name): fact for name, fact in fact_table(found).rows}
    assert facts["limits"] == shown
    assert found.as_json()["parameters"]["max_superwords"] == cap  # type: ignore[index]


def test_all_limits_are_shown_in_a_summary() -> None:
    limits: Any = {"max_superwords": 9, "max_words": 3, "max_token_bytes": 20, "forbid": "[0-9] "}
    found = inspect(superword.train(DOCUMENTS, 700, **limits))
    facts = {str(name): fact for name, fact in fact_table(found).rows}
    assert facts["limits"] == "max_superwords 9, max_words 3, max_token_bytes 20, forbid [0-9] "
