"""The rules of docs/algorithm.md on encoding, each with a case that its reverse gets wrong."""

from __future__ import annotations

from superword.reference import Rule, encode, explain, extend, prune

# A document is one pretoken.
WHOLE = r"(?s).+"
# Every character is a pretoken that is open from the start.
SINGLE = r"(?s)."
ANYTHING = r"(?s).+"


def test_rules_apply_once_each_in_index_order() -> None:
    # The first rule finds nothing when it is applied, and it is not applied again.
    rules = [Rule(0, "merge", b"ab", b"c"), Rule(1, "merge", b"a", b"b")]
    assert encode("abc", rules, pattern=WHOLE) == [b"ab", b"c"]


def test_merges_and_supermerges_replace_left_to_right_without_overlap() -> None:
    assert encode("aaa", [Rule(0, "merge", b"a", b"a")], pattern=WHOLE) == [b"aa", b"a"]
    supermerge = Rule(0, "supermerge", b"a", b"a")
    assert encode("aaa", [supermerge], pattern=SINGLE, eligible=ANYTHING) == [b"aa", b"a"]


def test_delete_replaces_a_token_by_the_parts_that_the_rule_carries() -> None:
    rules = [
        Rule(0, "merge", b"a", b"b"),
        Rule(1, "merge", b"ab", b"c"),
        Rule(2, "delete", b"abc", parts=(b"ab", b"c")),
    ]
    assert encode("xabcabc", rules, pattern=WHOLE) == [b"x", b"ab", b"c", b"ab", b"c"]


def test_encoding_joins_to_the_utf_8_bytes() -> None:
    assert encode("日", []) == [b"\xe6", b"\x97", b"\xa5"]
    assert encode("", []) == []


def test_explain_gives_the_initial_state_and_each_rule_that_changes_something() -> None:
    rules = [
        Rule(0, "merge", b"x", b"y"),
        Rule(1, "merge", b"a", b"b"),
        Rule(2, "delete", b"xy", parts=(b"x", b"y")),
    ]
    assert list(explain("ab", rules)) == [
        (None, [[b"a", b"b"]]),
        (rules[1], [[b"ab"]]),
    ]


def test_listing_1_of_the_paper_is_explained_step_by_step() -> None:
    pairs = [
        ("merge", b" ", b"t"),
        ("merge", b"h", b"e"),
        ("merge", b" t", b"he"),
        ("merge", b"a", b"t"),
        ("merge", b" ", b"o"),
        ("merge", b" o", b"f"),
        ("merge", b" ", b"h"),
        ("supermerge", b" of", b" the"),
        ("merge", b"i", b"p"),
        ("merge", b" h", b"at"),
        ("merge", b"T", b"ip"),
    ]
    rules = [Rule(i, *pair) for i, pair in enumerate(pairs)]  # type: ignore[arg-type]
    states = [
        [[token.decode() for token in unit] for unit in units]
        for _, units in explain("Tip of the hat", rules)
    ]
    assert states == [
        [["T", "i", "p"], [" ", "o", "f"], [" ", "t", "h", "e"], [" ", "h", "a", "t"]],
        [["T", "i", "p"], [" ", "o", "f"], [" t", "h", "e"], [" ", "h", "a", "t"]],
        [["T", "i", "p"], [" ", "o", "f"], [" t", "he"], [" ", "h", "a", "t"]],
        [["T", "i", "p"], [" ", "o", "f"], [" the"], [" ", "h", "a", "t"]],
        [["T", "i", "p"], [" ", "o", "f"], [" the"], [" ", "h", "at"]],
        [["T", "i", "p"], [" o", "f"], [" the"], [" ", "h", "at"]],
        [["T", "i", "p"], [" of"], [" the"], [" ", "h", "at"]],
        [["T", "i", "p"], [" of"], [" the"], [" h", "at"]],
        [["T", "i", "p"], [" of the"], [" h", "at"]],
        [["T", "ip"], [" of the"], [" h", "at"]],
        [["T", "ip"], [" of the"], [" hat"]],
        [["Tip"], [" of the"], [" hat"]],
    ]
    assert encode("Tip of the hat", rules) == [b"Tip", b" of the", b" hat"]


def test_a_pretoken_is_looked_up_as_a_whole_before_any_rule() -> None:
    rules = [Rule(0, "merge", b"a", b"b"), Rule(1, "supermerge", b"abc", b" abc")]
    lookup = [b"abc", b" abc"]
    assert encode("abc", rules[:1], lookup=lookup) == [b"abc"]
    assert encode("abcd", rules, lookup=lookup) == [b"ab", b"c", b"d"]
    assert encode("dabc", rules, lookup=lookup) == [b"d", b"ab", b"c"]
    assert list(explain("abc abc", rules, lookup=lookup)) == [
        (None, [[b"abc"], [b" abc"]]),
        (rules[1], [[b"abc abc"]]),
    ]


def test_extending_joins_what_was_looked_up() -> None:
    documents, lookup = ["abc abc", "abc abcd"], [b"abc", b" abc"]
    rules, vocabulary = extend(documents, [], 1, lookup=lookup, min_count=1)
    assert [(rule.token, rule.count) for rule in rules] == [(b"abc abc", 1)]
    assert vocabulary[256:] == [b"abc", b" abc", b"abc abc"]
    # A pretoken that is looked up has no pairs.
    rules, _ = extend(documents, [], 1, kind="merges", lookup=lookup, min_count=1)
    assert [(rule.token, rule.count) for rule in rules] == [(b" a", 1)]


def test_pruning_keeps_looked_up_tokens() -> None:
    documents, lookup = ["abc abc", "abc abc"], [b"abc", b" abc"]
    rules, vocabulary = extend(documents, [], 1, lookup=lookup)
    assert prune(documents, rules, vocabulary, to=256, lookup=lookup)[256:] == lookup
    # Both are inside the superword only.
    assert prune(documents, rules, vocabulary, residues=0.5, lookup=lookup)[256:] == [
        *lookup,
        b"abc abc",
    ]
