"""Patterns: no text is lost; custom regexes, and those that are rejected."""

from __future__ import annotations

import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from superword import PatternError, TrainingConfig, is_eligible, pretokenize, reference
from superword._core import BACKTRACK_LIMIT, UNICODE_VERSION
from superword.patterns import DEFAULT_PATTERN, NAMED_PATTERNS


def test_gpt4o_is_the_default_everywhere() -> None:
    assert DEFAULT_PATTERN == reference.DEFAULT_PATTERN == TrainingConfig().pattern == "gpt4o"
    text = "XMLHttpRequest isn't 1234567"
    expected = ["XMLHttp", "Request", " isn't", " ", "123", "456", "7"]
    assert pretokenize(text) == reference.pretokenize(text) == expected


def test_boundless_splits_names_as_the_paper_says() -> None:
    assert pretokenize("XMLHttpRequest snake_case camelCase CONSTANT", "boundless") == [
        *("XML", "Http", "Request", " snake", "_case", " camel", "Case", " CONSTANT")
    ]


def test_numbers_group_from_the_right_under_boundless_and_from_the_left_under_gpt4o() -> None:
    assert pretokenize("1234567", "boundless") == ["1", "234", "567"]
    assert pretokenize("1234567", "gpt4o") == ["123", "456", "7"]


@pytest.mark.parametrize(
    "pattern", [*NAMED_PATTERNS, r"\p{L}+", r"a|", r"(b)(?=c)", r"\b", "", r"(?s).{3}"]
)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_the_pretokens_of_a_text_put_together_are_the_text(pattern: str, text: str) -> None:
    pretokens = pretokenize(text, pattern)
    assert "".join(pretokens) == text
    assert all(pretokens)


def test_each_longest_unmatched_stretch_is_a_pretoken() -> None:
    assert pretokenize("--ab--cd-", r"[a-z]+") == ["--", "ab", "--", "cd", "-"]
    assert pretokenize("--", r"[a-z]+") == ["--"]


def test_empty_matches_are_ignored() -> None:
    assert pretokenize("baaac", r"a*") == ["b", "aaa", "c"]
    assert pretokenize("abc", r"") == ["abc"]


def test_the_whole_match_counts_even_with_groups() -> None:
    assert pretokenize("xayb", r"x(a)|y(b)") == ["xa", "yb"]


def test_own_regexes_have_unicode_classes_and_look_around() -> None:
    assert pretokenize("één twee", r"\p{L}+(?=\s)|\p{L}+") == ["één", " ", "twee"]
    assert pretokenize("a1b2", r"(?<=\d)\p{Ll}|\p{Ll}(?!2)") == ["a", "1", "b", "2"]
    assert pretokenize("aab", r"a++b|a") == ["aab"]


@pytest.mark.parametrize(
    ("source", "position"),
    [
        ("*a", 0),
        ("a(b", 3),
        ("éé[z", 4),
        ("(?<=a", 5),
        (r"é\p{Foo}", 1),
        ("(?=x)[b-a]", 6),
        ("a)", 1),
    ],
)
def test_a_malformed_regex_is_refused_with_its_position(source: str, position: int) -> None:
    for use in (pretokenize, is_eligible):
        with pytest.raises(PatternError, match=f"at position {position}: ") as refused:
            use("x", source)
        assert refused.value.position == position


def test_catastrophic_backtracking_ends_in_an_error_that_says_so() -> None:
    began = time.monotonic()
    with pytest.raises(PatternError, match=f"gave up at byte 4 .* after {BACKTRACK_LIMIT} steps"):
        pretokenize("x = " + "a" * 60, r"[x =]+|(?:(?=a)a|(?=a)a)+$b")
    with pytest.raises(PatternError, match="gave up"):
        is_eligible("a" * 60, r"(?:(?=a)a|(?=a)a)+b")
    assert time.monotonic() - began < 60


def test_an_unbalanced_regex_is_not_closed_by_added_brackets() -> None:
    with pytest.raises(PatternError):
        is_eligible("ab", r"a)(?:b")


def test_eligibility_is_about_the_whole_pretoken() -> None:
    assert is_eligible("ab", r"a|ab")
    assert not is_eligible("abc", r"ab")


def test_a_lone_letter_is_not_eligible_but_one_after_a_space_is() -> None:
    assert not is_eligible("a")
    assert is_eligible(" a")
    assert not is_eligible("e\u0301")
    assert is_eligible("'a")
    assert not is_eligible(" a\n")
    assert not is_eligible("\u0301ab")


@pytest.mark.parametrize("pattern", ["boundless", r"\p{L}+"])
def test_lone_surrogates_are_refused(pattern: str) -> None:
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        pretokenize("a\ud800b", pattern)


def test_the_tables_are_of_the_unicode_version_of_the_pinned_regex() -> None:
    assert regex.__version__ == "2026.11.9"
    assert UNICODE_VERSION == "18.0.0"


def test_every_code_point_is_split_off_by_its_class() -> None:
    """Each named pattern agrees with `regex` on every code point, alone and between letters."""
    points = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000]
    text = "".join(f"a{point}b{point}{point}\n" for point in points)
    for pattern, source in NAMED_PATTERNS.items():
        if pattern in ("gpt4o", "boundless"):
            assert pretokenize(text, pattern) == regex.findall(source, text), pattern
