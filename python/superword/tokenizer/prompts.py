"""The part of a prompt whose ids no continuation can change: docs/guide.md."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from typing import NamedTuple

from superword import _core
from superword.patterns import SECOND_PATTERN, compile_eligibility, compile_pattern
from superword.tokenizer.rules import Rules

__all__ = ["Prompt", "Prompts"]

# One character of each class that the named patterns distinguish, and the letters of contractions.
KINDS = "aAǅʰאstdmlvre\u03011 \t\n\r\u00a0\u2028!'’_/\0"
PROBES = ["".join(letters) for length in (1, 2) for letters in product(KINDS, repeat=length)]
# Text that may have to follow before a token is made: more digits, since groups of digits are
# counted from the right, and the rest of a contraction.
ENDS = ["1", "11", "111", "a", "s", "t", "d", "m", "l", "ll", "e", "re", "ve", " ", "\n", "!"]
# Characters that end a word in all named patterns.
AFTER_WORDS = frozenset(' \t\n\r.,;:!?()[]{}<>=+*/"。，、；：！？（）「」“”…')
# Continuations that are encoded in one batch.
BATCH_SIZE = 4096


class Prompt(NamedTuple):
    """The certain ids of a text that will be continued.

    Attributes:
        ids: The ids of every text that starts with this one start with these.
        held_back: The remaining bytes, to be encoded with the continuation.
    """

    ids: list[int]
    held_back: bytes


class Prompts:
    """Finds the certain ids of prompts, for one model."""

    def __init__(self, model: _core.Model, encode: Callable[[list[str]], list[list[int]]]) -> None:
        if model.config["second_pattern"] is not None or model.config["pattern"] == SECOND_PATTERN:
            raise ValueError(
                "encode_prompt does not support SuperBPE models, whose tokens may span whole "
                "clauses; encode the prompt with its continuation"
            )
        self._model = model
        self._encode = encode
        self._pattern = compile_pattern(model.config["pattern"])
        self._eligibility = compile_eligibility(model.config["eligible"])
        rules = Rules(model)
        made = {rule.token for rule in rules if rule.kind != "delete"}
        added = [text for text, _ in model.added_tokens]
        made.update(map(str.encode, added))
        longest_first = sorted(added, key=len, reverse=True)
        self._added = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        self._longest_added = max(map(len, added), default=1)
        self._deleted = sorted({rule.left for rule in rules if rule.kind == "delete"})
        self._made = sorted(made)
        self._has_supermerges = any(rule.kind == "supermerge" for rule in rules)
        self._longest = max(map(len, made), default=1)

    def prompt(self, text: str) -> Prompt:
        """Return the certain ids of a text, and the remaining bytes."""
        head, tail = self._split(text)
        known, ids = self._encode([head, tail])
        certain = self._count_certain(tail, ids)
        # No merge crosses from head to tail, so the ids of the head are certain.
        kept = known + ids[:certain]
        return Prompt(kept, text.encode()[self._size(kept) :])

    def _size(self, ids: Iterable[int]) -> int:
        return sum(len(self._model.token_bytes(id) or b"") for id in ids)

    def _split(self, text: str) -> tuple[str, str]:
        """Split a text into head and tail where no token can cross, far enough from its end.

        The tail has at least two pretokens with letters before its end. So a run of digits or
        spaces at the end, which a continuation may split differently, is completely in the tail.
        What a custom regex looks at is not known. With one, all of the text is the tail.
        """
        # No token crosses an added token. Those that start this far from the end are certain.
        certain = len(text) - self._longest_added
        ends = (found.end() for found in self._added.finditer(text) if found.start() <= certain)
        start = max(ends, default=0)
        if not self._pattern.covers_all:
            return text[:start], text[start:]
        pretokens = self._pattern.split(text[start : max(certain + 1, 0)])
        words = 0
        for at in range(len(pretokens) - 1, 0, -1):
            left, right = pretokens[at - 1 : at + 1]
            words += any(map(str.isalpha, right))
            if words >= 3 and always_splits(left[-1], right[0]) and not self._may_join(left, right):
                start += sum(map(len, pretokens[:at]))
                break
        return text[:start], text[start:]

    def _may_join(self, left: str, right: str) -> bool:
        if not self._has_supermerges:
            return False
        return self._eligibility.has(left) and self._eligibility.has(right)

    def _count_certain(self, tail: str, ids: list[int]) -> int:
        """Return the number of ids that no continuation changes."""
        certain = len(ids)
        for other in self._encode([tail + probe for probe in PROBES]):
            certain = min(certain, common_length(ids, other))
        written = tail.encode()
        for start in range(max(0, len(written) - self._longest), len(written)):
            is_unchanged = self._size(ids[:certain]) <= start and self._starts_with(
                written[:start], ids[:certain]
            )
            tokens = self._deleted if is_unchanged else self._made
            certain = self._count_shared(tail, len(written) - start, tokens, ids, certain)
        return certain

    def _starts_with(self, start: bytes, ids: list[int]) -> bool:
        """Return whether the first bytes of the tail, encoded alone, start with these ids."""
        try:
            (alone,) = self._encode([start.decode()])
        except UnicodeDecodeError:
            return False
        return alone[: len(ids)] == ids

    def _count_shared(
        self, tail: str, overlap: int, tokens: list[bytes], ids: list[int], certain: int
    ) -> int:
        """Return the number of ids that stay when a token starts `overlap` bytes before the end."""
        start = tail.encode()[-overlap:]
        tried = continuations(find_longer(tokens, start), overlap)
        while batch := [tail + continuation for continuation in islice(tried, BATCH_SIZE)]:
            before = certain
            certain = min(certain, *(common_length(ids, other) for other in self._encode(batch)))
            if certain < before and not self._deleted:
                # The text before such a token is encoded as if alone, whichever token it is.
                break
        return certain


def always_splits(before: str, after: str) -> bool:
    r"""Return whether all named patterns split between these characters in any text.

    A word ends where something follows that is no letter, mark or apostrophe. No pattern looks
    further to see that, nor back from there. The head alone thus has the pretokens that it has in
    the text. White space and numbers are different: where they are split depends on what follows
    them, as in `\s+(?!\S)`.

    Example:
        >>> [always_splits(*pair) for pair in ("y.", "y ", "。y", " y", "\t\t", "1,", "n'")]
        [True, True, False, False, False, False, False]
    """
    return before.isalpha() and after in AFTER_WORDS


def continuations(tokens: Iterable[bytes], overlap: int) -> Iterator[str]:
    """Yield the rest of each token after the overlap, and the texts that may have to follow it.

    Example:
        >>> list(continuations([b"of", b"off"], 1))
        ['f', 'ff']
        >>> list(continuations([b"n'"], 1))[:4]
        ["'", "'1", "'11", "'111"]
    """
    for token in tokens:
        rest = complete_text(token[overlap:])
        if rest is not None:
            yield rest
            if b"'" in token or not token[-1:].isalpha():
                yield from (rest + end for end in ENDS)


def common_length(first: list[int], second: list[int]) -> int:
    """Return the length of the longest common prefix.

    Example:
        >>> common_length([1, 2, 3], [1, 2, 4, 5])
        2
    """
    for at, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return at
    return min(len(first), len(second))


def find_longer(tokens: list[bytes], start: bytes) -> Iterator[bytes]:
    r"""Yield the sorted tokens that start with some bytes and are longer.

    Example:
        >>> list(find_longer([b"a", b"of", b"of the", b"off", b"on"], b"of"))
        [b'of the', b'off']
    """
    for at in range(bisect_right(tokens, start), len(tokens)):
        if not tokens[at].startswith(start):
            return
        yield tokens[at]


def complete_text(rest: bytes) -> str | None:
    r"""Return a text that starts with some bytes, or None if none does.

    Example:
        >>> complete_text(b"ab"), complete_text(b"a\xe7"), complete_text(b"\x8c")
        ('ab', 'a\u7000', None)
    """
    for more in product([b"", b"\x80", b"\x90", b"\xa0"], repeat=3):
        try:
            return (rest + b"".join(more)).decode()
        except UnicodeDecodeError:
            continue
    return None
