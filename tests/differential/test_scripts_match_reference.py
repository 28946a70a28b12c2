"""The pattern `gpt4o-scripts`: the scanner, the reference and the authors' code agree."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

import superword
from superword import is_eligible, pretokenize, reference
from superword.patterns import ELIGIBLE, SCRIPT_ELIGIBLE, SCRIPT_PATTERN

SEED = 20260414
STRINGS = 8_000

# Letters, marks, digits, punctuation and white space of several scripts and of none, and what is
# common between them.
PIECES = [
    *("a", "The", "XML", " the", "don't", "'s", "'S", "'ll", "\u017f", "\u00e9", "e\u0301"),
    *(
        "\u0436",
        "\u0416",
        "\u0436\u0436",
        "\u03b1",
        "\u05d0",
        "\u0639",
        "\ud55c\uae00",
        "\u0915\u094d",
    ),
    *(
        "\u4e2d",
        "\u6587\u5b57",
        "\u3042",
        "\u30a2",
        "\u30fc",
        "\u30fc\u30fc",
        "\u3005",
        "\u3007",
        "\uff9e",
    ),
    *("\u0e01", "\u0e31", "\u0e20\u0e32\u0e29\u0e32", "\u1000\u102d", "\u1780\u17d2", "\u0e81"),
    *(
        "\u17d4",
        "\u104a",
        "\u0964",
        "\u1362",
        "\u0f0b",
        "\u3001",
        "\u3002",
        "!",
        "..",
        "/",
        "(",
        "_",
    ),
    *("1", "123", "1234", "\u0663", "\u0967", "\u0e51", "\u2167", "\u00bd"),
    *(" ", " ", " ", "  ", "\n", "\n", "\r\n", "\t", "\xa0", "\u3000", "\u1680", "\u2028"),
    *("\u0301", "\u0302\u0301", "\u200c", "\u200d", "\ufe0f", "\u3099", "\U0001d165", "\u0488"),
    *(
        "\U0001f600",
        "\U0001f469\u200d\U0001f4bb",
        "\u00b5",
        "\u02bc",
        "\U0001d41b",
        "\ue000",
        "\u0378",
    ),
]
texts = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"]), max_size=30)


def test_the_authors_texts_are_split_alike(
    sampled_golden: Path, read_jsonl: Callable[[Path], Iterator[Any]]
) -> None:
    rows = list(read_jsonl(sampled_golden / "pretokenize/scripts_gpt4o.jsonl.zst"))
    assert len(rows) >= 1822
    for row in rows:
        assert pretokenize(row["text"], SCRIPT_PATTERN) == row["pretokens"], ascii(row["text"])
        assert reference.pretokenize(row["text"], SCRIPT_PATTERN) == row["pretokens"]


def test_random_strings_are_split_as_the_reference_does() -> None:
    choice = random.Random(SEED)
    assigned = regex.findall(
        r"[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]", "".join(map(chr, range(0x110000)))
    )
    for _ in range(STRINGS):
        pieces = choice.choices(PIECES, k=choice.choice([1, 2, 3, 4, 6, 8, 12, 40]))
        for _ in range(choice.choice([0, 0, 1, 3])):
            pieces[choice.randrange(len(pieces))] = choice.choice(assigned)
        if choice.random() < 0.1:
            # A long plain stretch, so that the rest starts at any offset in a block.
            pieces[choice.randrange(len(pieces))] = "word " * choice.randrange(1, 30)
        text = "".join(pieces)
        expected = reference.pretokenize(text, SCRIPT_PATTERN)
        assert pretokenize(text, SCRIPT_PATTERN) == expected, f"seed {SEED}: {text!a}"


@settings(max_examples=1000)
@given(texts.map("".join))
@example("\u0967" + "3\u0302a")
@example("\u1681\u1680\u1680a")
@example("a\u02bc" + "," * 70 + "\u0436")
def test_shrinking_strings_are_split_as_the_reference_does(text: str) -> None:
    assert pretokenize(text, SCRIPT_PATTERN) == reference.pretokenize(text, SCRIPT_PATTERN)


def test_every_letter_of_a_script_without_spaces_is_a_pretoken() -> None:
    assert pretokenize("Made in \u6771\u4eac, OK", SCRIPT_PATTERN) == [
        *("Made", " in", " \u6771", "\u4eac", ",", " OK")
    ]
    assert pretokenize("\u0e20\u0e32\u0e29\u0e31", SCRIPT_PATTERN) == [
        "\u0e20",
        "\u0e32",
        "\u0e29\u0e31",
    ]
    # A change of script ends a pretoken, too.
    assert pretokenize("IP\uc758", SCRIPT_PATTERN) == ["IP", "\uc758"]
    assert pretokenize("\u0434\u0430's", SCRIPT_PATTERN) == ["\u0434\u0430", "'s"]


@given(texts.map("".join))
def test_random_pretokens_are_eligible_as_the_regex_says(text: str) -> None:
    matches = regex.compile(SCRIPT_ELIGIBLE).fullmatch
    for pretoken in (text, *pretokenize(text, SCRIPT_PATTERN)):
        assert is_eligible(pretoken, SCRIPT_ELIGIBLE) == bool(matches(pretoken)), ascii(pretoken)


def test_every_code_point_is_eligible_as_the_regex_says() -> None:
    matches = regex.compile(SCRIPT_ELIGIBLE).fullmatch
    for point in map(chr, [*range(0xD800), *range(0xE000, 0x110000)]):
        assert is_eligible(point, SCRIPT_ELIGIBLE) == bool(matches(point)), ascii(point)


@pytest.mark.parametrize("supermerges", [True, False])
@pytest.mark.parametrize("deletion", ["bytes", "pair", None])
def test_training_and_encoding_agree_with_the_reference(supermerges: bool, deletion: Any) -> None:
    choice = random.Random(f"{SEED} {supermerges} {deletion}")
    words = [*PIECES, *("\u6771\u4eac", "\u30b3\u30fc\u30d2\u30fc", "\u0e20\u0e32\u0e29\u0e32") * 6]
    documents = ["".join(choice.choices(words, k=40)) for _ in range(30)]
    options: Any = {"supermerges": supermerges, "deletion": deletion, "pattern": SCRIPT_PATTERN}
    tok = superword.train(documents, 350, **options, threads=2)
    rules, vocabulary = reference.train(documents, 350, max_superwords=1 / 16, **options)
    assert [(rule.kind, rule.left, rule.right, rule.count) for rule in tok.rules] == [
        (rule.kind, rule.left, rule.right, rule.count) for rule in rules
    ]
    assert tok._model.vocabulary() == list(enumerate(vocabulary))
    ids = {token: id for id, token in enumerate(vocabulary)}
    for text in ("".join(choice.choices(words, k=30)) for _ in range(20)):
        tokens = reference.encode(text, rules, pattern=SCRIPT_PATTERN)
        assert tok.encode(text) == [ids[token] for token in tokens]
        stream = tok.encode_stream()
        cut = choice.randrange(len(text))
        fed = [*stream.feed(text[:cut]), *stream.feed(text[cut:]), *stream.finish()]
        assert fed == tok.encode(text)


@pytest.mark.filterwarnings("ignore:the corpus has pairs")
def test_words_without_spaces_form_by_default_and_not_with_the_rule_of_the_paper() -> None:
    documents = [
        "\u6771\u4eac",
        "\u6771\u4eac\u3001\u30b3\u30fc\u30d2\u30fc",
        "\u30b3\u30fc\u30d2\u30fc!",
    ]
    tok = superword.train(documents, 290, pattern=SCRIPT_PATTERN, deletion=None)
    assert tok.parameters.eligible == SCRIPT_ELIGIBLE
    words = {token.decode(errors="replace") for _, token in tok._model.vocabulary()}
    assert {"\u6771\u4eac", "\u30b3\u30fc\u30d2\u30fc"} <= words
    plain = superword.train(
        documents, 290, pattern=SCRIPT_PATTERN, eligible=ELIGIBLE, deletion=None
    )
    assert all(rule.kind == "merge" for rule in plain.rules)
