"""The specification of docs/algorithm.md in slow, plain Python. The core is tested against it.

>>> rules, vocabulary = train(["to be or to be", "to be"], 262)
>>> encode("to be", rules)
[b'to be']
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import mul
from typing import Literal, NamedTuple, TypeVar

import regex
from regex import _regex_core as regex_core  # the names of scripts

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
SCRIPT_PATTERN = "gpt4o-scripts"  # splits by script; see split_by_script
UNSPACED_SCRIPTS = ["Han", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai"]
UNSPACED_REGEX = r" ?\p{L}\p{M}*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SECOND_PATTERN = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"  # of SuperBPE
DEFAULT_PATTERN = "gpt4o"  # the paper's own is boundless
ELIGIBLE = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$"
UNSPACED_LETTER = (  # with its marks
    r"(?=\p{L})[\p{Han}\p{Hiragana}\p{Katakana}\p{Khmer}\p{Lao}\p{Myanmar}\p{Thai}"
    r"〆〱-〵〼ーｰﾞﾟ]\p{M}*"
)
SCRIPT_ELIGIBLE = f"{ELIGIBLE}|^ ?{UNSPACED_LETTER}$"  # also letters of scripts without spaces

SCRIPT_NAMES: list[str] = list(regex_core.PROPERTIES["SCRIPT"][1])  # type: ignore[attr-defined]
SCRIPTS = ["Common", "Inherited", *UNSPACED_SCRIPTS, *SCRIPT_NAMES]

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
    if pattern == SCRIPT_PATTERN:
        return split_by_script(text)
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


def split_by_script(text: str) -> list[str]:
    """Split each run of one script: into letters where words have no spaces, else as gpt4o does."""
    scripts = find_scripts(text)
    changes = [at for at in range(1, len(text)) if scripts[at] != scripts[at - 1]]
    pretokens = []
    for start, end in pairwise([0, *changes, len(text)]) if text else ():
        is_unspaced = scripts[start] in UNSPACED_SCRIPTS
        pattern = UNSPACED_REGEX if is_unspaced else PATTERNS["gpt4o"]
        pretokens += regex.findall(pattern, text[start:end])
    return pretokens


def find_scripts(text: str) -> list[str]:
    """Return the script of the run that each character belongs to: a1\u0301é -> all Latin.

    Inherited is the script before. Characters without a script belong to the script after them, at
    the end of the text to the last one.
    """
    scripts, last = [], "Common"
    for script in map(find_script, text):
        last = last if script in ("Common", "Inherited") else script
        scripts.append(last if script == "Inherited" else script)
    for at in reversed(range(len(text))):
        if scripts[at] == "Common":
            scripts[at] = scripts[at + 1] if at + 1 < len(text) else last
    return scripts


@cache
def find_script(character: str) -> str:
    """Return the Unicode script of a character; Common if it is Unknown."""
    if regex.match(r"\p{Script=Unknown}", character):
        return "Common"
    names = (name for name in SCRIPTS if regex.match(rf"\p{{Script={name}}}", character))
    return next(names)


def is_eligible(pretoken: str, eligible: str = ELIGIBLE) -> bool:
    """Return whether a pretoken may take part in a supermerge: ' a' and 'ab' may, 'a' may not."""
    return regex.fullmatch(eligible, pretoken) is not None


def single_bytes(token: bytes) -> Tokens:
    """Split a token into its bytes: ab -> a, b."""
    return tuple(bytes([byte]) for byte in token)


def initial_units(
    text: str, pattern: str, eligible: str | None, lookup: Collection[bytes] = ()
) -> list[Unit]:
    """Return one unit for each pretoken, with its bytes as tokens; or itself, if looked up."""
    if eligible is None:
        eligible = SCRIPT_ELIGIBLE if pattern == SCRIPT_PATTERN else ELIGIBLE
    pretokens = pretokenize(text, pattern)
    starts = [(b,) if (b := p.encode()) in lookup else single_bytes(b) for p in pretokens]
    return [Unit(b, is_eligible(p, eligible)) for p, b in zip(pretokens, starts, strict=True)]


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


class Limits(NamedTuple):
    """The limits of training. Each removes candidates."""

    max_superwords: float = math.inf
    max_words: float = math.inf
    max_token_bytes: float = math.inf
    forbid: str | None = None
    supermerges: bool = True


NO_LIMITS = Limits()


def is_forbidden(token: bytes, forbid: str) -> bool:
    """Return whether a regex matches in a token's text; a token that is not UTF-8 has none."""
    try:
        return regex.search(forbid, token.decode()) is not None
    except UnicodeDecodeError:
        return False


@cache
def is_unspaced_word(token: bytes) -> bool:
    """Return whether a token is letters of scripts without spaces, with at most a space before."""
    try:
        return regex.fullmatch(f" ?(?:{UNSPACED_LETTER})+", token.decode()) is not None
    except UnicodeDecodeError:
        return False


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


