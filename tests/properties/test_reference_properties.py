"""Properties of every model of the reference, on small corpora full of special cases.

Few letters, few pretokens and low thresholds make ties, overlaps, tokens that are deleted and made
again, pretokens that open twice and superwords that spell pretokens common rather than rare.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from superword.reference import (
    ELIGIBLE,
    Deletion,
    Limits,
    Rule,
    Trainer,
    Unit,
    apply_rule,
    encode,
    explain,
    initial_units,
    train,
)


class Case(NamedTuple):
    """Documents and options; with `min_count` 1, training runs until no pair is left."""

    documents: list[str]
    vocab_size: int
    pattern: str
    eligible: str
    supermerges: bool
    deletion: Deletion
    tau: float
    min_count: int

    def train(self) -> tuple[list[Rule], list[bytes]]:
        return train(self.documents, **self.options())  # type: ignore[arg-type]

    def options(self) -> dict[str, object]:
        options = self._asdict()
        del options["documents"]
        return options

    def initial_units(self, text: str) -> list[Unit]:
        return initial_units(text, self.pattern, self.eligible)


# Repeated pieces and documents give counts that reach a rule, and words with common prefixes.
texts = st.lists(
    st.sampled_from(["a", "b", " ", "'", "ab", "ab", "aab", "abb", "abab", " ab", " a", " ba"]),
    min_size=1,
    max_size=8,
).map("".join)
repeated = st.builds(lambda text, times: [text] * times, texts, st.sampled_from([1, 1, 2, 5]))
corpora = st.lists(repeated, min_size=2, max_size=6).map(lambda lists: sum(lists, []))
# In the last three, the end of a pretoken depends on the text before it, so the same bytes
# are one pretoken here and several there.
patterns = st.sampled_from(
    ["(?s).", " ?[a-z]", "a+|b", " ?[ab']+", "[ab]+|.", "boundless", "gpt2"]
    + ["(?<= )[ab]+|.", "(?<=')[ab]+|[ab]", "(?<=b)a+b?|.b"]
)
cases = st.builds(
    Case,
    documents=corpora,
    vocab_size=st.sampled_from([300, 300, 258, 260, 264, 256]),
    pattern=patterns,
    eligible=st.sampled_from([".*", "[ab ]+", ELIGIBLE]),
    supermerges=st.sampled_from([True, True, False]),
    deletion=st.sampled_from(["bytes", "pair", None]),
    tau=st.sampled_from([0.2, 0.4, 0.5, 0.9, 1.0]),
    min_count=st.sampled_from([1, 1, 2]),
)
examples = settings(max_examples=200, deadline=None)


@examples
@given(cases)
def test_encoding_a_training_document_gives_the_state_that_training_left_it_in(case: Case) -> None:
    limits = Limits(supermerges=case.supermerges)
    trainer = Trainer(case.documents, case.pattern, case.eligible, limits)
    while len(trainer.vocabulary) < case.vocab_size:
        if not trainer.step(case.deletion, case.tau, case.min_count):
            break
    assert (trainer.rules, trainer.vocabulary) == case.train()
    for document, units in zip(case.documents, trainer.documents, strict=True):
        *_, (_, encoded) = explain(
            document, trainer.rules, pattern=case.pattern, eligible=case.eligible
        )
        assert encoded == [list(unit.tokens) for unit in units]


@examples
@given(cases, texts | st.text(max_size=12).filter(lambda text: text.isprintable()))
def test_encoding_keeps_every_byte_and_stays_in_the_vocabulary(case: Case, text: str) -> None:
    rules, vocabulary = case.train()
    tokens = encode(text, rules, pattern=case.pattern, eligible=case.eligible)
    assert b"".join(tokens) == text.encode()
    assert set(tokens) <= set(vocabulary)


@examples
@given(cases, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(case: Case, random: Random) -> None:
    shuffled = random.sample(case.documents, len(case.documents))
    assert case._replace(documents=shuffled).train() == case.train()


@examples
@given(cases)
def test_the_vocabulary_is_what_the_rules_have_made_and_not_deleted(case: Case) -> None:
    rules, vocabulary = case.train()
    made = {bytes([byte]) for byte in range(256)}
    made_by_supermerge = set()
    for rule in rules:
        if rule.kind != "delete":
            made.add(rule.token)
        elif rule.token not in made_by_supermerge:
            made.remove(rule.token)
        if rule.kind == "supermerge":
            made_by_supermerge.add(rule.token)
    assert set(vocabulary) == made
    assert len(vocabulary) == len(made) <= case.vocab_size
    if len(vocabulary) < case.vocab_size:
        # The pairs ran out, so a larger vocabulary changes nothing.
        assert case._replace(vocab_size=case.vocab_size + 50).train() == (rules, vocabulary)


@examples
@given(cases)
def test_merges_and_deletes_do_not_depend_on_supermerges(case: Case) -> None:
    # With room for every rule, since the number of merges that fit depends on it.
    both, _ = case._replace(vocab_size=1000, supermerges=True).train()
    alone, _ = case._replace(vocab_size=1000, supermerges=False).train()
    kept = [rule for rule in both if rule.kind != "supermerge"]
    assert [(r.kind, r.left, r.right, r.parts, r.count) for r in kept] == [
        (r.kind, r.left, r.right, r.parts, r.count) for r in alone
    ]


@examples
@given(cases)
def test_each_count_is_the_number_of_replacements_and_the_best_there_is(case: Case) -> None:
    # Each merge shortens the pretokens by its count, each supermerge the documents.
    documents = [case.initial_units(document) for document in case.documents]
    alone = [[unit] for units in documents for unit in units]
    for rule in case.train()[0]:
        if rule.kind != "delete":
            counts: Counter[tuple[str, bytes, bytes]] = Counter()
            inside = {pair for [unit] in alone for pair in pairwise(unit.tokens)}
            for left, right in inside:
                merge = Rule(0, "merge", left, right)
                shorter = [apply_rule(merge, units) for units in alone]
                counts["merge", left, right] = tokens_in(alone) - tokens_in(shorter)
            across = {
                (left.tokens[0], right.tokens[0])
                for units in documents
                for left, right in pairwise(units)
            }
            for left, right in across if case.supermerges else ():
                supermerge = Rule(0, "supermerge", left, right)
                joined = [apply_rule(supermerge, units) for units in documents]
                counts["supermerge", left, right] = units_in(documents) - units_in(joined)
            best = max(counts.values())
            tied = {pair for pair, count in counts.items() if count == best}
            kind = "supermerge" if "supermerge" in {kind for kind, *_ in tied} else "merge"
            assert (rule.left, rule.right) == min((a, b) for k, a, b in tied if k == kind)
            assert (rule.kind, rule.count) == (kind, best)
        documents = [apply_rule(rule, units) for units in documents]
        alone = [apply_rule(rule, units) for units in alone]


def tokens_in(documents: list[list[Unit]]) -> int:
    return sum(len(unit.tokens) for units in documents for unit in units)


def units_in(documents: list[list[Unit]]) -> int:
    return sum(len(units) for units in documents)
