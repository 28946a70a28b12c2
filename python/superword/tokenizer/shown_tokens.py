"""What is shown of a token: its bytes, its words, and the rule that makes it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from superword import _core
from superword.errors import UnknownTokenError
from superword.patterns import pretokenize
from superword.printable import quote
from superword.tokenizer.rules import Rule, Rules

__all__ = [
    "MAX_SHOWN_TOKENS",
    "ShownToken",
    "TokenDescriber",
    "count_words",
    "describe_rule",
    "split_visible",
]

# The tokens that are shown of a text by default. A page with more of them is slow.
MAX_SHOWN_TOKENS = 1000


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token as it is shown.

    Attributes:
        id: Its id.
        token: Its bytes.
        words: The number of words of a superword; 0 for other tokens.
        origin: Where it comes from: `byte`, `special token`, `added token`, or the rule that makes
            it first; empty if that is not known.
        count: The count of that rule in training; None if it is not known.
    """

    id: int
    token: bytes
    words: int = 0
    origin: str = ""
    count: int | None = None

    @property
    def is_superword(self) -> bool:
        """Whether the token is a superword."""
        return self.words > 0

    def describe(self) -> str:
        """Return lines for a hover text: the token, its id, its bytes, its rule and its count.

        Example:
            >>> rule = "supermerge 122: ␣of + ␣the"
            >>> print(ShownToken(374, b" of the", 2, rule, 2963).describe())
            ␣of␣the
            id 374, superword of 2 words
            7 bytes: 20 6f 66 20 74 68 65
            supermerge 122: ␣of + ␣the
            count 2,963
        """
        words = f", superword of {self.words} words" if self.words else ""
        size = "1 byte" if len(self.token) == 1 else f"{len(self.token):,} bytes"
        hexadecimal = self.token[:MAX_LISTED_BYTES].hex(" ")
        more = " …" if len(self.token) > MAX_LISTED_BYTES else ""
        lines = [quote(self.token), f"id {self.id}{words}", f"{size}: {hexadecimal}{more}"]
        lines += [self.origin] * bool(self.origin)
        return "\n".join([*lines, *([] if self.count is None else [f"count {self.count:,}"])])


# A hover text lists no more bytes of a token.
MAX_LISTED_BYTES = 48


class TokenDescriber:
    """Describes the tokens of a model. It reads all rules once."""

    def __init__(self, model: _core.Model) -> None:
        self._model = model
        config = model.config
        self._pattern, self._has_supermerges = config["pattern"], config["supermerges"]
        self._special = {id: text.encode() for text, id in model.special_tokens}
        self._added = {id: text.encode() for text, id in model.added_tokens}
        self._rules: dict[bytes, Rule] = {}
        for rule in Rules(model):
            if rule.kind != "delete":
                self._rules.setdefault(rule.token, rule)
        self._known: dict[int, ShownToken] = {}

    def describe(self, id: int) -> ShownToken:
        """Return what is shown of the token with an id.

        Raises:
            UnknownTokenError: If no token has the id.
        """
        if id not in self._known:
            self._known[id] = self._look_up(id)
        return self._known[id]

    def describe_superwords(self) -> list[ShownToken]:
        """Return the superwords of the vocabulary, the most frequent in training first."""
        ids = [id for id, _ in self._model.vocabulary()]
        if self._has_supermerges:
            ids = [id for id in ids if self._model.is_superword(id)]
        superwords = [each for each in map(self.describe, ids) if each.is_superword]
        return sorted(superwords, key=lambda each: (-(each.count or 0), each.id))

    def _look_up(self, id: int) -> ShownToken:
        named: Mapping[str, dict[int, bytes]] = {
            "special token": self._special,
            "added token": self._added,
        }
        for name, tokens in named.items():
            if id in tokens:
                return ShownToken(id, tokens[id], origin=name)
        token = self._model.token_bytes(id) if 0 <= id < 2**32 else None
        if token is None:
            raise UnknownTokenError(f"no token has the id {id}")
        words = 0
        # With supermerges, superwords are what they make; docs/evaluation.md.
        if self._model.is_superword(id):
            words = max(count_words(token, self._pattern), 2)
        elif not self._has_supermerges:
            words = count_words(token, self._pattern)
        rule = self._rules.get(token)
        if rule is None:
            origin = "byte" if len(token) == 1 else ""
            return ShownToken(id, token, words, origin)
        # A count of 0 says that the model's file has none.
        return ShownToken(id, token, words, describe_rule(rule), rule.count or None)


def describe_rule(rule: Rule) -> str:
    """Return a rule in words: merge 12: ␣t + he.

    Example:
        >>> describe_rule(Rule(12, "merge", b" t", b"he"))
        'merge 12: ␣t + he'
        >>> describe_rule(Rule(13, "delete", b"th", parts=(b"t", b"h")))
        'delete 13: th → t, h'
    """
    if rule.right is None:
        return f"{rule.kind} {rule.index}: {quote(rule.left)} → {', '.join(map(quote, rule.parts))}"
    return f"{rule.kind} {rule.index}: {quote(rule.left)} + {quote(rule.right)}"


def count_words(token: bytes, pattern: str) -> int:
    """Return the number of words of a token; 0 if they are not several.

    A word is a pretoken with a letter.

    Example:
        >>> count_words(b" of the", "gpt4o"), count_words(b" the", "gpt4o")
        (2, 0)
    """
    text = token.decode("utf-8", "ignore")
    if len(text) < 2:
        return 0
    words = sum(any(map(str.isalpha, each)) for each in pretokenize(text, pattern))
    return words if words > 1 else 0


def split_visible(token: bytes) -> Iterator[tuple[str, bool]]:
    r"""Yield a token in pieces: printable text, and escapes of what is not, each with which it is.

    A mark that would combine with what is before the token stands on a dotted circle.

    Example:
        >>> list(split_visible(b"a\n\xff"))
        [('a', False), ('\\n\\xff', True)]
        >>> list(split_visible("\u0301a".encode()))
        [('◌́a', False)]
    """
    text = token.decode("utf-8", "surrogateescape")
    if text and unicodedata.category(text[0]).startswith("M"):
        text = "◌" + text
    piece, is_escape = "", False
    for character in text:
        needs_escape = not character.isprintable()
        if needs_escape != is_escape and piece:
            yield piece, is_escape
            piece = ""
        is_escape = needs_escape
        piece += escape_character(character) if needs_escape else character
    if piece:
        yield piece, is_escape


def escape_character(character: str) -> str:
    r"""Return a character that is not printable as an escape; a byte of no character as `\x80`.

    Example:
        >>> [escape_character(each) for each in "\n\xa0\u202e\udc80"]
        ['\\n', '\\u00a0', '\\u202e', '\\x80']
    """
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    if "\x80" <= character <= "\xff":
        return f"\\u{ord(character):04x}"
    return character.encode("unicode_escape").decode()
