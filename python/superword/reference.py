"""The specification of docs/algorithm.md in slow, plain Python. The core is tested against it.

>>> rules, vocabulary = train(["to be or to be", "to be"], 262)
>>> encode("to be", rules)
[b'to be']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from typing import Literal, NamedTuple, TypeVar

import regex

PATTERNS: dict[str, str] = {  # the listings of the paper's appendix A
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt4": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    "gpt4o": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "punct": r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "boundless": "|".join([
        r" ?(?:\p{L}\p{M}*)+['’](?:\p{L}\p{M}*)+",  # B-1, contraction
        r"_(?:\p{Ll}\p{M}*)+",  # B-2, snake_case
        r" ?(?:\p{Lu}\p{M}*)+(?=(?:\p{Lu}\p{M}*)(?:\p{Ll}\p{M}*))",  # B-3, XML of XMLHttp
        r" ?(?:\p{Lu}\p{M}*)?(?:\p{Ll}\p{M}*)+",  # B-4, words
        r" ?(?:\p{Lu}\p{M}*)+",  # B-5, CONSTANT
        r" ?(?:[\p{Lt}\p{Lm}\p{Lo}]\p{M}*)+",  # B-6, titlecase, modifier and uncased letters
        r"(?:\p{N}\p{M}*){1,3}(?=(?:(?:\p{N}\p{M}*){3})*(?:(?:\P{N}\p{M}*)|$))",  # B-7, digits
        r" ?(?:[\p{P}\p{S}]\p{M}*)+",  # B-8, punctuation and symbols
        r"[^\S\r\n]*[\n\r]+|[^\S\r\n]+",  # B-9, whitespace
        r"(?:[\p{Z}\p{C}]\p{M}*)+",  # B-10, separators and controls
        r"\p{M}+",  # B-11, leftover marks
    ]),
}  # fmt: skip
SECOND_PATTERN = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"  # of SuperBPE
DEFAULT_PATTERN = "gpt4o"  # the paper's own is boundless
ELIGIBLE = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$"

Pair = tuple[bytes, bytes]
Tokens = tuple[bytes, ...]
Deletion = Literal["bytes", "pair"] | None
Item = TypeVar("Item")


class Unit(NamedTuple):
    """One pretoken with its tokens, or one superword."""

    tokens: Tokens
    is_eligible: bool = False
    is_superword: bool = False

    @property
    def open_token(self) -> bytes:
        """The token of an open unit; empty, which no token is, if the unit is not open."""
        is_open = len(self.tokens) == 1 and (self.is_eligible or self.is_superword)
        return self.tokens[0] if is_open else b""


@dataclass(frozen=True)
class Rule:
    """One rule of a model; its index is its position in the list."""

    index: int
    kind: Literal["merge", "supermerge", "delete"]
    left: bytes
    right: bytes | None = None
    parts: Tokens = ()
    count: int | None = None

    @property
    def token(self) -> bytes:
        """The token that the rule makes or deletes."""
        return self.left + (self.right or b"")


def pretokenize(text: str, pattern: str = DEFAULT_PATTERN) -> list[str]:
    """Split a text into pretokens. Joined, they are the text: 'a+' on 'xaay' -> x, aa, y."""
    if match := regex.search(r"[\ud800-\udfff]", text):
        raise ValueError(f"a lone surrogate has no UTF-8 bytes; replace character {match.start()}")
    pieces = [text]
    for source in PATTERNS.get(pattern, pattern).split("(?then)"):  # Several regexes in a row.
        pieces = [part for piece in pieces for part in split_once(piece, source)]
    return pieces


def split_once(text: str, source: str) -> list[str]:
    """Split a text into the matches of a regex and the text between them."""
    pretokens, end = [], 0
    for match in regex.finditer(source, text):
        if match.group():
            pretokens += [text[end : match.start()], match.group()]
            end = match.end()
    return [pretoken for pretoken in [*pretokens, text[end:]] if pretoken]


def is_eligible(pretoken: str, eligible: str = ELIGIBLE) -> bool:
    """Return whether a pretoken may take part in a supermerge: ' a' and 'ab' may, 'a' may not."""
    return regex.fullmatch(eligible, pretoken) is not None


def single_bytes(token: bytes) -> Tokens:
    """Split a token into its bytes: ab -> a, b."""
    return tuple(bytes([byte]) for byte in token)


def initial_units(text: str, pattern: str, eligible: str) -> list[Unit]:
    """Return one unit for each pretoken, with its bytes as tokens."""
    pretokens = pretokenize(text, pattern)
    return [Unit(single_bytes(p.encode()), is_eligible(p, eligible)) for p in pretokens]


def pairs(tokens: Tokens) -> Iterator[Pair]:
    """Yield each adjacent pair as often as `join` would replace it: (a, a) once for a a a."""
    previous = None
    for pair in pairwise(tokens):
        # A pair equal to the one just counted overlaps it: (x, x) in x x x.
        if pair == previous or b"" in pair:
            previous = None
        else:
            previous = pair
            yield pair


def join(items: Sequence[Item], tokens: Tokens, rule: Rule, joined: Item) -> list[Item]:
    """Replace the rule's pair from left to right, without overlap: a a a -> aa a."""
    result, at = [], 0
    while at < len(items):
        is_pair = tokens[at] == rule.left and tokens[at + 1 : at + 2] == (rule.right,)
        result.append(joined if is_pair else items[at])
        at += 2 if is_pair else 1
    return result


