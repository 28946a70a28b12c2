"""SuperBPE against the reference: the same rules, counts and ids, and the same tokens for any text.

Transitions range from 256 to the end, vocabularies from 256 until pairs run out, and the
patterns of the two stages are unrelated: the second may split where the first does not.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import Tokenizer, reference
from superword.reference import SECOND_PATTERN
from superword.tokenizer import TrainingConfig

pytestmark = pytest.mark.filterwarnings("ignore:the corpus has pairs for")

PATTERNS = ["gpt4o", "boundless", ".", "ab|.", " ?[a-z]+|.", "(?s).{1,2}", "a+|b", "(?<=b)a+b?|."]
SECOND_PATTERNS = [SECOND_PATTERN, SECOND_PATTERN, "(?s).+", "(?s).+", " +", "b+", "gpt4o", "ab|."]
SIZES = [256, 257, 258, 260, 265, 270, 280, 300, 350, 5000]
LETTERS = ["ab", "ab ", "ab '", "abc  ", "a", "a ", "aab  ", "é a", "ab.,  ", "a1 2."]


def written(rules: Any) -> list[tuple[object, ...]]:
    return [(rule.kind, rule.left, rule.right, rule.count) for rule in rules]


def tokens(tok: Tokenizer, text: str) -> list[bytes | None]:
    return [tok.token_bytes(id) for id in tok.encode(text)]


def assert_equal(
    documents: list[str], vocab_size: int, options: dict[str, Any], **effort: Any
) -> Tokenizer:
    options = {**options, "supermerges": False, "deletion": None}
    rules, vocabulary = reference.train(documents, vocab_size, **options)
    tok = superword.train(documents, vocab_size, **options, **effort)
    told = f"train({documents}, {vocab_size}, **{options})"
    assert written(tok.rules) == written(rules), told
    assert tok._model.vocabulary() == list(enumerate(vocabulary)), told
    for text in documents[:4]:
        expected = reference.encode(text, rules, pattern=tok.pattern)
        assert tokens(tok, text) == expected, f"{text!r} by {told}"
    return tok


def random_documents(random: Random) -> list[str]:
    letters = random.choice(LETTERS)
    longest = random.choice([3, 10, 40, 80])
    documents = [
        "".join(random.choices(letters, k=random.randint(1, longest)))
        for _ in range(random.randint(1, 8))
    ]
    words = ["".join(random.choices("abc", k=random.randint(1, 4))) for _ in range(5)]
    documents += [
        " ".join(random.choices(words, k=random.randint(1, 30)))
        for _ in range(random.randint(0, 4))
    ]
    return documents * random.choice([1, 1, 2])


def random_options(random: Random, vocab_size: int) -> dict[str, Any]:
    transition = random.choice([256, 257, 259, 262, 270, 290, vocab_size])
    return {
        "pattern": random.choice(PATTERNS),
        "second_pattern": random.choice(SECOND_PATTERNS),
        "transition": min(transition, vocab_size),
        "min_count": random.choice([1, 2, 2, 3, 5]),
        "max_words": random.choice([None] * 4 + [1, 2, 3]),
        "max_token_bytes": random.choice([None] * 6 + [2, 4, 7]),
        "forbid": random.choice([None] * 6 + ["aa", "b a", "é", "\\.$"]),
    }


def test_random_corpora_give_the_rules_and_tokens_of_the_reference() -> None:
    def check(seed: int) -> None:
        random = Random(seed)
        documents, vocab_size = random_documents(random), random.choice(SIZES)
        effort: dict[str, Any] = {
            "threads": random.randint(1, 3),
            "verify_every": random.choice([None, 1, 3]),
        }
        if seed % 50 == 0:
            effort |= {"threads": 128, "memory_limit": "256MB"}
        assert_equal(documents, vocab_size, random_options(random, vocab_size), **effort)

    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(check, range(500)):
            pass


texts = st.lists(
    st.sampled_from(["a", "b", " ", "'", "ab", "aab", "abab", " ab", " a", "12", ".. ", "  ", "é"]),
    min_size=1,
    max_size=15,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(texts, min_size=1, max_size=6),
    st.sampled_from(SIZES),
    st.integers(0, 40),
    st.sampled_from(PATTERNS),
    st.sampled_from(SECOND_PATTERNS),
    st.integers(1, 3),
)
def test_small_corpora_give_the_rules_and_tokens_of_the_reference(
    documents: list[str],
    vocab_size: int,
    first_rules: int,
    pattern: str,
    second_pattern: str,
    min_count: int,
) -> None:
    transition = min(256 + first_rules, vocab_size)
    options = {
        "pattern": pattern,
        "second_pattern": second_pattern,
        "transition": transition,
        "min_count": min_count,
    }
    assert_equal(documents, vocab_size, options)


def test_a_piece_of_the_sample_gives_the_rules_and_tokens_of_the_reference() -> None:
    documents = [document[:1200] for document in superword.sample()][:195:20]
    options = {"pattern": "gpt4o", "transition": 400}
    tok = assert_equal(documents, 520, options, threads=2)
    made = [rule.token for rule in tok.rules if rule.index >= 400 - 256]
    assert any(b" " in token[1:] for token in made), "some tokens span words"
    rules = list(tok.rules)
    unseen = next(superword.sample())[5000:7000]
    expected = reference.encode(unseen, rules, pattern=tok.pattern)  # type: ignore[arg-type]
    assert tokens(tok, unseen) == expected


def random_merges(random: Random, letters: str, count: int) -> list[reference.Rule]:
    """Return random merges: some occur twice, and some make a token that another one makes."""
    made = [bytes([byte]) for byte in sorted(set(letters.encode()))]
    rules: list[reference.Rule] = []
    for _ in range(count):
        left, right = random.choices(made, k=2)
        if rules and random.random() < 0.1:
            left, right = rules[-1].left, rules[-1].right or b""
        if len(left + right) <= 10:
            rules.append(reference.Rule(len(rules), "merge", left, right, (), 1))
            made.append(left + right)
    return rules


def test_random_merges_encode_as_the_reference_does_wherever_the_stage_begins() -> None:
    for seed in range(600):
        random = Random(seed)
        letters = random.choice(LETTERS)
        rules = random_merges(random, letters, random.choice([3, 10, 30, 80]))
        parameters = TrainingConfig(
            supermerges=False,
            deletion=None,
            vocab_size=5000,
            transition=random.randint(256, 257 + len(rules)),
            second_pattern=random.choice(SECOND_PATTERNS),
        )
        tok = Tokenizer._from_rules(rules, parameters)
        for length in (5, 30, 150):
            text = "".join(random.choices(letters, k=length))
            expected = reference.encode(text, rules, pattern=tok.pattern)
            assert tokens(tok, text) == expected, f"seed {seed}: {text!r} with {parameters}"


@pytest.mark.parametrize("vocab_size", [300, 340])
def test_truncation_is_training_at_that_size(vocab_size: int) -> None:
    documents = [document[:1200] for document in superword.sample()][:195:20]
    options: dict[str, Any] = {
        "pattern": "gpt4o",
        "supermerges": False,
        "deletion": None,
        "transition": 300,
        "special_tokens": ["<|end|>"],
    }
    tok = superword.train(documents, 400, **options)
    assert tok.truncate(vocab_size) == superword.train(documents, vocab_size, **options)
    with pytest.raises(ValueError, match="second stage begins at 300 tokens"):
        tok.truncate(299)


def test_threads_order_and_memory_change_nothing(tmp_path: Any) -> None:
    documents = list(superword.sample())[::10]
    options: dict[str, Any] = {
        "pattern": "gpt4o",
        "supermerges": False,
        "deletion": None,
        "transition": 1500,
    }
    file = superword.train(documents, 2000, threads=1, **options)._model.to_json()
    for effort in ({"threads": 3}, {"threads": 128, "memory_limit": "256MB"}, {"verify_every": 60}):
        again = superword.train(documents[::-1], 2000, **options, **effort)
        assert again._model.to_json() == file, effort
    for half in range(2):
        text = "\n----\n".join(documents[half::2])
        (tmp_path / f"{half}.txt").write_bytes(text.encode())
    again = superword.train(tmp_path, 2000, separator="\n----\n", **options)
    assert again._model.to_json() == file
