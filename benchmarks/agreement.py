"""Whether plain BPE here and in another trainer learns the same merges, up to ties.

Two lists cannot be compared place by place: where pairs are equally frequent, each trainer has its
own order, and one exchange shifts what follows. So a list is replayed, on the distinct pretokens of
the corpus with their counts, as `regex` splits it: if each merge joins a pair that no other exceeds
at that point, the list is one that our definition allows, whichever way it decides ties.

This is plain Python that shares nothing with the trainer, so it checks our own list as well.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import regex

import superword
from results import table
from runs import MODEL, WORK, Figures, run
from superword.patterns import NAMED_PATTERNS
from trainers import Pair, texts

MERGES = 10_000
# Which pattern a peer can train with; rustbpe does not say which two tokens a merge has joined.
PATTERNS = {"gigatoken": "gpt2", "tokenizers": "gpt4o"}

Word = list[bytes]


@dataclass
class Step:
    """One merge of a list, where the list has it."""

    pair: Pair
    count: int
    # The count with places that overlap: two for (a, a) in `aaa`.
    overlapping: int
    largest: int


class Replay:
    """Words with counts, the counts of their pairs, and merges in them.

    A pair is counted as often as it would be replaced: `aaa` has one (a, a).

    Example:
        >>> replay = Replay({"abab": 2, "abc": 3})
        >>> replay.count((b"a", b"b")), replay.largest()
        (7, 7)
        >>> replay.merge((b"a", b"b"))
        >>> replay.count((b"ab", b"ab")), replay.largest()
        (2, 3)
    """

    def __init__(self, words: dict[str, int]) -> None:
        self.words: list[Word] = [[bytes([x]) for x in word.encode()] for word in words]
        self.times = list(words.values())
        self.counts: Counter[Pair] = Counter()
        # Where a pair has been seen; it may be gone from there since.
        self.places: defaultdict[Pair, set[int]] = defaultdict(set)
        for place, word in enumerate(self.words):
            for pair in pairs(word):
                self.counts[pair] += self.times[place]
                self.places[pair].add(place)
        # Each pair with its count or a larger one, which it had when it was put here.
        self.queue = [(-count, pair) for pair, count in self.counts.items()]
        heapq.heapify(self.queue)

    def count(self, pair: Pair) -> int:
        """How often a pair would be replaced now."""
        return self.counts[pair]

    def overlapping(self, pair: Pair) -> int:
        """How often a pair occurs now, places that overlap included."""
        if pair[0] != pair[1]:
            return self.counts[pair]
        found = 0
        for place in self.places[pair]:
            word = self.words[place]
            found += self.times[place] * list(zip(word, word[1:], strict=False)).count(pair)
        return found

    def largest(self) -> int:
        """The count of the most frequent pair."""
        while -self.queue[0][0] != self.counts[self.queue[0][1]]:
            pair = self.queue[0][1]
            heapq.heapreplace(self.queue, (-self.counts[pair], pair))
        return -self.queue[0][0]

    def merge(self, pair: Pair) -> None:
        """Replace a pair everywhere."""
        token = pair[0] + pair[1]
        risen = set()
        for place in self.places.pop(pair, ()):
            word = self.words[place]
            joined = replace(word, pair, token)
            if len(joined) == len(word):
                continue
            self.words[place] = joined
            for old in pairs(word):
                self.counts[old] -= self.times[place]
            for new in pairs(joined):
                self.counts[new] += self.times[place]
                if token in new:
                    self.places[new].add(place)
                    risen.add(new)
        for new in risen:
            heapq.heappush(self.queue, (-self.counts[new], new))


def pairs(word: Word) -> list[Pair]:
    """The pairs that a merge would replace, each on its own.

    Example:
        >>> pairs([b"a", b"a", b"a", b"b"])
        [(b'a', b'a'), (b'a', b'b')]
    """
    found: list[Pair] = []
    before = None
    for pair in zip(word, word[1:], strict=False):
        if pair == before:
            # It overlaps the one before, which only a pair of equal tokens can.
            before = None
        else:
            found.append(pair)
            before = pair
    return found


def replace(word: Word, pair: Pair, token: bytes) -> Word:
    """Replace a pair in a word by the token it makes, left to right."""
    left, right = pair
    joined: Word = []
    before = None
    for part in word:
        if part == right and before == left:
            joined[-1] = before = token
        else:
            joined.append(part)
            before = part
    return joined


def pretokens(text: Path, pattern: str) -> Counter[str]:
    """The distinct pretokens of a corpus with their counts."""
    split = regex.compile(NAMED_PATTERNS[pattern]).findall
    counts: Counter[str] = Counter()
    for document in texts(str(text)):
        counts.update(split(document))
    return counts


def replayed(words: Counter[str], merges: Sequence[Pair]) -> list[Step]:
    """How frequent each merge is where a list has it, and the most frequent pair there."""
    replay = Replay(words)
    steps = []
    for pair in merges:
        counts = replay.count(pair), replay.overlapping(pair), replay.largest()
        steps.append(Step(pair, *counts))
        replay.merge(pair)
    return steps


def agreement(text: Path, peer: str, python: Path) -> Figures:
    """Train both on a text, replay both lists, and tell where they differ."""
    pattern, saved = PATTERNS[peer], WORK / "merges.json"
    size = {"vocab_size": 256 + MERGES}
    plain = {"pattern": pattern, "supermerges": False, "deletion": None}
    run("superword", text, {**plain, **size, "output": str(MODEL)}, reach=256 + MERGES)
    rules = superword.load(MODEL).rules[:MERGES]
    ours = [(rule.left, rule.right or b"") for rule in rules]
    options = {**size, "regex": NAMED_PATTERNS[pattern], "merges": str(saved)}
    run(peer, text, options, python=python, reach=256 + MERGES)
    listed = json.loads(saved.read_text())[:MERGES]
    theirs = [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in listed]
    words = pretokens(text, pattern)
    with ProcessPoolExecutor(2) as pool:
        our_steps, steps = pool.map(replayed, (words, words), (ours, theirs))
    if any(step.count < step.largest for step in our_steps):
        raise SystemExit(f"{pattern}: a merge of ours is not of the most frequent pair")
    if [step.count for step in our_steps] != [rule.count for rule in rules]:
        raise SystemExit(f"{pattern}: our counts are not those of the corpus")
    early = [place for place, step in enumerate(steps) if step.count < step.largest]
    unexplained = [place for place in early if steps[place].overlapping < steps[place].largest]
    return {
        "pattern": pattern,
        "distinct_pretokens": len(words),
        "shared": len(set(ours) & set(theirs)),
        "most_frequent": len(theirs) - len(early),
        "overlapping": len(early) - len(unexplained),
        "unexplained": len(unexplained),
        "first_not_most_frequent": described(steps, early),
        "first_unexplained": described(steps, unexplained),
    }


def described(steps: Sequence[Step], places: Sequence[int]) -> dict[str, object] | None:
    """The first of some places in a list of merges, and what is there."""
    if not places:
        return None
    step = steps[places[0]]
    return {"place": places[0], **asdict(step), "pair": list(map(repr, step.pair))}


def section(size: int, peers: Mapping[str, Figures]) -> str:
    """What was found, in words and as a table."""
    head = ["peer", "pattern", "in both lists", "most frequent", "overlapping", "neither"]
    keys = ["pattern", "shared", "most_frequent", "overlapping", "unexplained"]
    rows = [[peer, *(found[key] for key in keys)] for peer, found in peers.items()]
    return (
        f"The first {MERGES:,} merges of plain BPE on {size} MB. Replayed in plain Python, each of "
        "ours joins a pair that is most frequent where it comes, with the count that the model "
        "gives. The peers decide ties in another way, and count places that overlap: `aaa` has two "
        "pairs for them, one for us, as only one of them can be merged. The table says how many "
        "merges are in both lists, and of theirs, replayed, how many join a pair that is most "
        "frequent by our count where it comes (so they differ from ours by ties only), how many by "
        "the count that includes places that overlap, and how many by neither.\n\n"
        + table([head, *rows])
    )
