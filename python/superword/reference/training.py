"""Learning rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from operator import mul
from typing import Literal

from superword.reference.limits import NO_LIMITS, Limits, is_forbidden, is_unspaced_word
from superword.reference.pretokens import DEFAULT_PATTERN, SECOND_PATTERN, pretokenize
from superword.reference.rules import (
    Pair,
    Rule,
    Tokens,
    apply_rule,
    initial_units,
    pairs,
    single_bytes,
)

Deletion = Literal["bytes", "pair"] | None


def most_frequent(counts: Counter[Pair]) -> tuple[Pair, int]:
    """Return the pair with the largest count; of tied pairs the smallest, by left, then right."""
    largest = max(counts.values(), default=0)
    tied = [pair for pair, count in counts.items() if count == largest]
    return min(tied, default=(b"", b"")), largest


class Trainer:
    """The state of training: the corpus in two views, the rules, the vocabulary."""

    def __init__(
        self,
        documents: Iterable[str],
        pattern: str,
        eligible: str | None,
        limits: Limits = NO_LIMITS,
        word_pattern: str | None = None,
        lookup: Collection[bytes] = (),
    ) -> None:
        self.documents = [initial_units(text, pattern, eligible, lookup) for text in documents]
        # The second view: every pretoken alone, as if there were no supermerges. Equal pretokens
        # stay equal, so they share one unit, with the number of occurrences.
        occurrences = Counter(unit for units in self.documents for unit in units)
        self.alone, self.occurrences = list(occurrences), list(occurrences.values())
        self.rules: list[Rule] = []
        self.vocabulary = [*single_bytes(bytes(range(256))), *lookup]
        self.limits, self.word_pattern = limits, word_pattern
        self.words: dict[bytes, int] = {}

    def step(self, deletion: Deletion, tau: float, min_count: int) -> bool:
        """Do one step with its deletions; return False if no pair reaches `min_count`."""
        pair_counts: Counter[Pair] = Counter()
        for unit, occurrences in zip(self.alone, self.occurrences, strict=True):
            for pair in pairs(unit.tokens):
                pair_counts[pair] += occurrences
        merge, merge_count = most_frequent(self.allowed("merge", pair_counts))
        supermerge, supermerge_count = (b"", b""), 0
        if self.limits.supermerges:
            supermerge, supermerge_count = self.best_supermerge()
        if max(merge_count, supermerge_count) < min_count:
            return False
        if supermerge_count >= merge_count:
            self.perform(Rule(len(self.rules), "supermerge", *supermerge, (), supermerge_count))
            return True
        alone = self.alone  # Before the merge.
        self.perform(Rule(len(self.rules), "merge", *merge, (), merge_count))
        for token in dict.fromkeys(merge) if deletion else ():  # Once if they are equal.
            counts = [unit.tokens.count(token) for unit in alone]
            intersection_over_self = merge_count / sum(map(mul, counts, self.occurrences))
            if len(token) > 1 and intersection_over_self >= tau:
                parts = self.pair_parts(token) if deletion == "pair" else single_bytes(token)
                self.perform(Rule(len(self.rules), "delete", token, None, parts))
        return True

    def best_supermerge(self) -> tuple[Pair, int]:
        """Return the most frequent pair of neighbouring open units, and its count."""
        counts: Counter[Pair] = Counter()
        for units in self.documents:
            counts.update(pairs(tuple([unit.open_token for unit in units])))
        return most_frequent(self.allowed("supermerge", counts))

    def may_supermerge(self, pair: Pair) -> bool:
        """Return whether the cap on superwords leaves a pair.

        Under a cap, words of scripts without spaces join only each other, and do not count.
        """
        if self.limits.max_superwords == math.inf:
            return True
        if any(map(is_unspaced_word, pair)):
            return all(map(is_unspaced_word, pair)) and not pair[1].startswith(b" ")
        superwords = {rule.token for rule in self.rules if rule.kind == "supermerge"}
        counted = [token for token in superwords if not is_unspaced_word(token)]
        return len(counted) < self.limits.max_superwords

    def allowed(self, kind: str, counts: Counter[Pair]) -> Counter[Pair]:
        """Return the candidates that the limits leave."""
        if self.limits == NO_LIMITS:
            return counts
        _, max_words, max_bytes, forbid, _ = self.limits

        def is_allowed(pair: Pair) -> bool:
            token = b"".join(pair)
            return (
                len(token) <= max_bytes
                and (max_words == math.inf or self.count_words(kind, pair) <= max_words)
                and (forbid is None or not is_forbidden(token, forbid))
                and (kind == "merge" or self.may_supermerge(pair))
            )

        return Counter({pair: count for pair, count in counts.items() if is_allowed(pair)})

    def count_words(self, kind: str, pair: Pair) -> int:
        """Return the words of the token that a rule makes of a pair.

        They are the pretokens in its text in SuperBPE's second stage; otherwise one for a merge,
        and those of both sides for a supermerge. An unspaced word is always one.
        """
        if is_unspaced_word(b"".join(pair)):
            return 1
        if self.word_pattern is not None:
            text = b"".join(pair).decode(errors="ignore")  # Without parts of characters.
            return max(1, len(pretokenize(text, self.word_pattern)))
        return sum(self.words.get(token, 1) for token in pair) if kind == "supermerge" else 1

    def perform(self, rule: Rule) -> None:
        """Append a rule, apply it to both views and update the vocabulary."""
        self.rules.append(rule)
        self.documents = [apply_rule(rule, units) for units in self.documents]
        if rule.kind != "supermerge":
            self.alone = apply_rule(rule, self.alone)
        if rule.kind != "delete":
            words = self.count_words(rule.kind, (rule.left, rule.right or b""))
            self.words[rule.token] = max(words, self.words.get(rule.token, 1))
            if rule.token not in self.vocabulary:
                self.vocabulary.append(rule.token)
        elif ("supermerge", rule.token) not in [(other.kind, other.token) for other in self.rules]:
            self.vocabulary.remove(rule.token)

    def pair_parts(self, token: bytes) -> Tokens:
        """Return the pair of the first merge that made a token; deleted parts are split again."""
        first = next(rule for rule in self.rules if (rule.kind, rule.token) == ("merge", token))
        result: Tokens = ()
        for part in (first.left, first.right or b""):
            kinds = [r.kind for r in self.rules if r.token == part and r.kind != "supermerge"]
            result += self.pair_parts(part) if kinds[-1:] == ["delete"] else (part,)
        return result


def train(
    documents: Iterable[str],
    vocab_size: int,
    *,
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    supermerges: bool = True,
    deletion: Deletion = "bytes",
    tau: float = 0.9,
    min_count: int = 2,
    max_superwords: int | float | None = None,
    max_words: int | None = None,
    max_token_bytes: int | None = None,
    forbid: str | None = None,
    transition: int | None = None,
    second_pattern: str | None = None,
) -> tuple[list[Rule], list[bytes]]:
    """Learn the rules and the vocabulary. A token's index in the vocabulary is its id."""
    if vocab_size < 256:
        raise ValueError(f"vocab_size must be at least 256, the single bytes, not {vocab_size}")
    if deletion not in ("bytes", "pair", None):
        raise ValueError(f"deletion must be 'bytes', 'pair' or None, not {deletion!r}")
    if not 0 < tau <= 1:
        raise ValueError(
            f"tau must be above 0 and at most 1, not {tau}; deletion=None keeps all tokens"
        )
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, not {min_count}")
    if transition is not None and (supermerges or deletion):
        raise ValueError("transition (SuperBPE) needs supermerges=False and deletion=None")
    if transition is not None and not 256 <= transition <= vocab_size:
        raise ValueError(f"transition must be from 256 to vocab_size, not {transition}")
    if isinstance(max_superwords, float) and not 0 < max_superwords < 1:
        raise ValueError(
            f"max_superwords must be an integer, or above 0 and below 1, not {max_superwords}"
        )
    if 0 in (max_words, max_token_bytes):
        raise ValueError("max_words and max_token_bytes must be at least 1, not 0")
    documents = list(documents)
    if isinstance(max_superwords, float):
        max_superwords = math.floor(max_superwords * vocab_size)
    limits = Limits(
        math.inf if max_superwords is None else max_superwords,
        max_words or math.inf,
        max_token_bytes or math.inf,
        forbid,
        supermerges,
    )
    trainer = Trainer(documents, pattern, eligible, limits)
    settings = (deletion, tau, min_count)
    if (
        transition is not None
    ):  # SuperBPE: the rest is learned on documents split by another pattern.
        while len(trainer.vocabulary) < transition and trainer.step(*settings):
            pass
        rules = trainer.rules
        split = SECOND_PATTERN if second_pattern is None else second_pattern
        trainer = Trainer(documents, split, eligible, limits, word_pattern=pattern)
        for rule in rules:
            trainer.perform(rule)
    while len(trainer.vocabulary) < vocab_size and trainer.step(*settings):
        pass
    return trainer.rules, trainer.vocabulary
