"""Check whether superword and another trainer learn the same plain-BPE merges, up to ties.

Two lists of merges cannot be compared by index: trainers order equally frequent pairs differently,
and one exchange shifts all later merges. So each list is replayed on the distinct pretokens of the
corpus, as `regex` splits it. If every merge joins a most frequent pair, the list is valid by our
definition, however it breaks ties.

This is plain Python and shares nothing with the trainer, so it checks our own list as well.
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
from harness import Figures, find_model_file, run_trainer
from results import format_table
from superword.patterns import NAMED_PATTERNS
from trainers import Pair, read_texts

MERGES = 10_000
# The pattern of each peer. rustbpe is left out: it does not expose the tokens of a merge.
PATTERNS = {"gigatoken": "gpt2", "tokenizers": "gpt4o"}

Word = list[bytes]


@dataclass
class Step:
    """One replayed merge.

    Attributes:
        pair: The tokens that it joins.
        count: The count of the pair.
        overlapping: The count with overlaps: two for (a, a) in `aaa`.
        largest: The count of the most frequent pair.
    """

    pair: Pair
    count: int
    overlapping: int
    largest: int


class Replay:
    """Merges words with counts, and keeps the counts of their pairs.

    A pair counts as often as a merge would replace it: `aaa` has one (a, a).

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
        # The words that a pair has occurred in; it may have been merged away since.
        self.words_with: defaultdict[Pair, set[int]] = defaultdict(set)
        for index, word in enumerate(self.words):
            for pair in list_pairs(word):
                self.counts[pair] += self.times[index]
                self.words_with[pair].add(index)
        # A heap of pairs with their counts when pushed, which may be larger than now.
        self.queue = [(-count, pair) for pair, count in self.counts.items()]
        heapq.heapify(self.queue)

    def count(self, pair: Pair) -> int:
        """Return how often a merge would replace a pair now."""
        return self.counts[pair]

    def count_overlapping(self, pair: Pair) -> int:
        """Return how often a pair occurs now, overlaps included."""
        if pair[0] != pair[1]:
            return self.counts[pair]
        found = 0
        for index in self.words_with[pair]:
            word = self.words[index]
            found += self.times[index] * list(zip(word, word[1:], strict=False)).count(pair)
        return found

    def largest(self) -> int:
        """Return the count of the most frequent pair."""
        while -self.queue[0][0] != self.counts[self.queue[0][1]]:
            pair = self.queue[0][1]
            heapq.heapreplace(self.queue, (-self.counts[pair], pair))
        return -self.queue[0][0]

    def merge(self, pair: Pair) -> None:
        """Replace a pair in all words."""
        token = pair[0] + pair[1]
        risen = set()
        for index in self.words_with.pop(pair, ()):
            word = self.words[index]
            joined = replace_pair(word, pair, token)
            if len(joined) == len(word):
                continue
            self.words[index] = joined
            for old in list_pairs(word):
                self.counts[old] -= self.times[index]
            for new in list_pairs(joined):
                self.counts[new] += self.times[index]
                if token in new:
                    self.words_with[new].add(index)
                    risen.add(new)
        for new in risen:
            heapq.heappush(self.queue, (-self.counts[new], new))


def list_pairs(word: Word) -> list[Pair]:
    """List the pairs of a word, without those that overlap an equal pair.

    Example:
        >>> list_pairs([b"a", b"a", b"a", b"b"])
        [(b'a', b'a'), (b'a', b'b')]
    """
    found: list[Pair] = []
    before = None
    for pair in zip(word, word[1:], strict=False):
        if pair == before:
            # Only a pair of equal tokens can overlap the one before it.
            before = None
        else:
            found.append(pair)
            before = pair
    return found


def replace_pair(word: Word, pair: Pair, token: bytes) -> Word:
    """Replace a pair in a word by a token, from left to right."""
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


def count_pretokens(text: Path, pattern: str) -> Counter[str]:
    """Count the pretokens of a corpus."""
    split = regex.compile(NAMED_PATTERNS[pattern]).findall
    counts: Counter[str] = Counter()
    for document in read_texts(str(text)):
        counts.update(split(document))
    return counts


def replay_merges(words: Counter[str], merges: Sequence[Pair]) -> list[Step]:
    """Replay a list of merges, and return the counts at each."""
    replay = Replay(words)
    steps = []
    for pair in merges:
        counts = replay.count(pair), replay.count_overlapping(pair), replay.largest()
        steps.append(Step(pair, *counts))
        replay.merge(pair)
    return steps


def compare_merges(text: Path, peer: str, python: Path) -> Figures:
    """Train superword and a peer on a text, replay both lists, and describe the differences."""
    pattern, model = PATTERNS[peer], find_model_file()
    saved = model.with_name("merges.json")
    size = {"vocab_size": 256 + MERGES}
    plain = {"pattern": pattern, "supermerges": False, "deletion": None}
    run_trainer("superword", text, {**plain, **size, "output": str(model)}, min_tokens=256 + MERGES)
    rules = superword.load(model).rules[:MERGES]
    ours = [(rule.left, rule.right or b"") for rule in rules]
    options = {**size, "regex": NAMED_PATTERNS[pattern], "merges": str(saved)}
    run_trainer(peer, text, options, python=python, min_tokens=256 + MERGES)
    listed = json.loads(saved.read_text())[:MERGES]
    theirs = [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in listed]
    words = count_pretokens(text, pattern)
    with ProcessPoolExecutor(2) as pool:
        our_steps, steps = pool.map(replay_merges, (words, words), (ours, theirs))
    if any(step.count < step.largest for step in our_steps):
        raise SystemExit(f"{pattern}: one of our merges does not join a most frequent pair")
    if [step.count for step in our_steps] != [rule.count for rule in rules]:
        raise SystemExit(f"{pattern}: our counts differ from those of the corpus")
    early = [index for index, step in enumerate(steps) if step.count < step.largest]
    unexplained = [index for index in early if steps[index].overlapping < steps[index].largest]
    return {
        "pattern": pattern,
        "distinct_pretokens": len(words),
        "shared": len(set(ours) & set(theirs)),
        "most_frequent": len(theirs) - len(early),
        "overlapping": len(early) - len(unexplained),
        "unexplained": len(unexplained),
        "first_not_most_frequent": describe_first(steps, early),
        "first_unexplained": describe_first(steps, unexplained),
    }


def describe_first(steps: Sequence[Step], indices: Sequence[int]) -> dict[str, object] | None:
    """Describe the merge at the first of some indices."""
    if not indices:
        return None
    step = steps[indices[0]]
    return {"index": indices[0], **asdict(step), "pair": list(map(repr, step.pair))}


def build_section(size: int, peers: Mapping[str, Figures]) -> str:
    """Describe the result, with a table."""
    head = ["peer", "pattern", "in both lists", "most frequent", "overlapping", "neither"]
    keys = ["pattern", "shared", "most_frequent", "overlapping", "unexplained"]
    rows = [[peer, *(found[key] for key in keys)] for peer, found in peers.items()]
    return (
        f"The first {MERGES:,} merges of plain BPE on {size} MB. Replayed in plain Python, each of "
        "our merges joins a most frequent pair, with the count in the model. The peers break ties "
        "differently, and count overlaps: `aaa` has two pairs for them and one for us, because "
        "only one can be merged. The table counts the merges in both lists. Of the peer's merges, "
        "replayed, it counts those that join a most frequent pair by our count, and so differ only "
        "in ties; those that do so by the count with overlaps; and those that do neither.\n\n"
        + format_table([head, *rows])
    )