def apply_rule(rule: Rule, units: list[Unit]) -> list[Unit]:
    """Apply a rule everywhere in a document. Only units with its tokens can change."""
    if rule.kind == "supermerge":
        superword = Unit((rule.token,), is_superword=True)
        return join(units, tuple([unit.open_token for unit in units]), rule, superword)
    left, right = rule.left, rule.right or rule.left
    return [apply_in_unit(rule, u) if left in u.tokens and right in u.tokens else u for u in units]


def apply_in_unit(rule: Rule, unit: Unit) -> Unit:
    """Apply a merge or a delete to one unit. A delete does not split a superword."""
    if rule.kind == "merge":
        return unit._replace(tokens=tuple(join(unit.tokens, unit.tokens, rule, rule.token)))
    split = {} if unit.is_superword else {rule.left: rule.parts}
    tokens = [part for token in unit.tokens for part in split.get(token, (token,))]
    return unit._replace(tokens=tuple(tokens))


def most_frequent(counts: Counter[Pair]) -> tuple[Pair, int]:
    """Return the pair with the largest count; of tied pairs the smallest, by left, then right."""
    largest = max(counts.values(), default=0)
    tied = [pair for pair, count in counts.items() if count == largest]
    return min(tied, default=(b"", b"")), largest


class Trainer:
    """The state of training: the corpus in two views, the rules, the vocabulary."""

    def __init__(self, documents: Iterable[str], pattern: str, eligible: str) -> None:
        self.documents = [initial_units(text, pattern, eligible) for text in documents]
        # The second view: every pretoken alone, as if there were no supermerges. Equal pretokens
        # stay equal, so they share one unit, with the number of occurrences.
        occurrences = Counter(unit for units in self.documents for unit in units)
        self.alone, self.occurrences = list(occurrences), list(occurrences.values())
        self.rules: list[Rule] = []
        self.vocabulary = list(single_bytes(bytes(range(256))))

    def step(self, supermerges: bool, deletion: Deletion, tau: float, min_count: int) -> bool:
        """Do one step with its deletions; return False if no pair reaches `min_count`."""
        pair_counts: Counter[Pair] = Counter()
        for unit, occurrences in zip(self.alone, self.occurrences, strict=True):
            for pair in pairs(unit.tokens):
                pair_counts[pair] += occurrences
        merge, merge_count = most_frequent(pair_counts)
        supermerge, supermerge_count = self.best_supermerge() if supermerges else ((b"", b""), 0)
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
        return most_frequent(counts)

    def perform(self, rule: Rule) -> None:
        """Append a rule, apply it to both views and update the vocabulary."""
        self.rules.append(rule)
        self.documents = [apply_rule(rule, units) for units in self.documents]
        if rule.kind != "supermerge":
            self.alone = apply_rule(rule, self.alone)
        if rule.kind != "delete":
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
    eligible: str = ELIGIBLE,
    supermerges: bool = True,
    deletion: Deletion = "bytes",
    tau: float = 0.9,
    min_count: int = 2,
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
    documents = list(documents)
    trainer = Trainer(documents, pattern, eligible)
    settings = (supermerges, deletion, tau, min_count)
    if (
        transition is not None
    ):  # SuperBPE: the rest is learned on documents split by another pattern.
        while len(trainer.vocabulary) < transition and trainer.step(*settings):
            pass
        rules = trainer.rules
        split = SECOND_PATTERN if second_pattern is None else second_pattern
        trainer = Trainer(documents, split, eligible)
        for rule in rules:
            trainer.perform(rule)
    while len(trainer.vocabulary) < vocab_size and trainer.step(*settings):
        pass
    return trainer.rules, trainer.vocabulary


def extend(
    documents: Iterable[str],
    rules: Iterable[Rule],
    add: int,
    *,
    kind: Literal["merges", "superwords", "both"] = "superwords",
    pattern: str = DEFAULT_PATTERN,
    eligible: str = ELIGIBLE,
    min_count: int = 2,
) -> tuple[list[Rule], list[bytes]]:
    """Learn rules of a kind after the given ones, until there are `add` more tokens."""
    trainer = Trainer(documents, pattern, eligible)
    for rule in rules:
        trainer.perform(rule)
    vocab_size = len(trainer.vocabulary) + add
    while len(trainer.vocabulary) < vocab_size:
        if kind != "superwords":
            if not trainer.step(kind == "both", None, 1, min_count):
                break
            continue
        supermerge, count = trainer.best_supermerge()
        if count < min_count:
            break
        trainer.perform(Rule(len(trainer.rules), "supermerge", *supermerge, (), count))
    return trainer.rules, trainer.vocabulary


def explain(
    text: str, rules: Iterable[Rule], *, pattern: str = DEFAULT_PATTERN, eligible: str = ELIGIBLE
) -> Iterator[tuple[Rule | None, list[list[bytes]]]]:
    """Yield the initial units, then each rule that changes them, with the units after it."""
    units = initial_units(text, pattern, eligible)
    yield None, [list(unit.tokens) for unit in units]
    for rule in rules:
        before, units = units, apply_rule(rule, units)
        if units != before:
            yield rule, [list(unit.tokens) for unit in units]


def encode(
    text: str, rules: Iterable[Rule], *, pattern: str = DEFAULT_PATTERN, eligible: str = ELIGIBLE
) -> list[bytes]:
    """Apply the rules to a text in order, and return its tokens."""
    *_, (_, units) = explain(text, rules, pattern=pattern, eligible=eligible)
    return [token for unit in units for token in unit]
