"""The scanners split as PyPI's `regex` does with the same patterns."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from superword import is_eligible, pretokenize
from superword.patterns import ELIGIBLE, NAMED_PATTERNS, SECOND_PATTERN, compile_pattern

NAMES = ["gpt2", "gpt4", "gpt4o", "punct", "boundless"]
SEED = 20250815
STRINGS = 100_000

# The authors' draft of `boundless`, which their first models use, and its catch-all branch.
DRAFT = NAMED_PATTERNS["boundless"].replace(r"| ?(?:[\p{P}\p{S}]", r"|(?:[\p{P}\p{S}]") + "|.+"

# Patterns as common tokenizers spell them; these have scanners too.
SPELLINGS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "byte-level": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "r50k": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "llama3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
}

GENERAL_CATEGORIES = (
    "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn"
).split()

# Characters that the patterns distinguish, and all paths of the scanners: ASCII and beyond, one
# byte and four, apostrophes and their suffixes, every kind of white space.
PIECES = [
    *"abcdefst",
    *"ABCST",
    *" " * 12,
    *["  ", "   ", "\t", "\n", "\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\xa0", "\u3000"],
    *["\u2028", "\u2029", "\u200b", "\u200d", "\x00", "\x1c", "\x1f", "\x7f", "\ufeff"],
    *["'", "\u2019", "'s", "'S", "'t", "'re", "'RE", "'ve", "'m", "'ll", "'lL", "'d", "'\u017f"],
    *[
        "\u2019s",
        "_",
        "__",
        "_a",
        "/",
        "//",
        "\n/",
        "!",
        "!\n",
        "...",
        "-",
        "(",
        ")",
        '"',
        "\u201c",
    ],
    *["1", "12", "123", "1234", "1234567", "\u0663", "\u00bd", "\u2167"],
    *["\u0301", "\u0301\u0302", "e\u0301", "E\u0301", "1\u0301", "!\u0301", " \u0301", "\ufe0f"],
    *["\u00e9", "\u00c9", "\u01c5", "\u02b0", "\u0436", "\u0416", "\u03b1", "\u017f", "\u0130"],
    *["\u4e2d", "\u6587", "\u3042", "\ud55c", "\uae00", "\u0e01", "\u0915\u093f", "\u05d0"],
    *["\U0001f600", "\U0001f469\u200d\U0001f4bb", "\U00010400", "\U00010428", "\U0001d7d9"],
    *["the", " of", "The", "XML", "Http", "camelCase", "CONSTANT", "don't", "l\u2019eau"],
]


@pytest.fixture(scope="module")
def strings() -> list[str]:
    """The seeded strings: short ones, and ones long enough for several blocks of 64 bytes."""
    pools = [
        regex.findall(rf"\p{{{category}}}", "".join(map(chr, range(0x110000))))
        for category in GENERAL_CATEGORIES
    ]
    choice = random.Random(SEED)
    return list(make_strings(choice, pools, STRINGS))


def make_strings(choice: random.Random, pools: list[list[str]], count: int) -> Iterator[str]:
    """Yield strings of pieces, some with a character of any category now and then."""
    for _ in range(count):
        pieces = choice.choices(PIECES, k=choice.choice([1, 2, 3, 4, 5, 6, 8, 12, 40]))
        for _ in range(choice.choice([0, 0, 1, 3])):
            pieces[choice.randrange(len(pieces))] = choice.choice(choice.choice(pools))
        if choice.random() < 0.1:
            # A long plain stretch, so that the rest starts at any offset in a block.
            pieces[choice.randrange(len(pieces))] = "word " * choice.randrange(1, 30)
        yield "".join(pieces)


@pytest.mark.parametrize("pattern", [*NAMES, DRAFT], ids=[*NAMES, "draft"])
def test_a_hundred_thousand_random_strings_are_split_alike(
    pattern: str, strings: list[str]
) -> None:
    split = regex.compile(NAMED_PATTERNS.get(pattern, pattern)).findall
    for text in strings:
        assert pretokenize(text, pattern) == split(text), f"seed {SEED}: {text!a}"


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_common_tokenizers_are_split_alike(name: str, strings: list[str]) -> None:
    pattern = SPELLINGS[name]
    assert compile_pattern(pattern).covers_all  # It has a scanner.
    split = regex.compile(pattern).findall
    for text in strings[:40_000]:
        assert pretokenize(text, pattern) == split(text), f"seed {SEED}: {text!a}"


def split_between(pattern: str, text: str) -> list[str]:
    """Split with `regex`, unmatched text included: the second pattern does not match everything."""
    return [piece for piece in regex.splititer(f"({pattern})", text) if piece]


def test_the_second_pattern_splits_random_strings_alike(strings: list[str]) -> None:
    for text in strings:
        expected = split_between(SECOND_PATTERN, text)
        assert pretokenize(text, SECOND_PATTERN) == expected, f"seed {SEED}: {text!a}"


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(PIECES) | st.characters(), max_size=40).map("".join))
@example("  a")
@example("   ..")
@example(" \n  \n")
@example("a //\n/\n b")
def test_the_second_pattern_splits_shrinking_strings_alike(text: str) -> None:
    if regex.search(r"\p{Cs}", text) is None:
        assert pretokenize(text, SECOND_PATTERN) == split_between(SECOND_PATTERN, text)


def test_random_pretokens_are_eligible_alike(strings: list[str]) -> None:
    matches = regex.compile(ELIGIBLE).fullmatch
    for text in strings:
        for pretoken in (text, *pretokenize(text, "gpt2")):
            assert is_eligible(pretoken) == bool(matches(pretoken)), f"seed {SEED}: {pretoken!a}"


@pytest.mark.parametrize("pattern", NAMES)
@settings(max_examples=1000)
@given(st.lists(st.sampled_from(PIECES) | st.characters(), max_size=40).map("".join))
@example("12\u030134")
@example("__init__")
@example("Hello    world    \n\n  \n   ")
def test_shrinking_strings_are_split_alike(pattern: str, text: str) -> None:
    if regex.search(r"\p{Cs}", text) is None:
        assert pretokenize(text, pattern) == regex.findall(NAMED_PATTERNS[pattern], text)


def test_golden_texts_are_split_alike(
    golden: Path, read_jsonl: Callable[[Path], Iterator[Any]]
) -> None:
    sources = json.loads((golden / "pretokenize/patterns.json").read_text())["patterns"]
    checked = 0
    for row in read_jsonl(golden / "pretokenize/pretokens_texts.jsonl.zst"):
        for pattern in {row["pattern"], sources[row["pattern"]]} & {*NAMES, *sources.values()}:
            assert pretokenize(row["text"], pattern) == row["pretokens"]
            checked += 1
    for row in read_jsonl(golden / "pretokenize/adversarial.jsonl.zst"):
        for name, pretokens in row["pretokens"].items():
            assert pretokenize(row["text"], sources[name]) == pretokens
            checked += 1
    assert checked > 10_000


def test_golden_pretokens_are_eligible_alike(
    golden: Path, read_jsonl: Callable[[Path], Iterator[Any]]
) -> None:
    rows = list(read_jsonl(golden / "pretokenize/eligibility.jsonl.zst"))
    assert len(rows) > 10_000
    for row in rows:
        assert is_eligible(row["pretoken"]) == row["eligible"], ascii(row)


def test_the_listings_are_the_golden_ones(golden: Path) -> None:
    listed = json.loads((golden / "pretokenize/patterns.json").read_text())
    named = {**listed["patterns"], "boundless": listed["patterns"]["ultimate"].removesuffix("|.+")}
    assert {name: named[name] for name in NAMES} == NAMED_PATTERNS
    assert listed["merge_pattern"] == ELIGIBLE
    assert listed["patterns"]["ultimate_v1"] == DRAFT
