"""The rules of docs/algorithm.md on limits, each with a case that its reverse gets wrong."""

from __future__ import annotations

from typing import Any

import pytest

from superword.reference import Limits, Rule, extend, pretokenize, train

# One pretoken between "<" and ">", single characters elsewhere.
BRACKETS: dict[str, Any] = {"pattern": "(?<=<)[^>]+|.", "eligible": "(?s).+"}


def names(rules: list[Rule]) -> list[str]:
    """Return the rules as text: 'supermerge ab'."""
    return [f"{rule.kind} {rule.token.decode(errors='replace')}" for rule in rules]


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


# Every character is a pretoken that is open from the start.
SINGLE: dict[str, Any] = {"pattern": "(?s).", "eligible": "(?s).+"}
# A document is one pretoken.
WHOLE: dict[str, Any] = {"pattern": "(?s).+", "supermerges": False}


def made(kind: str, tokens: str) -> list[str]:
    return [f"{kind} {token}" for token in tokens.split()]


def test_max_token_bytes_bounds_the_bytes_of_the_token() -> None:
    documents = ["abcdef"] * 3
    assert learned(documents, **WHOLE) == made("merge", "ab abc abcd abcde abcdef")
    # The next pair wins where the most frequent one is removed.
    assert learned(documents, **WHOLE, max_token_bytes=4) == made("merge", "ab abc abcd ef")
    assert learned(documents, **WHOLE, max_token_bytes=2) == made("merge", "ab cd ef")
    assert learned(documents, **WHOLE, max_token_bytes=1) == []
    three = learned(documents, **SINGLE, max_token_bytes=3)
    assert three == made("supermerge", "ab abc de def")
    # Bytes, not characters.
    assert learned(["éé"] * 3, **WHOLE, max_token_bytes=3) == made("merge", "é")


def test_max_words_bounds_the_words_of_superwords_only() -> None:
    documents = ["abcdef"] * 3
    three = learned(documents, **SINGLE, max_words=3)
    assert three == made("supermerge", "ab abc de def")
    assert learned(documents, **SINGLE, max_words=1) == []
    assert learned(documents, **WHOLE, max_words=1) == learned(documents, **WHOLE)
    # Of two superwords of two words, one of four.
    pairs = ["ab"] * 9 + ["cd"] * 8 + ["abcd"] * 5
    assert "supermerge abcd" in learned(pairs, **SINGLE, max_words=4)
    assert "supermerge abcd" not in learned(pairs, **SINGLE, max_words=3)


def test_a_token_has_the_largest_number_of_words_over_the_rules_so_far() -> None:
    # ab is a superword where it stands alone, and one pretoken after "<".
    split: dict[str, Any] = {"pattern": "(?<=<)ab|.", "eligible": "[a-z]+"}
    superword_first = ["ab"] * 9 + ["<ab"] * 5 + ["<abc"] * 3
    assert learned(superword_first, **split, max_words=2) == ["supermerge ab", "merge ab"]
    more = learned(superword_first, **split, max_words=3)
    assert more == ["supermerge ab", "merge ab", "supermerge abc"]
    merge_first = ["<ab"] * 9 + ["<abc"] * 8 + ["ab"] * 5 + ["<abd"] * 4
    rules = learned(merge_first, **split, max_words=2)
    assert rules == ["merge ab", "supermerge abc", "supermerge ab"]
    assert learned(merge_first, **split, max_words=3) == [*rules, "supermerge abd"]


def test_forbid_is_searched_in_the_text_of_the_token() -> None:
    documents = ["abcdef"] * 3
    assert learned(documents, **WHOLE, forbid="bc") == made("merge", "ab cd cde cdef")
    assert learned(documents, **WHOLE, forbid="^ab") == made("merge", "bc bcd bcde bcdef")
    assert learned(documents, **SINGLE, forbid="d") == made("supermerge", "ab abc ef")
    assert learned(documents, **WHOLE, forbid="") == []


