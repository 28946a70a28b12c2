"""The rules of docs/algorithm.md on pruning, each with a case that its reverse gets wrong."""

from __future__ import annotations

from typing import Any

import pytest

from superword.reference import Rule, encode, inner_tokens, prune, single_bytes, spell

WHOLE = r"(?s).+"
ANYTHING = r"(?s).+"
BYTES = list(single_bytes(bytes(range(256))))
ABC = [Rule(0, "merge", b"a", b"b"), Rule(1, "merge", b"ab", b"c")]


def test_all_rules_apply_before_removed_tokens_are_replaced() -> None:
    assert encode("abcabd", ABC, pattern=WHOLE, kept=[*BYTES, b"abc"]) == [
        *(b"abc", b"a", b"b", b"d"),
    ]


def test_a_removed_token_is_replaced_by_its_pair_until_all_are_kept() -> None:
    assert encode("abc", ABC, pattern=WHOLE, kept=[*BYTES, b"ab"]) == [b"ab", b"c"]
    assert encode("abc", ABC, pattern=WHOLE, kept=BYTES) == [b"a", b"b", b"c"]


def test_the_first_rule_that_made_a_token_spells_it_whatever_its_kind() -> None:
    rules = [
        Rule(0, "merge", b"b", b"c"),
        Rule(1, "supermerge", b"a", b"bc"),
        Rule(2, "merge", b"a", b"b"),
        Rule(3, "merge", b"ab", b"c"),
    ]
    kept = [*BYTES, b"ab", b"bc"]
    assert spell(b"abc", rules, kept) == (b"a", b"bc")
    assert spell(b"abc", rules[2:], kept) == (b"ab", b"c")
    assert inner_tokens(b"abc", rules) == (b"a", b"bc", b"b", b"c")


def test_a_deleted_part_is_replaced_like_a_removed_one() -> None:
    rules = [*ABC, Rule(2, "delete", b"ab", parts=(b"a", b"b"))]
    assert spell(b"abc", rules, BYTES) == (b"a", b"b", b"c")


def test_a_superword_is_replaced_too() -> None:
    rules = [Rule(0, "supermerge", b"a", b"b")]
    how: dict[str, Any] = {"pattern": ".", "eligible": ANYTHING}
    assert encode("abb", rules, **how) == [b"ab", b"b"]
    assert encode("abb", rules, **how, kept=BYTES) == [b"a", b"b", b"b"]


def test_the_rarest_token_goes_first_and_of_equally_rare_ones_the_last() -> None:
    rules = [Rule(0, "merge", b"a", b"b"), Rule(1, "merge", b"c", b"d")]
    vocabulary = [*BYTES, b"ab", b"cd"]
    assert prune(["ab cd"], rules, vocabulary, to=257)[256:] == [b"ab"]
    assert prune(["ab cd cd"], rules, vocabulary, to=257)[256:] == [b"cd"]
    assert prune(["ab cd cd"], rules, vocabulary, min_count=2)[256:] == [b"cd"]
    assert prune(["ab cd cd"], rules, vocabulary, min_count=1)[256:] == [b"ab", b"cd"]


def test_tokens_are_counted_again_after_each_removal() -> None:
    vocabulary = [*BYTES, b"ab", b"abc"]
    documents = ["ab", "abc", "ab"]
    # `ab` occurs twice, and three times when `abc` is gone.
    assert prune(documents, ABC, vocabulary, min_count=3)[256:] == [b"ab"]


def test_single_bytes_stay() -> None:
    assert prune(["ab"], [], BYTES, to=255) == BYTES
    assert prune(["abc"], ABC, [*BYTES, b"ab", b"abc"], min_count=9) == BYTES
    assert prune(["abc"] * 9, ABC, [*BYTES, b"ab", b"abc"], residues=0.1) == [*BYTES, b"abc"]


def test_a_residue_occurs_inside_larger_tokens_and_hardly_on_its_own() -> None:
    vocabulary = [*BYTES, b"ab", b"abc"]
    documents = ["abc", "abc", "abc", "ab"]  # `ab` three times of four inside `abc`.
    assert prune(documents, ABC, vocabulary, residues=0.75)[256:] == [b"abc"]
    assert prune(documents, ABC, vocabulary, residues=0.76)[256:] == [b"ab", b"abc"]
    assert prune(["x"], ABC, vocabulary, residues=0.01)[256:] == [b"ab", b"abc"]


def test_a_residue_may_be_deep_inside() -> None:
    rules = [*ABC, Rule(2, "merge", b"abc", b"d")]
    vocabulary = [*BYTES, b"ab", b"abc", b"abcd"]
    assert prune(["abcd", "abcd"], rules, vocabulary, residues=1.0)[256:] == [b"abcd"]


def test_with_their_rules_only_tokens_go_that_no_kept_token_is_made_from() -> None:
    vocabulary = [*BYTES, b"ab", b"abc"]
    documents = ["abc"] * 3
    assert prune(documents, ABC, vocabulary, to=257)[256:] == [b"abc"]
    assert prune(documents, ABC, vocabulary, to=257, drop_rules=True)[256:] == [b"ab"]
    assert prune(documents, ABC, vocabulary, min_count=4, drop_rules=True) == BYTES
    assert prune(documents, ABC, vocabulary, min_count=3, drop_rules=True) == vocabulary


@pytest.mark.parametrize("options", [{}, {"to": 257, "min_count": 2}])
def test_one_of_three_ways_is_chosen(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="one of to, min_count and residues"):
        prune(["ab"], [], BYTES, **options)
