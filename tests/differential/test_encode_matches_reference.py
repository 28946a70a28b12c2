"""The fast encoder against the reference: the same tokens for any model and text.

The encoder must not rely on the order of rules in trained models. So most models here are random
rules, each applicable at its position: they delete tokens and make them again, make one token by
several rules, repeat rules, open and close pretokens, and have superwords that spell pretokens.
Texts have the same few letters.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import pairwise
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import Tokenizer, reference
from superword.reference import ELIGIBLE, Deletion, Rule
from superword.tokenizer import TrainingConfig

PATTERNS = [
    *("boundless", "gpt2", "gpt4o"),
    *("(?s).", "(?s).", "(?s).{1,2}", "(?s).{1,4}", "ab|.", " ?[a-z]+|.", "(?s) ?.", "a+|b"),
    *("(?<= )[ab]+|.", "(?<=')[ab]+|[ab]", "(?<=b)a+b?|.b"),
]
ELIGIBLES = [ELIGIBLE, "(?s).*", "(?s).*", "(?s).*", "[ab ]+", "a|ab|b+"]
ALPHABETS = ["ab", "ab", "ab ", "ab '", "abc", "a", "a ", "é a"]
Kind = Literal["merge", "supermerge", "delete"]
DELETIONS: list[Deletion] = ["bytes", "pair", None]


class Invention:
    """Random rules, and their effect on a few texts, so that most rules do something."""

    def __init__(self, random: Random, parameters: TrainingConfig, texts: list[str]) -> None:
        self.random = random
        self.rules: list[Rule] = []
        self.documents = [
            reference.initial_units(text, parameters.pattern, parameters.eligible) for text in texts
        ]
        letters = sorted({byte for text in texts for byte in text.encode()}) or [97]
        self.by_merge = {bytes([letter]) for letter in letters}
        self.by_supermerge: set[bytes] = set()

    def invent(self, count: int) -> list[Rule]:
        kinds = self.random.choices(
            [self.merge, self.supermerge, self.delete, self.again, self.otherwise],
            self.random.choice(
                [(4, 4, 2, 2, 1), (5, 0, 3, 2, 1), (2, 6, 1, 1, 1), (3, 3, 0, 1, 2)]
            ),
            k=count,
        )
        for kind in kinds:
            kind()
        return self.rules

    def merge(self) -> None:
        pairs = [
            pair for units in self.documents for unit in units for pair in pairwise(unit.tokens)
        ]
        self.join("merge", self.pair(pairs, self.by_merge))

    def supermerge(self) -> None:
        pairs = [
            (left, right)
            for units in self.documents
            for left, right in pairwise(unit.open_token for unit in units)
            if left and right
        ]
        self.join("supermerge", self.pair(pairs, self.by_merge | self.by_supermerge))

    def delete(self) -> None:
        long = sorted(token for token in self.by_merge if len(token) > 1)
        if not long:
            return
        token, end = self.random.choice(long), 0
        parts = []
        while end < len(token):
            ends = [
                later
                for later in range(end + 1, len(token) + 1)
                if token[end:later] in self.by_merge and later - end < len(token)
            ]
            later = self.random.choice(ends) if self.random.random() < 0.5 else end + 1
            parts.append(token[end:later])
            end = later
        self.by_merge.remove(token)
        self.perform(Rule(len(self.rules), "delete", token, None, tuple(parts)))

    def again(self) -> None:
        """Repeat an earlier rule, if it still applies; it may make a deleted token."""
        joins = [rule for rule in self.rules if rule.kind != "delete"]
        if joins:
            rule = self.random.choice(joins)
            self.join(rule.kind, (rule.left, rule.right or b""))

    def otherwise(self) -> None:
        """Make an existing token from another pair, or by the other kind of rule."""
        made = sorted({rule.token for rule in self.rules if rule.kind != "delete"})
        if made:
            token = self.random.choice(made)
            at = self.random.randint(1, len(token) - 1)
            kinds: list[Kind] = ["merge", "supermerge", "supermerge"]
            self.join(self.random.choice(kinds), (token[:at], token[at:]))

    def pair(self, pairs: list[tuple[bytes, bytes]], tokens: set[bytes]) -> tuple[bytes, bytes]:
        """Return a pair that occurs, frequent ones more often, or any pair."""
        if pairs and self.random.random() < 0.85:
            return self.random.choice(pairs)
        left, right = self.random.choices(sorted(tokens), k=2)
        return left, right

    def join(self, kind: Kind, pair: tuple[bytes, bytes]) -> None:
        tokens = self.by_merge if kind == "merge" else self.by_merge | self.by_supermerge
        if not tokens.issuperset(pair) or len(pair[0] + pair[1]) > 12:
            return
        made = self.by_merge if kind == "merge" else self.by_supermerge
        made.add(pair[0] + pair[1])
        self.perform(Rule(len(self.rules), kind, *pair, (), 1))

    def perform(self, rule: Rule) -> None:
        self.rules.append(rule)
        self.documents = [reference.apply_rule(rule, units) for units in self.documents]


def random_text(random: Random, letters: str, longest: int) -> str:
    if random.random() < 0.5:
        return "".join(random.choices(letters, k=random.randint(0, longest)))
    words = ["".join(random.choices(letters, k=random.randint(1, 4))) for _ in range(3)]
    return "".join(random.choices(words, k=random.randint(0, longest // 2)))


def invented(random: Random) -> tuple[list[Rule], TrainingConfig, str]:
    """Return a random model, and its letters."""
    letters = random.choice(ALPHABETS)
    parameters = TrainingConfig(
        pattern=random.choice(PATTERNS), eligible=random.choice(ELIGIBLES), vocab_size=5000
    )
    texts = [random_text(random, letters, 30) for _ in range(4)]
    rules = Invention(random, parameters, texts).invent(random.choice([5, 15, 40]))
    return rules, parameters, letters


def tokens(tok: Tokenizer, text: str) -> list[bytes]:
    return [tok.token_bytes(id) for id in tok.encode_ordinary(text)]


def replayed(tok: Tokenizer, text: str) -> list[bytes]:
    """Return the tokens that the reference gives."""
    *_, last = tok.explain_steps(text)
    return [token for unit in last.units for token in unit]


def expected(text: str, rules: Sequence[Rule], parameters: TrainingConfig) -> list[bytes]:
    return reference.encode(text, rules, pattern=parameters.pattern, eligible=parameters.eligible)


def test_random_rules_encode_as_the_reference_does() -> None:
    for seed in range(1000):
        random = Random(seed)
        rules, parameters, letters = invented(random)
        tok = Tokenizer._from_rules(rules, parameters)
        for text in [random_text(random, letters, 40) for _ in range(4)]:
            is_equal = tokens(tok, text) == expected(text, rules, parameters)
            assert is_equal, f"seed {seed}: encode({text!r}) with {parameters}"


def test_random_rules_do_all_that_rules_can() -> None:
    """The random models have the features that the other tests rely on."""
    seen: Counter[str] = Counter()
    for seed in range(200):
        random = Random(seed)
        rules, parameters, _ = invented(random)
        joins = [(rule.kind, rule.left, rule.right) for rule in rules if rule.kind != "delete"]
        made = Counter(rule.token for rule in rules if rule.kind != "delete")
        deleted = {rule.left for rule in rules if rule.kind == "delete"}
        kinds = {
            kind: {r.token for r in rules if r.kind == kind} for kind in ("merge", "supermerge")
        }
        seen["the same rule twice"] += len(set(joins)) < len(joins)
        seen["a token made by two rules"] += max(made.values(), default=0) > 1
        seen["a token deleted"] += bool(deleted)
        seen["a token made by both kinds"] += bool(kinds["merge"] & kinds["supermerge"])
        for index, rule in enumerate(rules):
            remade = rule.kind == "merge" and rule.token in {
                other.left for other in rules[:index] if other.kind == "delete"
            }
            seen["a token made again"] += remade
    assert min(seen.values()) >= 60, seen


def assert_explained(
    text: str, tok: Tokenizer, rules: Sequence[Rule], parameters: TrainingConfig
) -> None:
    """The steps are those of the reference, and each says which tokens it changed."""
    steps = tok.explain(text)
    theirs = reference.explain(
        text, rules, pattern=parameters.pattern, eligible=parameters.eligible
    )
    assert [(step.rule and step.rule.index, step.units) for step in steps] == [
        (rule and rule.index, units) for rule, units in theirs
    ]
    assert steps[0].changes == []
    for before, step in pairwise(steps):
        assert step.rule
        changed = [step.units[unit][token] for unit, token in step.changes]
        assert step.changes == sorted(set(step.changes))
        more = sum(map(len, step.units)) - sum(map(len, before.units))
        if step.rule.kind == "delete":
            assert b"".join(changed) == step.rule.token * (len(changed) // len(step.rule.parts))
            assert more == len(changed) - len(changed) // len(step.rule.parts)
        else:
            assert set(changed) == {step.rule.token}
            assert more == -len(changed)


def test_explanations_are_those_of_the_reference() -> None:
    for seed in range(300):
        random = Random(seed)
        rules, parameters, letters = invented(random)
        tok = Tokenizer._from_rules(rules, parameters)
        assert_explained(random_text(random, letters, 40), tok, rules, parameters)


pieces = ["a", "b", " ", "'", "ab", "ab", "aab", "abb", "abab", " ab", " a", " ba", "é"]
texts = st.lists(st.sampled_from(pieces), max_size=12).map("".join)
repeated = st.builds(lambda text, times: [text] * times, texts, st.sampled_from([1, 1, 2, 5]))
corpora = st.lists(repeated, max_size=6).map(lambda lists: sum(lists, []))
parameters_of_training = st.builds(
    TrainingConfig,
    transition=st.none(),
    second_pattern=st.none(),
    pattern=st.sampled_from(PATTERNS),
    eligible=st.sampled_from(ELIGIBLES),
    supermerges=st.sampled_from([True, True, False]),
    deletion=st.sampled_from(DELETIONS),
    tau=st.sampled_from([0.3, 0.4, 0.5, 0.6, 0.9, 1.0]),
    min_count=st.sampled_from([1, 1, 2, 3]),
    vocab_size=st.sampled_from([257, 260, 270, 280, 300, 5000]),
)


@settings(max_examples=200)
@given(corpora, parameters_of_training, st.lists(texts, min_size=1, max_size=3))
def test_small_trained_models_encode_as_the_reference_does(
    documents: list[str], parameters: TrainingConfig, others: list[str]
) -> None:
    rules, _ = reference.train(documents, **asdict(parameters))
    tok = Tokenizer._from_rules(rules, parameters)
    for text in [*others, *documents[:2]]:
        assert tokens(tok, text) == expected(text, rules, parameters)
    assert_explained(others[0], tok, rules, parameters)


@settings(max_examples=200)
@given(st.randoms(use_true_random=False), st.data())
def test_models_of_random_rules_encode_as_the_reference_does(
    random: Random, data: st.DataObject
) -> None:
    rules, parameters, letters = invented(random)
    tok = Tokenizer._from_rules(rules, parameters)
    text = data.draw(st.text(letters, max_size=40))
    assert tokens(tok, text) == expected(text, rules, parameters)


def written(*lines: str) -> list[Rule]:
    """Return rules from lines like `merge a b`, `supermerge ab c`, `delete abc ab c`."""
    rules = []
    for index, line in enumerate(lines):
        kind, *spelled = line.split()
        first, *rest = [token.encode() for token in spelled]
        if kind == "delete":
            rules.append(Rule(index, "delete", first, None, tuple(rest)))
        else:
            joins: Kind = "merge" if kind == "merge" else "supermerge"
            rules.append(Rule(index, joins, first, rest[0], (), 1))
    return rules


@pytest.mark.parametrize(
    ("lines", "text", "result"),
    [
        pytest.param(
            ("merge a b", "merge ab c", "delete abc ab c"),
            "abc",
            "ab c",
            id="a part does not meet the rules before its deletion",
        ),
        pytest.param(
            ("merge a b", "merge ab c", "delete abc ab c", "merge ab c"),
            "abc",
            "abc",
            id="a rule that comes again makes its token again",
        ),
        pytest.param(
            ("merge a b", "merge b c", "merge ab c", "delete ab a b", "merge a bc"),
            "abc bc",
            "abc _ bc",
            id="a token made by two rules",
        ),
        pytest.param(
            ("merge a b", "supermerge ab -", "delete ab a b"),
            "ab-ab",
            "ab- a b",
            id="a superword is not deleted with its pretoken",
        ),
        pytest.param(
            ("merge a b", "delete ab a b", "merge a b", "supermerge ab -"),
            "ab-",
            "ab-",
            id="a pretoken that opens again is joined",
        ),
        pytest.param(
            ("merge x y", "supermerge x y", "delete xy x y", "supermerge xy -", "merge x y"),
            "<xy-xy-",
            "< xy - xy-",
            id="a pretoken is not joined while it is closed",
        ),
        pytest.param(
            ("merge x y", "supermerge - x", "supermerge -x y", "supermerge x y"),
            "-xy<xy-",
            "-xy < xy -",
            id="a pretoken that is never open does not meet what it spells",
        ),
        pytest.param(
            ("supermerge - -", "supermerge -- -", "supermerge -- --"),
            "-" * 7,
            "---- ---",
            id="supermerges go left to right",
        ),
    ],
)
def test_rules_meet_what_is_there_at_their_time(
    lines: tuple[str, ...], text: str, result: str
) -> None:
    rules = written(*lines)
    parameters = TrainingConfig(pattern="(?<=<)[xy]+|[abc]+|.", eligible="(?s).*", vocab_size=300)
    assert expected(text, rules, parameters) == [
        b" " if token == "_" else token.encode() for token in result.split()
    ]
    assert tokens(Tokenizer._from_rules(rules, parameters), text) == expected(
        text, rules, parameters
    )


# Longer pretokens take another path, and are not cached.
@pytest.mark.parametrize("length", [16, 17, 255, 256, 257, 3000])
def test_long_pretokens_encode_as_the_rules_one_after_the_other(length: int) -> None:
    for seed in range(60 if length < 1000 else 20):
        random = Random(length * 1000 + seed)
        rules, parameters, letters = invented(random)
        parameters = replace(parameters, pattern=f"(?s).{{1,{length}}}")
        tok = Tokenizer._from_rules(rules, parameters)
        once = random_text(random, letters, 2 * length + 1)
        for text in [once, once * 2, letters[0] * length]:
            assert tokens(tok, text) == replayed(tok, text), f"seed {length * 1000 + seed}"
        if seed < 10:
            text = random_text(random, letters, 300)
            assert tokens(tok, text) == expected(text, rules, parameters)


def test_long_runs_of_open_pretokens_encode_as_the_rules_one_after_the_other() -> None:
    for seed in range(200):
        random = Random(seed)
        rules, parameters, letters = invented(random)
        pattern = random.choice(["(?s).", "(?s).{1,2}", "ab|(?s:.)", "(?<=b)a+b?|(?s:.)"])
        parameters = replace(parameters, pattern=pattern, eligible="(?s).*")
        tok = Tokenizer._from_rules(rules, parameters)
        superwords = [rule.token.decode("utf-8", "ignore") for rule in rules]
        prefix = (random.choice(superwords) if superwords else letters)[: random.randint(1, 6)]
        for text in [random_text(random, letters, 600), prefix * 300, letters[0] * 1001]:
            assert tokens(tok, text) == replayed(tok, text), f"seed {seed}: {text[:60]!r}"


def test_superwords_put_together_in_very_many_ways() -> None:
    """There are more boundaries than the encoder's table holds."""
    for seed in range(10):
        random = Random(seed)
        pairs = [(left, length - left) for length in range(2, 25) for left in range(1, length)]
        # Shorter tokens first, since longer ones need them; in random order within a length.
        pairs.sort(key=lambda pair: (sum(pair), random.random()))
        rules: list[Rule] = []
        for left, right in pairs:
            # Pretokens that no rule joins may still become neighbours in a superword.
            kinds: list[Kind] = ["supermerge"] if random.random() < 0.7 else []
            if left + right < 9:
                kinds.append("merge")
            there = {1, *(len(rule.token) for rule in rules)}
            for kind in kinds if {left, right} <= there else []:
                rules.append(Rule(len(rules), kind, b"a" * left, b"a" * right, (), 1))
        parameters = TrainingConfig(pattern="(?<=b)a{1,7}|a{1,3}|b", eligible="a+", vocab_size=300)
        tok = Tokenizer._from_rules(rules, parameters)
        text = "".join("b" * random.randint(0, 1) + "a" * random.randint(1, 9) for _ in range(60))
        assert tokens(tok, text) == expected(text, rules, parameters), f"seed {seed}: {text}"


