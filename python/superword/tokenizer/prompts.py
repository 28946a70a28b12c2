"""The part of a text whose ids no continuation can change: docs/guide.md."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from typing import NamedTuple

from superword import _core
from superword.patterns import compiled, eligibility
from superword.tokenizer.rules import Rules

__all__ = ["Prompt", "Prompts"]

# A character of each class that a named pattern tells apart, and the letters of contractions.
KINDS = "aAǅʰאstdmlvre\u03011 \t\n\r\u00a0\u2028!'’_/\0"
PROBES = ["".join(letters) for length in (1, 2) for letters in product(KINDS, repeat=length)]
# What may have to follow for a token to be made: more digits, since they are divided from the
# right, and the rest of a contraction.
ENDS = ["1", "11", "111", "a", "s", "t", "d", "m", "l", "ll", "e", "re", "ve", " ", "\n", "!"]
# How many continuations are tried at once.
PORTION = 4096


class Prompt(NamedTuple):
    """A text, as far as its ids are certain.

    Attributes:
        ids: With these the ids of every text begin that begins with this one.
        held_back: The bytes that are not in them, to be encoded with what follows.
    """

    ids: list[int]
    held_back: bytes


class Prompts:
    """What finds out how much of a text is certain, for one model."""

    def __init__(self, model: _core.Model, encode: Callable[[list[str]], list[list[int]]]) -> None:
        self._model = model
        self._encode = encode
        parameters = model.parameters
        self._pattern = compiled(parameters[0])
        self._eligibility = eligibility(parameters[1])
        rules = Rules(model)
        made = {rule.token for rule in rules if rule.kind != "delete"}
        self._deleted = sorted({rule.left for rule in rules if rule.kind == "delete"})
        self._made = sorted(made)
        self._has_supermerges = any(rule.kind == "supermerge" for rule in rules)
        self._longest = max(map(len, made), default=1)

    def prompt(self, text: str) -> Prompt:
        """Give the ids of a text that are certain, and the rest of it."""
        head, tail = self._cut(text)
        known, ids = self._encode([head, tail])
        certain = self._certain(tail, ids)
        # What the tail was cut off from is encoded as before, whatever comes.
        kept = known + ids[:certain]
        return Prompt(kept, text.encode()[self._size(kept) :])

    def _size(self, ids: Iterable[int]) -> int:
        return sum(len(self._model.token_bytes(id) or b"") for id in ids)

    def _cut(self, text: str) -> tuple[str, str]:
        """Cut a text where nothing goes across, far enough from its end.

        After the cut come two pretokens with letters at least, so that a row of digits or blanks at
        the end, which what follows may split in another way, is whole.
        """
        pretokens = self._pattern.split(text)
        words = 0
        for place in range(len(pretokens) - 1, 0, -1):
            words += any(map(str.isalpha, pretokens[place]))
            if words >= 3 and not self._may_join(pretokens[place - 1], pretokens[place]):
                return "".join(pretokens[:place]), "".join(pretokens[place:])
        return "", text

    def _may_join(self, left: str, right: str) -> bool:
        if not self._has_supermerges:
            return False
        return self._eligibility.has(left) and self._eligibility.has(right)

    def _certain(self, tail: str, ids: list[int]) -> int:
        """Count the ids that every continuation leaves as they are."""
        certain = len(ids)
        for other in self._encode([tail + probe for probe in PROBES]):
            certain = min(certain, common(ids, other))
        written = tail.encode()
        for start in range(max(0, len(written) - self._longest), len(written)):
            is_settled = self._size(ids[:certain]) <= start and self._is_as_before(
                written[:start], ids[:certain]
            )
            tokens = self._deleted if is_settled else self._made
            certain = self._shared(tail, len(written) - start, tokens, ids, certain)
        return certain

    def _is_as_before(self, start: bytes, ids: list[int]) -> bool:
        """Say whether a part of the tail, taken alone, begins with these ids."""
        try:
            (alone,) = self._encode([start.decode()])
        except UnicodeDecodeError:
            return False
        return alone[: len(ids)] == ids

    def _shared(
        self, tail: str, overlap: int, tokens: list[bytes], ids: list[int], certain: int
    ) -> int:
        """Count the ids that stay when a token begins so many bytes before the end of the tail."""
        start = tail.encode()[-overlap:]
        tried = continuations(beginning_with(tokens, start), overlap)
        while portion := [tail + continuation for continuation in islice(tried, PORTION)]:
            before = certain
            certain = min(certain, *(common(ids, other) for other in self._encode(portion)))
            if certain < before and not self._deleted:
                # What is before such a token is encoded as if it stood alone, whichever it is.
                break
        return certain


def continuations(tokens: Iterable[bytes], overlap: int) -> Iterator[str]:
    """Complete tokens of which the beginning is there, and add what they may need to be made.

    Example:
        >>> list(continuations([b"of", b"off"], 1))
        ['f', 'ff']
        >>> list(continuations([b"n'"], 1))[:4]
        ["'", "'1", "'11", "'111"]
    """
    for token in tokens:
        rest = completed(token[overlap:])
        if rest is not None:
            yield rest
            if b"'" in token or not token[-1:].isalpha():
                yield from (rest + end for end in ENDS)


def common(first: list[int], second: list[int]) -> int:
    """How many ids two lists begin with alike.

    Example:
        >>> common([1, 2, 3], [1, 2, 4, 5])
        2
    """
    for place, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return place
    return min(len(first), len(second))


def beginning_with(tokens: list[bytes], start: bytes) -> Iterator[bytes]:
    r"""Find the longer ones of sorted tokens that begin with some bytes.

    Example:
        >>> list(beginning_with([b"a", b"of", b"of the", b"off", b"on"], b"of"))
        [b'of the', b'off']
    """
    for place in range(bisect_right(tokens, start), len(tokens)):
        if not tokens[place].startswith(start):
            return
        yield tokens[place]


def completed(rest: bytes) -> str | None:
    r"""Complete bytes to a text, if they are the beginning of one.

    Example:
        >>> completed(b"ab"), completed(b"a\xe7"), completed(b"\x8c")
        ('ab', 'a\u7000', None)
    """
    for more in product([b"", b"\x80", b"\x90", b"\xa0"], repeat=3):
        try:
            return (rest + b"".join(more)).decode()
        except UnicodeDecodeError:
            continue
    return None
