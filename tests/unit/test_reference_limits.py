"""The rules of docs/algorithm.md on limits, each with a case that its reverse gets wrong."""

from __future__ import annotations

from typing import Any

import pytest

from superword.reference import Rule, train

# One pretoken between "<" and ">", single characters elsewhere.
BRACKETS: dict[str, Any] = {"pattern": "(?<=<)[^>]+|.", "eligible": "(?s).+"}


def names(rules: list[Rule]) -> list[str]:
    """Return the rules as text: 'supermerge ab'."""
    return [f"{rule.kind} {rule.token.decode()}" for rule in rules]


def learned(documents: list[str], vocab_size: int = 300, **limits: Any) -> list[str]:
    return names(train(documents, vocab_size, deletion=None, **limits)[0])


DOCUMENTS = ["ab"] * 9 + ["cd"] * 8 + ["<xyz>"] * 7 + ["ef"] * 6


def test_once_the_cap_is_reached_only_merges_go_on() -> None:
    uncapped = ["supermerge ab", "supermerge cd", "merge xy", "merge xyz"]
    assert learned(DOCUMENTS, **BRACKETS)[:4] == uncapped
    for cap in (1, 2, 3):
        rules = learned(DOCUMENTS, **BRACKETS, max_superwords=cap)
        assert [rule.split()[0] for rule in rules].count("supermerge") == cap
        assert rules[:cap] == learned(DOCUMENTS, **BRACKETS)[:cap]
        assert "merge xyz" in rules
    none = learned(DOCUMENTS, **BRACKETS, max_superwords=0)
    assert none == learned(DOCUMENTS, **BRACKETS, supermerges=False) == ["merge xy", "merge xyz"]


def test_the_cap_counts_superwords_and_not_supermerges() -> None:
    split: dict[str, Any] = {"pattern": "(?<=<)ab|(?<=>a)bc|.", "eligible": "[a-z]+"}
    documents = ["<abc"] * 20 + [">abc"] * 10 + ["xy"] * 5 + ["zz"] * 3
    rules, vocabulary = train(documents, 300, deletion=None, **split, max_superwords=2)
    assert names(rules) == [
        *("merge ab", "supermerge abc", "merge bc", "supermerge abc", "supermerge xy"),
    ]
    assert vocabulary[256:] == [b"ab", b"abc", b"bc", b"xy"]
    # Once the cap is reached, a supermerge is not performed even if its token is there.
    assert learned(documents, **split, max_superwords=1) == names(rules)[:3]


def test_a_share_is_rounded_down() -> None:
    # 0.007 of 300 is 2.1, and 0.0099 of 300 is 2.97.
    for share in (0.007, 0.0099):
        rules = learned(DOCUMENTS, 300, **BRACKETS, max_superwords=share)
        assert rules == learned(DOCUMENTS, 300, **BRACKETS, max_superwords=2)


@pytest.mark.parametrize("share", [0.0, 1.0, 1.5, -0.1])
def test_a_share_is_above_0_and_below_1(share: float) -> None:
    with pytest.raises(ValueError, match="max_superwords must be an integer, or above 0"):
        train(["ab"], 300, max_superwords=share)