REAL = [
    TrainingConfig(pattern="boundless", deletion="bytes", tau=0.8, vocab_size=4000),
    TrainingConfig(pattern="boundless", deletion="pair", tau=0.6, vocab_size=4000),
    TrainingConfig(pattern="gpt4o", deletion=None, vocab_size=4000),
    TrainingConfig(pattern="gpt2", deletion="pair", tau=0.7, vocab_size=3000),
    TrainingConfig(pattern="punct", supermerges=False, deletion="bytes", tau=0.7, vocab_size=3000),
    TrainingConfig(
        pattern="[a-z]+|[A-Z]| |[^a-zA-Z ]+",
        eligible="[A-Za-z ]+",
        deletion="bytes",
        vocab_size=3000,
    ),
    TrainingConfig(
        pattern="(?s).{1,3}", eligible="(?s).*", deletion="pair", tau=0.7, vocab_size=3000
    ),
]


@cache
def trained(parameters: TrainingConfig) -> Tokenizer:
    """Train a model on the first half of the sample."""
    documents = list(superword.sample())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return superword.train(documents[: len(documents) // 2], **asdict(parameters))


def held_out(length: int, count: int) -> Iterator[str]:
    """Return pieces from all over the other half."""
    documents = [text for text in superword.sample() if len(text) >= length]
    documents = documents[len(documents) // 2 :]
    for at in range(count):
        text = documents[at * len(documents) // count]
        start = (at * 997) % (len(text) - length + 1)
        yield text[start : start + length]


@pytest.mark.parametrize("parameters", REAL, ids=str)
def test_real_text_encodes_as_the_rules_one_after_the_other(parameters: TrainingConfig) -> None:
    tok = trained(parameters)
    for text in held_out(1200, 6):
        assert tokens(tok, text) == replayed(tok, text)
        assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize("parameters", REAL[:3], ids=str)
def test_sentences_encode_as_the_reference_does(parameters: TrainingConfig) -> None:
    tok = trained(parameters)
    rules = [Rule(r.index, r.kind, r.left, r.right, r.parts, r.count) for r in tok.rules]
    for text in held_out(150, 4):
        assert tokens(tok, text) == expected(text, rules, parameters)


@pytest.mark.parametrize("parameters", [REAL[0], REAL[1], REAL[6]], ids=str)
def test_parts_of_superwords_over_and_over(parameters: TrainingConfig) -> None:
    tok = trained(parameters)
    superwords = [rule.token.decode("utf-8", "ignore") for rule in tok.rules if rule.right]
    longest = sorted(superwords, key=len)[-12:]
    random = Random(5)
    for superword_ in longest:
        text = superword_[: random.randint(2, len(superword_))] * 500
        assert tokens(tok, text) == replayed(tok, text)
    text = "".join(random.choices(longest, k=200))
    assert tokens(tok, text) == replayed(tok, text)