def test_a_dollar_in_forbid_is_the_end_and_not_a_last_newline() -> None:
    assert learned(["ab\n"] * 3, **WHOLE, forbid="b$") == ["merge b\n", "merge ab\n"]


def test_a_token_that_is_not_utf_8_is_never_forbidden() -> None:
    rules, _ = train(["語"] * 3, 300, deletion=None, **WHOLE, forbid=r"\p{L}|[\s\S]")
    assert [rule.token for rule in rules] == ["語".encode()[1:]]


def test_words_of_superbpe_are_pretokens_of_the_first_pattern() -> None:
    stages: dict[str, Any] = {"pattern": "gpt2", "transition": 256, "second_pattern": "(?s).+"}
    stages |= {"supermerges": False, "min_count": 3}
    for most in (1, 2, 3):
        rules, _ = train(["to be or"] * 3, 300, deletion=None, **stages, max_words=most)
        words = [len(pretokenize(rule.token.decode(), "gpt2")) for rule in rules]
        assert max(words) == most
    # A part of a character is no word.
    rules, _ = train(["a語"] * 3, 300, deletion=None, **stages, max_words=1)
    assert [rule.token for rule in rules] == ["a語".encode()[:size] for size in (2, 3, 4)]


CHARACTERS: dict[str, Any] = {"pattern": " ?.", "eligible": "(?s).+"}


def test_under_a_cap_unspaced_words_go_on_and_do_not_count() -> None:
    documents = ["日本 日本"] * 9 + ["ab"] * 5 + ["ก็ข"] * 4 + ["cd"] * 3
    pattern: dict[str, Any] = {"pattern": r" ?\p{L}\p{M}*", "eligible": "(?s).+"}
    rules = learned(documents, 300, **pattern, max_superwords=1)
    assert [rule for rule in rules if rule.startswith("super")] == [
        *("supermerge 日本", "supermerge  日本", "supermerge ab", "supermerge ก็ข"),
    ]
    free = learned(documents, 300, **pattern)
    assert {"supermerge 日本 日本", "supermerge cd"} <= set(free)


@pytest.mark.parametrize("text", ["日a", "a日", "日 本", "日、", "日한", " 日"])
def test_under_a_cap_unspaced_words_join_only_each_other(text: str) -> None:
    pattern: dict[str, Any] = {"pattern": "(?<=^) |(?s) ?.", "eligible": "(?s).+"}
    assert f"supermerge {text}" in learned([text] * 3, 300, **pattern)
    rules = learned([text] * 3, 300, **pattern, max_superwords=9)
    assert not [rule for rule in rules if rule.startswith("super")]


def test_an_unspaced_word_is_one_word() -> None:
    limits: dict[str, Any] = {**CHARACTERS, "max_words": 2}
    rules = learned(["日本語a"] * 3, 400, **limits)
    assert rules[-1] == "supermerge 日本語a"
    assert "supermerge 日本語 日" not in learned(
        ["日本語 日本 日"] * 3, 400, **CHARACTERS, max_words=1
    )
    assert "supermerge abc" not in learned(["abc"] * 3, 400, **limits)


def test_an_extension_has_limits_of_its_own() -> None:
    base, _ = train(["abc"] * 3, 300, deletion=None, **SINGLE)
    assert names(base) == made("supermerge", "ab abc")
    grown = ["abcde"] * 3 + ["fg"] * 2

    def extended(**limits: Any) -> list[str]:
        rules, _ = extend(grown, base, 9, kind="both", limits=Limits(**limits), **SINGLE)
        assert rules[:2] == base
        return names(rules[2:])

    assert extended() == made("supermerge", "abcd abcde fg")
    # The words of the tokens of the base count, and so do its superwords.
    assert extended(max_words=3) == made("supermerge", "de fg")
    assert extended(max_words=4) == made("supermerge", "abcd fg")
    assert extended(max_token_bytes=4) == made("supermerge", "abcd fg")
    assert extended(forbid="cd") == made("supermerge", "de fg")
    assert extended(max_superwords=2) == []
    assert extended(max_superwords=3) == made("supermerge", "abcd")