def extend(
    documents: Iterable[str],
    rules: Iterable[Rule],
    add: int,
    *,
    kind: Literal["merges", "superwords", "both"] = "superwords",
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    min_count: int = 2,
    limits: Limits = NO_LIMITS,
    lookup: Collection[bytes] = (),
) -> tuple[list[Rule], list[bytes]]:
    """Learn rules of a kind after the given ones, until there are `add` more tokens.

    The limits are those of the new rules. With `kind="superwords"`, `add` is the cap.
    """
    limits = limits._replace(supermerges=kind != "merges")
    trainer = Trainer(documents, pattern, eligible, limits, lookup=lookup)
    for rule in rules:
        trainer.perform(rule)
    vocab_size = len(trainer.vocabulary) + add
    while len(trainer.vocabulary) < vocab_size:
        if kind != "superwords":
            if not trainer.step(None, 1, min_count):
                break
            continue
        supermerge, count = trainer.best_supermerge()
        if count < min_count:
            break
        trainer.perform(Rule(len(trainer.rules), "supermerge", *supermerge, (), count))
    return trainer.rules, trainer.vocabulary


def explain(
    text: str,
    rules: Iterable[Rule],
    *,
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    lookup: Collection[bytes] = (),
) -> Iterator[tuple[Rule | None, list[list[bytes]]]]:
    """Yield the initial units, then each rule that changes them, with the units after it."""
    units = initial_units(text, pattern, eligible, lookup)
    yield None, [list(unit.tokens) for unit in units]
    for rule in rules:
        before, units = units, apply_rule(rule, units)
        if units != before:
            yield rule, [list(unit.tokens) for unit in units]


def encode(
    text: str,
    rules: Iterable[Rule],
    *,
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    lookup: Collection[bytes] = (),
    kept: Collection[bytes] | None = None,
) -> list[bytes]:
    """Apply the rules to a text in order, and return its tokens; in a pruned model, kept ones."""
    rules = list(rules)
    *_, (_, units) = explain(text, rules, pattern=pattern, eligible=eligible, lookup=lookup)
    tokens = [token for unit in units for token in unit]
    if kept is None:
        return tokens
    return [part for token in tokens for part in spell(token, rules, kept)]


def first_pair(token: bytes, rules: Sequence[Rule]) -> Pair:
    """Return the pair of the first rule that made a token of two bytes or more."""
    first = next(rule for rule in rules if rule.kind != "delete" and rule.token == token)
    return first.left, first.right or b""


def spell(token: bytes, rules: Sequence[Rule], kept: Collection[bytes]) -> Tokens:
    """Replace a token by its first pair, again and again, until all are kept: abc -> ab, c."""
    if token in kept:
        return (token,)
    left, right = first_pair(token, rules)
    return spell(left, rules, kept) + spell(right, rules, kept)


def inner_tokens(token: bytes, rules: Sequence[Rule], lookup: Collection[bytes] = ()) -> Tokens:
    """Return the tokens inside a token: its first pair, those inside that, and so on."""
    if len(token) == 1 or token in lookup:
        return ()
    pair = first_pair(token, rules)
    return (*pair, *(inner for part in pair for inner in inner_tokens(part, rules, lookup)))


def prune(
    documents: Iterable[str],
    rules: Sequence[Rule],
    vocabulary: Iterable[bytes],
    *,
    to: int | None = None,
    min_count: int | None = None,
    residues: float | None = None,
    drop_rules: bool = False,
    pattern: str = DEFAULT_PATTERN,
    eligible: str | None = None,  # the default of the pattern
    lookup: Collection[bytes] = (),
) -> list[bytes]:
    """Return the tokens that are kept, in the order of their ids. One of the three is given."""
    if [to, min_count, residues].count(None) != 2:
        raise ValueError("prune needs one of to, min_count and residues")
    documents, kept = list(documents), list(vocabulary)
    while True:
        encoded = (
            encode(text, rules, lookup=lookup, pattern=pattern, eligible=eligible, kept=kept)
            for text in documents
        )
        counts = Counter(token for tokens in encoded for token in tokens)
        if residues is not None:
            inside: Counter[bytes] = Counter()
            for token, count in counts.items():
                for part in inner_tokens(token, rules, lookup):
                    inside[part] += count
            shares = {t: inside[t] / (inside[t] + counts[t]) for t in inside}
            stays = {token for token in kept if len(token) == 1 or token in lookup}
            return [t for t in kept if t in stays or shares.get(t, 0.0) < residues]
        pairs = [{rule.left, rule.right} for rule in rules if rule.token in kept]
        needed = set[bytes | None](lookup).union(*pairs if drop_rules else ())
        # The rarest token; of equally rare ones, the one with the largest id.
        may_go = [t for t in reversed(kept) if len(t) > 1 and t not in needed]
        rarest = min(may_go, key=lambda t: counts[t], default=b"")
        is_done = len(kept) <= to if to is not None else counts[rarest] >= (min_count or 0)
        if is_done or not rarest:
            return kept
        kept.remove(rarest)
