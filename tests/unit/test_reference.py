"""The rules of docs/algorithm.md on training, each with a case that its reverse gets wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from superword.reference import (
    ELIGIBLE,
    PATTERNS,
    Deletion,
    Rule,
    encode,
    explain,
    extend,
    train,
)

# A document is one pretoken, so there are merges only.
WHOLE = r"(?s).+"
# Every character is a pretoken that is open from the start, so there are supermerges only.
SINGLE = r"(?s)."
ANYTHING = r"(?s).+"
# One pretoken between "<" and ">", single characters elsewhere: bytes that spell the same may be
# one pretoken here and a superword there.
BRACKETS = r"(?<=<)[^>]+|."


def written(rules: Iterable[Rule]) -> list[str]:
    """Return a rule as text: 'merge a+b 3' with count 3, 'delete ab = a+b' with parts."""
    lines = []
    for rule in rules:
        if rule.right is None:
            parts = b"+".join(rule.parts).decode("latin-1")
            lines.append(f"{rule.kind} {rule.left.decode('latin-1')} = {parts}")
        else:
            pair = b"+".join((rule.left, rule.right)).decode("latin-1")
            lines.append(f"{rule.kind} {pair} {rule.count}")
    return lines


def learned(
    documents: list[str],
    vocab_size: int = 300,
    *,
    pattern: str = WHOLE,
    eligible: str = ANYTHING,
    deletion: Deletion = None,
    tau: float = 0.9,
    min_count: int = 2,
) -> list[str]:
    rules, _ = train(
        documents,
        vocab_size,
        pattern=pattern,
        eligible=eligible,
        deletion=deletion,
        tau=tau,
        min_count=min_count,
    )
    return written(rules)


def entered(vocabulary: list[bytes]) -> list[bytes]:
    """Return the vocabulary after the 256 bytes."""
    return vocabulary[256:]


@pytest.mark.parametrize(
    ("documents", "first"),
    [
        (["ba", "ab"], "merge a+b 1"),  # The left token decides.
        (["ac", "ab"], "merge a+b 1"),  # Then the right one.
        (["cb", "ba"], "merge b+a 1"),  # The left one before the right one.
        (["é", "zz"], "merge z+z 1"),  # Bytes are unsigned: é starts with 0xc3.
    ],
)
def test_ties_between_merges_go_to_the_smaller_byte_pair(documents: list[str], first: str) -> None:
    assert learned(documents, 257, min_count=1) == [first]


def test_a_prefix_is_the_smaller_token_on_the_left() -> None:
    documents = ["abc", "abc", "ab", "ab", "az", "az"]
    assert learned(documents) == ["merge a+b 4", "merge a+z 2", "merge ab+c 2"]


def test_a_prefix_is_the_smaller_token_on_the_right() -> None:
    documents = ["xab", "xab", "ab", "xa", "xa", "ab"]
    assert learned(documents) == ["merge a+b 4", "merge x+a 2", "merge x+ab 2"]


@pytest.mark.parametrize(
    ("documents", "first"),
    [
        (["ba", "ab"], "supermerge a+b 1"),
        (["ac", "ab"], "supermerge a+b 1"),
        (["cb", "ba"], "supermerge b+a 1"),
    ],
)
def test_ties_between_supermerges_go_to_the_smaller_byte_pair(
    documents: list[str], first: str
) -> None:
    assert learned(documents, 257, pattern=SINGLE, min_count=1) == [first]


def test_bytes_are_unsigned_in_ties_between_supermerges() -> None:
    rules = learned(["éy", "zy", "é"], 259, pattern=SINGLE, min_count=1)
    assert [rule.split()[0] for rule in rules] == ["merge", "supermerge", "supermerge"]
    assert rules[1] == "supermerge z+y 1"


def test_the_largest_count_comes_before_the_smaller_pair() -> None:
    assert learned(["ab", "yz", "yz"], min_count=1) == ["merge y+z 2", "merge a+b 1"]


def test_a_supermerge_wins_a_tie_with_a_merge() -> None:
    # The merge has the smaller pair, so that bytes cannot decide it.
    rules = learned(["<ab>yz", "<ab>yz"], 258, pattern=BRACKETS, eligible="[a-z]+")
    assert rules == ["supermerge y+z 2", "merge a+b 2"]


def test_a_merge_with_a_larger_count_comes_before_a_supermerge() -> None:
    rules = learned(["<yz>ab", "<yz>ab", "<yz>"], 258, pattern=BRACKETS, eligible="[a-z]+")
    assert rules == ["merge y+z 3", "supermerge a+b 2"]


def test_a_run_of_equal_tokens_counts_half_its_length_rounded_down() -> None:
    assert learned(["aaa"], min_count=1) == ["merge a+a 1", "merge aa+a 1"]
    assert learned(["aaaaa"], 257, min_count=1) == ["merge a+a 2"]
    assert learned(["aaa"], min_count=2) == []


def test_a_run_of_equal_units_counts_half_its_length_rounded_down() -> None:
    rules = learned(["aaaaa"], pattern=SINGLE, min_count=1)
    assert rules == ["supermerge a+a 2", "supermerge aa+a 1", "supermerge aa+aaa 1"]
    assert learned(["aaa"], pattern=SINGLE, min_count=2) == []


def test_another_pair_after_a_run_is_counted() -> None:
    # aaab: (a, a) takes the first two, and (a, b) is not affected.
    assert learned(["aaab", "ab"], 257) == ["merge a+b 2"]


def test_training_stops_below_min_count() -> None:
    assert learned(["abab"], min_count=3) == []
    assert learned(["abab"], min_count=2) == ["merge a+b 2"]
    assert learned(["ab", "ab"], pattern=SINGLE, min_count=3) == []
    assert learned(["ab", "ab"], pattern=SINGLE, min_count=2) == ["supermerge a+b 2"]


def test_training_stops_at_vocab_size() -> None:
    assert learned(["abcd", "abcd"], 256) == []
    assert learned(["abcd", "abcd"], 258) == ["merge a+b 2", "merge ab+c 2"]


def test_pairs_never_cross_pretokens_or_documents() -> None:
    assert learned(["a", "b", "a", "b"]) == []
    assert learned(["a", "b", "a", "b"], pattern=SINGLE) == []
    assert learned(["ab", "ab"], pattern=SINGLE, eligible="[^a]") == []


def test_supermerges_false_leaves_plain_bpe() -> None:
    rules, _ = train(["to be", "to be"], 300, supermerges=False, deletion=None)
    assert written(rules) == ["merge  +b 2", "merge  b+e 2", "merge t+o 2"]


def test_only_open_units_supermerge() -> None:
    # " b" is one token and eligible; "a" is one token but, as a lone letter, not eligible.
    rules, _ = train(["a b", "a b"], 300)
    assert written(rules) == ["merge  +b 2"]
    # "ab" and " cd" are eligible, but not before they are one token each.
    rules, _ = train(["ab cd", "ab cd"], 300, deletion=None)
    kinds = [rule.kind for rule in rules]
    assert kinds == ["merge", "merge", "merge", "supermerge"]


def test_a_superword_is_open_whatever_its_text() -> None:
    rules = learned(["abc", "abc"], pattern=SINGLE, eligible="[a-c]")
    assert rules == ["supermerge a+b 2", "supermerge ab+c 2"]


def test_supermerge_of_equal_tokens_is_extended() -> None:
    rules, _ = train(["aaaa", "aaaa"], 300, pattern=SINGLE, eligible=ANYTHING)
    assert written(rules) == ["supermerge a+a 4", "supermerge aa+aa 2"]
    assert encode("aaaaaaa", rules, pattern=SINGLE, eligible=ANYTHING) == [b"aaaa", b"aa", b"a"]


def test_a_superword_and_a_pretoken_that_spell_the_same_are_counted_together() -> None:
    # (ab, c) three times after the superword a|b and four times after the pretoken ab.
    documents = ["abc"] * 3 + ["ab"] * 5 + ["<abc"] * 4
    rules = learned(documents, pattern=r"(?<=<)ab|.", eligible="[a-c]+")
    assert rules == ["supermerge a+b 8", "merge a+b 4", "supermerge ab+c 7"]


def test_the_same_rule_may_occur_twice() -> None:
    documents = ["abc"] * 3 + ["<abc"] * 4
    rules, vocabulary = train(documents, 300, pattern=r"(?<=<)ab|.", eligible="[a-c]+")
    assert written(rules) == [
        "merge a+b 4",
        "supermerge ab+c 4",
        "supermerge a+b 3",
        "supermerge ab+c 3",
    ]
    assert [rule.index for rule in rules] == [0, 1, 2, 3]
    assert entered(vocabulary) == [b"ab", b"abc"]


def test_the_single_bytes_are_the_first_ids_and_the_rest_follow_in_order() -> None:
    _, vocabulary = train(["abc", "abc", "ab"], 300, pattern=WHOLE)
    assert vocabulary == [bytes([byte]) for byte in range(256)] + [b"ab", b"abc"]


def test_a_token_in_the_vocabulary_is_not_added_again() -> None:
    documents = ["<ab>"] * 3 + ["ab"] * 2 + ["cd"]
    rules, vocabulary = train(documents, 258, pattern=BRACKETS, eligible="[a-d]+", min_count=1)
    assert written(rules) == ["merge a+b 3", "supermerge a+b 2", "supermerge c+d 1"]
    assert entered(vocabulary) == [b"ab", b"cd"]


def test_a_token_that_left_and_is_made_again_gets_a_new_place_at_the_end() -> None:
    documents = ["abc"] * 18 + ["ab"] * 2
    rules, vocabulary = train(documents, 300, pattern=WHOLE)
    assert written(rules) == ["merge a+b 20", "merge ab+c 18", "delete ab = a+b", "merge a+b 2"]
    assert entered(vocabulary) == [b"abc", b"ab"]


def test_deletions_make_room_and_vocab_size_is_met_exactly() -> None:
    # abc is token 258, yet the step completes: ab is removed, and there is room for xy.
    documents = ["abc"] * 5 + ["xyz"] * 3
    rules, vocabulary = train(documents, 258, pattern=WHOLE)
    assert written(rules) == ["merge a+b 5", "merge ab+c 5", "delete ab = a+b", "merge x+y 3"]
    assert entered(vocabulary) == [b"abc", b"xy"]
    assert len(vocabulary) == 258


def test_the_last_step_completes_its_deletions() -> None:
    rules, vocabulary = train(["abc"] * 5, 258, pattern=WHOLE)
    assert written(rules) == ["merge a+b 5", "merge ab+c 5", "delete ab = a+b"]
    assert entered(vocabulary) == [b"abc"]


def test_intersection_over_self_of_exactly_tau_deletes() -> None:
    assert 9 / 10 == 0.9
    assert learned(["abc"] * 9 + ["ab"], deletion="bytes") == [
        "merge a+b 10",
        "merge ab+c 9",
        "delete ab = a+b",
    ]


def test_intersection_over_self_below_tau_does_not_delete() -> None:
    assert learned(["abc"] * 8 + ["ab"], deletion="bytes") == ["merge a+b 9", "merge ab+c 8"]


def test_the_right_token_is_deleted_by_its_own_count() -> None:
    rules = ["merge b+c 10", "merge a+bc 9", "delete bc = b+c"]
    assert learned(["abc"] * 9 + ["bc"], deletion="bytes") == rules
    assert learned(["abc"] * 8 + ["bc"], deletion="bytes") == ["merge b+c 9", "merge a+bc 8"]


def test_the_left_token_is_deleted_before_the_right_one() -> None:
    # ab is smaller and was made first. Neither matters.
    rules = learned(["yzab"] * 10 + ["ab"], deletion="bytes")
    assert rules == [
        "merge a+b 11",
        "merge y+z 10",
        "merge yz+ab 10",
        "delete yz = y+z",
        "delete ab = a+b",
    ]


def test_equal_tokens_are_deleted_once() -> None:
    rules = learned(["abab"] * 2, deletion="bytes", tau=0.5)
    assert rules == ["merge a+b 4", "merge ab+ab 2", "delete ab = a+b"]


def test_single_bytes_are_never_deleted() -> None:
    rules, vocabulary = train(["ab"] * 3, 300, pattern=WHOLE)
    assert written(rules) == ["merge a+b 3"]
    assert b"a" in vocabulary and b"b" in vocabulary


def test_deletion_none_deletes_nothing() -> None:
    assert learned(["abc"] * 9, deletion=None) == ["merge a+b 9", "merge ab+c 9"]


def test_a_supermerge_deletes_nothing() -> None:
    rules, vocabulary = train(["ab cd"] * 3, 300)
    assert written(rules) == [
        "merge  +c 3",
        "merge  c+d 3",
        "delete  c =  +c",
        "merge a+b 3",
        "supermerge ab+ cd 3",
    ]
    assert entered(vocabulary) == [b" cd", b"ab", b"ab cd"]


def test_a_deleted_pretoken_closes_until_merges_make_it_one_token_again() -> None:
    # Were the pretoken ab still open after its deletion, supermerge(ab, x) would be next.
    documents = ["abc"] * 18 + ["abx"] * 2
    rules, vocabulary = train(documents, 300, pattern="[a-c]+|x", eligible=ANYTHING)
    assert written(rules) == [
        "merge a+b 20",
        "merge ab+c 18",
        "delete ab = a+b",
        "merge a+b 2",
        "supermerge ab+x 2",
    ]
    assert entered(vocabulary) == [b"abc", b"ab", b"abx"]
    units = [units for _, units in explain("abx", rules, pattern="[a-c]+|x", eligible=ANYTHING)]
    assert units == [
        [[b"a", b"b"], [b"x"]],
        [[b"ab"], [b"x"]],
        [[b"a", b"b"], [b"x"]],
        [[b"ab"], [b"x"]],
        [[b"abx"]],
    ]


def test_a_deleted_token_that_a_supermerge_made_stays_in_the_vocabulary() -> None:
    documents = ["ab"] * 30 + ["<abc"] * 9 + ["<ab"]
    rules, vocabulary = train(documents, 300, pattern=BRACKETS, eligible="[ab]")
    assert written(rules) == [
        "supermerge a+b 30",
        "merge a+b 10",
        "merge ab+c 9",
        "delete ab = a+b",
    ]
    assert entered(vocabulary) == [b"ab", b"abc"]
    # The deletion splits the pretoken, but not the superword.
    assert encode("ab", rules, pattern=BRACKETS, eligible="[ab]") == [b"ab"]
    assert encode("<ab", rules, pattern=BRACKETS, eligible="[ab]") == [b"<", b"a", b"b"]


def test_a_supermerge_after_the_deletion_brings_the_token_back() -> None:
    documents = ["<abc"] * 9 + ["ab"] * 3
    rules, vocabulary = train(documents, 300, pattern=BRACKETS, eligible="[ab]")
    assert written(rules) == [
        "merge a+b 9",
        "merge ab+c 9",
        "delete ab = a+b",
        "supermerge a+b 3",
    ]
    assert entered(vocabulary) == [b"abc", b"ab"]


def test_token_counts_include_pretokens_that_superwords_have_absorbed() -> None:
    # ab occurs 13 times, 8 of them inside the superword abx: 5/13 is below tau, 5/5 is not.
    rules = learned(["abx"] * 8 + ["abc"] * 5, pattern="[a-c]+|x", deletion="bytes", tau=0.9)
    assert rules == ["merge a+b 13", "supermerge ab+x 8", "merge ab+c 5"]


def test_pair_counts_include_pretokens_that_superwords_have_absorbed() -> None:
    # All eight occurrences of the last merge are inside superwords, which do not change.
    documents = ["abx"] * 8 + ["abc"] * 5
    rules, vocabulary = train(documents, 300, pattern="[a-c]+|x", eligible=ANYTHING, tau=0.3)
    assert written(rules) == [
        "merge a+b 13",
        "supermerge ab+x 8",
        "merge ab+c 5",
        "delete ab = a+b",
        "merge a+b 8",
    ]
    assert entered(vocabulary) == [b"abx", b"abc", b"ab"]
    assert encode("abx", rules, pattern="[a-c]+|x", eligible=ANYTHING) == [b"abx"]


def test_mode_bytes_splits_into_bytes_and_mode_pair_into_the_pair() -> None:
    documents = ["abcd"] * 9 + ["abc"] + ["ab"] * 9
    rules = ["merge a+b 19", "merge ab+c 10", "merge abc+d 9"]
    assert learned(documents, 259, deletion="bytes") == [*rules, "delete abc = a+b+c"]
    assert learned(documents, 259, deletion="pair") == [*rules, "delete abc = ab+c"]


def test_mode_pair_splits_deleted_parts_again() -> None:
    rules = learned(["abcd"] * 3, deletion="pair")
    assert rules == [
        "merge a+b 3",
        "merge ab+c 3",
        "delete ab = a+b",
        "merge abc+d 3",
        "delete abc = a+b+c",
    ]


def test_mode_pair_keeps_a_deleted_part_that_a_merge_has_made_again() -> None:
    rules = learned(["abcd"] * 3 + ["abc"] * 3 + ["ab"] * 4, deletion="pair", tau=0.5)
    assert rules == [
        "merge a+b 10",
        "merge ab+c 6",
        "delete ab = a+b",
        "merge a+b 4",
        "merge abc+d 3",
        "delete abc = ab+c",
        "merge ab+c 3",
    ]


def test_mode_pair_splits_a_deleted_part_that_only_a_supermerge_has_made_again() -> None:
    documents = ["<abcd"] * 3 + ["<abc"] * 2 + ["ab"] * 4
    rules = learned(documents, pattern=BRACKETS, eligible="[ab]", deletion="pair", tau=0.5)
    assert rules[:6] == [
        "merge a+b 5",
        "merge ab+c 5",
        "delete ab = a+b",
        "supermerge a+b 4",
        "merge abc+d 3",
        "delete abc = a+b+c",
    ]


def test_mode_pair_takes_the_earliest_merge() -> None:
    # aad is first made of a and ad, then of aa and d. aa stays in the vocabulary, ad does not.
    documents = ["adx"] * 7 + ["caad"] * 5 + ["aadb"] + ["aa"] * 2
    assert learned(documents, deletion="pair", tau=0.6, min_count=1) == [
        "merge a+d 13",
        "merge ad+x 7",
        "merge a+ad 6",
        "delete ad = a+d",
        "merge c+aad 5",
        "delete aad = a+a+d",
        "merge a+a 3",
        "merge aa+d 1",
        "merge aad+b 1",
        "delete aad = a+a+d",
    ]


def test_mode_pair_takes_no_supermerge_for_the_pair() -> None:
    # The superword ab|c comes first, but the first merge that makes abc joins a and bc.
    pattern = r"(?<=<)abcd?|ab|bc|."
    documents = ["bc"] * 20 + ["abc"] * 8 + ["<abcd"] * 3 + ["<abc"] * 2
    rules, vocabulary = train(
        documents, 300, pattern=pattern, eligible="ab|c", deletion="pair", tau=0.5
    )
    assert written(rules)[:6] == [
        "merge b+c 25",
        "merge a+b 8",
        "supermerge ab+c 8",
        "merge a+bc 5",
        "merge abc+d 3",
        "delete abc = a+bc",
    ]
    assert entered(vocabulary) == [b"bc", b"ab", b"abc", b"abcd"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vocab_size", 255),
        ("min_count", 0),
        ("tau", 0.0),
        ("tau", 1.1),
        ("tau", float("nan")),
        ("deletion", "byte"),
        ("deletion", "none"),
    ],
)
def test_a_bad_parameter_is_named(name: str, value: object) -> None:
    options = {"vocab_size": 300, name: value}
    with pytest.raises(ValueError, match=f"^{name} must be .*{value}"):
        train(["ab"], **options)  # type: ignore[arg-type]


def test_the_defaults_are_those_of_the_paper_with_the_pattern_gpt4o() -> None:
    documents = ["XMLHttp XMLHttp the"] * 9 + ["XMLHttp a"]
    assert train(documents, 290) == train(
        documents,
        290,
        pattern=PATTERNS["gpt4o"],
        eligible=ELIGIBLE,
        supermerges=True,
        deletion="bytes",
        tau=0.9,
        min_count=2,
    )


def test_extending_learns_rules_of_the_kind_that_is_asked_for() -> None:
    base, vocabulary = train(["to be", "to be"], 260, supermerges=False, deletion=None)
    documents = ["to be a dog", "to be a dog", "dog"]

    def learned(kind: Any, min_count: int = 2) -> list[str]:
        rules, tokens = extend(documents, base, 3, kind=kind, min_count=min_count)
        assert rules[: len(base)] == base
        assert tokens[: len(vocabulary)] == vocabulary
        return written(rules[len(base) :])

    assert learned("merges") == ["merge d+o 3", "merge do+g 3", "merge  +a 2"]
    assert learned("superwords") == ["supermerge to+ be 2"]
    # Of a merge and a supermerge with equal counts, the supermerge goes first.
    assert learned("both") == ["merge d+o 3", "merge do+g 3", "supermerge to+ be 2"]
    assert learned("both", 3) == ["merge d+o 3", "merge do+g 3"]


def test_extending_deletes_nothing() -> None:
    rules, _ = extend(["abab abab"], [], 3, kind="merges", pattern=WHOLE)
    assert {rule.kind for rule in rules} == {"merge"}
