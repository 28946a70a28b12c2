"""The rules of docs/algorithm.md on pretokens, each with a case that its reverse gets wrong."""

from __future__ import annotations

import pytest

import superword
from superword.reference import encode, explain, is_eligible, pretokenize, train


@pytest.mark.parametrize(
    ("pattern", "pretokens"),
    [
        ("gpt2", "XMLHttpRequest| snake|_|case| don|'t| | 1234567"),
        ("gpt4", "XMLHttpRequest| snake|_case| don|'t| | |123|456|7"),
        ("gpt4o", "XMLHttp|Request| snake|_case| don't| | |123|456|7"),
        ("punct", "XMLHttpRequest| snake|_|case| don|'|t| | |123|456|7"),
        ("boundless", "XML|Http|Request| snake|_case| don't|  |1|234|567"),
    ],
)
def test_named_patterns_split_as_the_paper_lists_them(pattern: str, pretokens: str) -> None:
    text = pretokens.replace("|", "")
    assert text == "XMLHttpRequest snake_case don't  1234567"
    assert pretokenize(text, pattern) == pretokens.split("|")


def test_several_regexes_split_one_after_the_other() -> None:
    # The blanks are at the end of their piece: a digit that follows in the text does not count.
    assert pretokenize("a  1", r"\d(?then)\w+|\s+(?!\S)|\s") == ["a", "  ", "1"]
    assert pretokenize("aab", "ab(?then)a") == ["a", "a", "b"]


def test_gpt4o_is_the_default_pattern() -> None:
    text = "XMLHttpRequest"
    assert pretokenize(text) == pretokenize(text, "gpt4o") != pretokenize(text, "boundless")


def test_whitespace_splits_as_in_the_paper() -> None:
    text = "Hello    world    \n\n  \n   "
    assert pretokenize(text, "gpt4") == ["Hello", "   ", " world", "    \n\n  \n", "   "]
    assert pretokenize(text, "boundless") == ["Hello", "    ", "world", "    \n\n", "  \n", "   "]


def test_unmatched_stretches_are_pretokens_of_their_own() -> None:
    assert pretokenize("..ab..c.", "[a-z]+") == ["..", "ab", "..", "c", "."]
    assert pretokenize("...", "[a-z]+") == ["..."]
    assert pretokenize("", "[a-z]+") == []


def test_empty_matches_are_ignored() -> None:
    assert pretokenize("..aa..", "a*") == ["..", "aa", ".."]
    assert pretokenize("ab", "") == ["ab"]
    assert pretokenize("aab", "|a") == ["a", "a", "b"]


def test_of_a_match_with_groups_the_whole_counts() -> None:
    assert pretokenize("abab", "(a)(b)") == ["ab", "ab"]


@pytest.mark.parametrize("surrogate", ["\ud800", "\udfff"])
def test_a_lone_surrogate_is_refused(surrogate: str) -> None:
    text = f"ab{surrogate}"
    for refused in (
        lambda: pretokenize(text),
        lambda: train([text], 256),
        lambda: encode(text, []),
        lambda: list(explain(text, [])),
    ):
        with pytest.raises(ValueError, match="lone surrogate .* character 2"):
            refused()


@pytest.mark.parametrize("pretoken", ["ab", " a", " the", "_case", "don't", "don\u2019t", "日本"])
def test_words_are_eligible(pretoken: str) -> None:
    assert is_eligible(pretoken)


@pytest.mark.parametrize("pretoken", ["a", "a\u0301", "é", "'", " '", "12", " a1", "ab\n", "ab,"])
def test_lone_letters_and_other_pretokens_are_not_eligible(pretoken: str) -> None:
    assert not is_eligible(pretoken)


def test_eligible_is_a_full_match() -> None:
    assert is_eligible("ab", "a|ab")
    assert not is_eligible("abc", "a|ab")
    assert not is_eligible("cab", "a|ab")


@pytest.mark.parametrize(
    ("text", "pretokens"),
    [
        ("Made in \u6771\u4eac", "Made| in| \u6771|\u4eac"),
        ("\u0e20\u0e32\u0e29\u0e31", "\u0e20|\u0e32|\u0e29\u0e31"),
        # Text without a script belongs to what follows it, and at the end to what was before.
        ("\u0967" + "1a", "\u0967|1|a"),
        ("\u0967" + "1", "\u0967" + "1"),
        ("\u4e2d\u30fc\u30fc", "\u4e2d|\u30fc|\u30fc"),
        # A combining mark belongs to the script before it, and so does what is between.
        ("\u0967" + "1\u0301a", "\u0967" + "1|\u0301|a"),
        # U+0378 is not assigned.
        ("\u0378a", "\u0378a"),
        ("IP\uc758 \u0434\u0430's", "IP|\uc758| \u0434\u0430|'s"),
    ],
)
def test_gpt4o_scripts_splits_by_script(text: str, pretokens: str) -> None:
    assert pretokenize(text, "gpt4o-scripts") == pretokens.split("|")


def test_gpt4o_scripts_makes_words_of_letters_by_default() -> None:
    documents = ["\u6771\u4eac", "\u6771\u4eac"]
    rules, vocabulary = train(documents, 261, pattern="gpt4o-scripts", deletion=None)
    assert rules[-1].kind == "supermerge"
    assert vocabulary[-1].decode() == documents[0]


@pytest.mark.parametrize(
    "pattern", ["ab$|.", "(?s)a.$", "[$]b|a$", r"\$b|b$", "[]$]b|a", "[^]$]+|a$"]
)
def test_a_dollar_in_a_pattern_is_the_end_and_not_a_last_newline(pattern: str) -> None:
    for text in ["ab\n", "ab", "a\n\n", "$ba", "a$b\n", "]b$b"]:
        assert pretokenize(text, pattern) == superword.pretokenize(text, pattern)
