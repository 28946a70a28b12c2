"""The half of a tokenizer that encodes and decodes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from superword import _core
from superword.errors import SpecialTokenError
from superword.tokenizer.prompts import Prompt, Prompts
from superword.tokenizer.rules import Rules, Step
from superword.tokenizer.threads import available_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DecodeStream", "Encoding", "Offsets"]

Special = Literal["all"] | Collection[str]


class Offsets(NamedTuple):
    """Where each token of a text is: the start and the end of each.

    Attributes:
        bytes: In the text's UTF-8. They leave no gaps.
        characters: In the text: the characters that the token has a byte of. Where a character is
            divided among tokens, they overlap.
    """

    bytes: list[tuple[int, int]]
    characters: list[tuple[int, int]]


class Encoding:
    """What a `Tokenizer` has for encoding and decoding."""

    _model: _core.Model

    @cached_property
    def _encoder(self) -> _core.Encoder:
        """What encodes; made when it is first needed, since it takes longer than to load."""
        return _core.Encoder(self._model)

    @cached_property
    def _special_ids(self) -> dict[str, int]:
        return dict(self._model.special_tokens)

    def encode(
        self,
        text: str,
        *,
        allowed_special: Special = frozenset(),
        disallowed_special: Special = "all",
    ) -> list[int]:
        """Encode a text.

        Args:
            text: The text.
            allowed_special: The special tokens that the text may spell, and which are then encoded
                as such; `"all"` for all of the model's.
            disallowed_special: The texts that must not occur: by default all special tokens that
                are not allowed. With `()`, they are encoded as the text that they are.

        Raises:
            SpecialTokenError: If the text spells a special token that is not allowed.
            UnicodeEncodeError: If the text holds a lone surrogate, which no UTF-8 can.
            PatternError: If the pattern is a regex of one's own and backtracks too much.
            UnknownTokenError: If the model has no token for a byte of the text.
        """
        if not self._special_ids and disallowed_special == "all":
            return self._encoder.encode(text, threads_for(text))
        allowed, disallowed = self._sorted_out(allowed_special, disallowed_special)
        refuse(text, disallowed)
        if not allowed or not occurrences(allowed).search(text):
            return self.encode_ordinary(text)
        return self._encode_with_special([text], None, allowed)[0]

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode a text; special tokens that it spells are text like any other."""
        return self._encoder.encode(text, threads_for(text))

    def encode_bytes(self, data: bytes | bytearray) -> list[int]:
        """Encode bytes; special tokens that they spell are text like any other.

        Each byte that is not UTF-8 is a pretoken of its own, and what lies between such bytes is
        encoded like texts of their own. So nothing is lost: `decode_bytes` gives the bytes back.
        """
        return self._encoder.encode_bytes(data, available_threads())

    def encode_batch(
        self,
        texts: Iterable[str],
        threads: int | None = None,
        *,
        allowed_special: Special = frozenset(),
        disallowed_special: Special = "all",
    ) -> list[list[int]]:
        """Encode texts, on several threads; by default as many as this process may use.

        Special tokens, and what is raised, are as in `encode`.
        """
        texts = listed(texts)
        if not self._special_ids and disallowed_special == "all":
            return self.encode_ordinary_batch(texts, threads)
        allowed, disallowed = self._sorted_out(allowed_special, disallowed_special)
        for text in texts:
            refuse(text, disallowed)
        if not allowed:
            return self.encode_ordinary_batch(texts, threads)
        return self._encode_with_special(texts, threads, allowed)

    def encode_ordinary_batch(
        self, texts: Iterable[str], threads: int | None = None
    ) -> list[list[int]]:
        """Encode texts; special tokens that they spell are text like any other."""
        return self._encoder.encode_batch(listed(texts), checked(threads))

    def encode_to_numpy(self, text: str) -> NDArray[np.uint32]:
        """Encode a text to an array; special tokens that it spells are text like any other."""
        return self.encode_batch_to_numpy([text])[0]

    def encode_batch_to_numpy(
        self, texts: Iterable[str], threads: int | None = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """Encode texts to one array; special tokens that they spell are text like any other.

        Returns:
            The ids of all texts, one after the other, and the offsets: text `i` has
            `ids[offsets[i]:offsets[i + 1]]`. Both arrays are read-only.
        """
        ids, offsets = self._encoder.encode_to_arrays(listed(texts), checked(threads))
        return np.frombuffer(ids, np.uint32), np.frombuffer(offsets, np.uint64)

    def encode_with_offsets(self, text: str) -> tuple[list[int], Offsets]:
        """Encode a text, and say where each token is in it. Special tokens are text."""
        ids = self.encode_ordinary(text)
        return ids, Offsets(*self._encoder.offsets(text, ids))

    def encode_prompt(self, text: str) -> Prompt:
        """Encode a text that goes on: the ids that are certain, and the bytes that are not.

        The ids of every text that begins with this one begin with these ids, and the next one would
        not be certain: docs/guide.md. Special tokens are text.

        Example:
            >>> import superword
            >>> tok = superword.train(["one of the end of the", "all of the"], 259)
            >>> tok.encode_prompt("end of the")
            Prompt(ids=[101, 110, 100], held_back=b' of the')
        """
        return self._prompts.prompt(text)

    @cached_property
    def _prompts(self) -> Prompts:
        return Prompts(self._model, lambda texts: self._encoder.encode_batch(texts, 1))

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text; special tokens that it spells are text like any other."""
        return self._encoder.count(text, available_threads())

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Decode ids to a text.

        Args:
            ids: The ids. Special tokens stand for their texts.
            errors: What to do with bytes that are not UTF-8, as for `bytes.decode`.

        Raises:
            UnknownTokenError: If no token has one of the ids.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Decode ids to bytes: those of their tokens, one after the other.

        Raises:
            UnknownTokenError: If no token has one of the ids.
        """
        return self._encoder.decode(ids)

    def decode_batch(self, batch: Iterable[Iterable[int]], errors: str = "replace") -> list[str]:
        """Decode lists of ids to texts."""
        return [self.decode(ids, errors) for ids in batch]

    def decode_stream(self, errors: str = "replace") -> DecodeStream:
        """Decode ids one by one, to text as soon as it is whole."""
        return DecodeStream(self, errors)

    def bytes_per_token_id(self) -> NDArray[np.uint32]:
        """How many bytes the token of each id has, for bits per byte: docs/guide.md.

        Special tokens count as 0, since they are no part of a text, and so do ids of no token.

        Example:
            >>> import superword
            >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
            >>> tok.bytes_per_token_id()[[97, 256, 257, 258]].tolist()
            [1, 3, 2, 0]
        """
        vocabulary = self._model.vocabulary()
        ids = [id for id, _ in vocabulary] + [id for _, id in self._model.special_tokens]
        sizes = np.zeros(max(ids, default=-1) + 1, np.uint32)
        for id, token in vocabulary:
            sizes[id] = len(token)
        return sizes

    def tokens(self, text: str) -> list[str]:
        r"""Encode a text, and give its tokens for people to read.

        A token that is a part of a character is shown with `\x` and two digits for each byte.
        """
        tokens = (self.decode_bytes([id]) for id in self.encode_ordinary(text))
        return [token.decode("utf-8", "backslashreplace") for token in tokens]

    def explain(self, text: str) -> list[Step]:
        """Show how a text is encoded, rule by rule: first its bytes, then what each rule changes.

        The rules are applied one after the other, as the definition has it. It is meant for
        sentences.
        """
        rules = Rules(self._model)
        return [
            Step(None if rule is None else rules[rule], units, changes)
            for rule, units, changes in self._encoder.explain(text)
        ]

    def _encode_with_special(
        self, texts: list[str], threads: int | None, allowed: frozenset[str]
    ) -> list[list[int]]:
        """Encode what lies between special tokens, all of it at once, and put them in between."""
        # Text, special token, text, and so on.
        divided = [occurrences(allowed).split(text) for text in texts]
        ordinary = [text for parts in divided for text in parts[::2]]
        encoded = iter(self.encode_ordinary_batch(ordinary, threads))
        result = []
        for parts in divided:
            ids = next(encoded)
            for special in parts[1::2]:
                ids.append(self._special_ids[special])
                ids += next(encoded)
            result.append(ids)
        return result

    def _sorted_out(
        self, allowed_special: Special, disallowed_special: Special
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The special tokens that are encoded, and the texts that are refused."""
        for given in (allowed_special, disallowed_special):
            if isinstance(given, str) and given != "all":
                raise TypeError(f"special tokens are given as 'all' or a set, {{{given!r}}}")
        special = frozenset(self._special_ids)
        allowed = special if allowed_special == "all" else special & frozenset(allowed_special)
        everything = disallowed_special == "all"
        disallowed = special - allowed if everything else frozenset(disallowed_special)
        return allowed, disallowed


class DecodeStream:
    """Ids in, one by one; text out, as soon as its last byte is there.

    Example:
        >>> import superword
        >>> tok = superword.train(["nothing"], 256)
        >>> stream = tok.decode_stream()
        >>> [stream.feed(byte) for byte in "né!".encode()], stream.finish()
        (['n', '', 'é', '!'], '')
    """

    def __init__(self, tokenizer: Encoding, errors: str = "replace") -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def feed(self, id: int) -> str:
        """Take the next id, and give the text that has become whole by it."""
        return self._decoder.decode(self._tokenizer.decode_bytes([id]))

    def finish(self) -> str:
        """Give what is left: nothing, unless the ids ended inside a character."""
        return self._decoder.decode(b"", final=True)


# From so many characters on, other threads help with a single text.
LARGE = 1 << 20


def checked(threads: int | None) -> int:
    """How many threads to use."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    return threads or available_threads()


def listed(texts: Iterable[str]) -> list[str]:
    """The texts as a list. A string is refused: its characters are hardly meant."""
    if isinstance(texts, str):
        raise TypeError("texts are given as a list of strings; for a single string, call encode")
    return texts if isinstance(texts, list) else list(texts)


def threads_for(text: str) -> int:
    """How many threads encode a text: one, unless it is large."""
    if not isinstance(text, str):
        raise TypeError(f"a text is a str, not of type {type(text).__name__!r}")
    return 1 if len(text) < LARGE else available_threads()


def refuse(text: str, disallowed: frozenset[str]) -> None:
    """Refuse a text that spells a special token."""
    if disallowed and (match := occurrences(disallowed).search(text)):
        spelled = match.group()
        raise SpecialTokenError(
            f"character {match.start()} of the text begins {spelled!r}, which is a special token. "
            f"To encode it as one, pass allowed_special={{{spelled!r}, ...}} or 'all'. To encode "
            "it as the text that it is, pass disallowed_special=(), or call encode_ordinary"
        )


@lru_cache(maxsize=64)
def occurrences(texts: frozenset[str]) -> re.Pattern[str]:
    """What finds these texts; of two that begin alike, the longer one."""
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile(f"({'|'.join(map(re.escape, longest_first))})")
