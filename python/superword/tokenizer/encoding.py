"""The methods of a tokenizer that encode and decode."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from superword import _core
from superword.errors import SpecialTokenError
from superword.tokenizer.rules import Rules, Step
from superword.tokenizer.streams import DecodeStream, EncodeStream, Prompt, explain_special
from superword.tokenizer.threads import available_threads, thread_count

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from superword.tokenizer.explanation import Explanation

__all__ = ["MAX_EXPLAINED_BYTES", "Encoding", "Offsets", "list_tokens"]

Special = Literal["all"] | Collection[str]

# The longest text that `explain` takes by default. Its steps hold some megabytes.
MAX_EXPLAINED_BYTES = 4096
# Looking it up in NumPy takes a tenth of the time of a short text.
UINT32 = np.uint32
# Sets of special tokens for which what finds them is kept.
MAX_FINDERS = 64


class Offsets(NamedTuple):
    """The start and the end of each token of a text.

    Attributes:
        bytes: Byte offsets in the text's UTF-8, without gaps.
        characters: Character offsets: the characters that the token has a byte of. If a character
            is divided among tokens, their spans overlap.
    """

    bytes: list[tuple[int, int]]
    characters: list[tuple[int, int]]


class Encoding:
    """The half of `Tokenizer` that encodes and decodes."""

    _model: _core.Model

    @cached_property
    def _encoder(self) -> _core.Encoder:
        """The core's encoder. It is built on first use, since decoding needs none."""
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
            allowed_special: The special tokens to encode as such where the text spells them;
                `"all"` for all of the model's.
            disallowed_special: Texts that must not occur: by default all special tokens that are
                not allowed. With `()`, they are encoded as ordinary text.

        Raises:
            SpecialTokenError: If the text spells a special token that is not allowed.
            UnicodeEncodeError: If the text holds a lone surrogate, which UTF-8 cannot encode.
            PatternError: If the pattern is a custom regex and backtracks too much.
            UnknownTokenError: If the model has no token for some byte of the text.
        """
        if not self._special_ids and disallowed_special == "all":
            return self._encoder.encode(text)
        allowed, disallowed = self._resolve_special(allowed_special, disallowed_special)
        reject_special(text, disallowed)
        if not allowed or not find_any(allowed).search(text):
            return self.encode_ordinary(text)
        return self._encode_with_special([text], None, allowed)[0]

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode a text; special tokens in it are ordinary text."""
        return self._encoder.encode(text)

    def encode_bytes(self, data: bytes | bytearray) -> list[int]:
        """Encode bytes; special tokens in them are ordinary text.

        Each byte that is not UTF-8 becomes a pretoken, and the stretches between are encoded as
        separate texts. So `decode_bytes` gives the bytes back.
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
        """Encode texts on several threads; by default all that this process may use.

        Special tokens are treated, and errors raised, as in `encode`.
        """
        texts = as_list(texts)
        if not self._special_ids and disallowed_special == "all":
            return self.encode_ordinary_batch(texts, threads)
        allowed, disallowed = self._resolve_special(allowed_special, disallowed_special)
        for text in texts:
            reject_special(text, disallowed)
        if not allowed:
            return self.encode_ordinary_batch(texts, threads)
        return self._encode_with_special(texts, threads, allowed)

    def encode_ordinary_batch(
        self, texts: Iterable[str], threads: int | None = None
    ) -> list[list[int]]:
        """Encode texts; special tokens in them are ordinary text."""
        return self._encoder.encode_batch(as_list(texts), thread_count(threads))

    def encode_to_numpy(self, text: str, *, dtype: DTypeLike = np.uint32) -> NDArray[Any]:
        """Encode a text to an array; special tokens in it are ordinary text.

        Raises:
            ValueError: If `dtype` cannot hold every id of the model.
        """
        if dtype is UINT32:  # It holds all ids. A check takes longer than a short text.
            return self._encoder.encode_to_array(text)
        self._check_dtype(dtype)
        return self._encoder.encode_to_array(text).astype(dtype, copy=False)

    def _check_dtype(self, dtype: DTypeLike) -> None:
        chosen, largest = np.dtype(dtype), self.n_vocab - 1
        if chosen.kind not in "iu":
            raise ValueError(f"dtype must be a type of integers, not {chosen}")
        if largest > np.iinfo(chosen).max:
            raise ValueError(
                f"{chosen} holds ids up to {np.iinfo(chosen).max:,}, and the largest id of this "
                f"model is {largest:,}; use uint32"
            )

    def encode_batch_to_numpy(
        self, texts: Iterable[str], threads: int | None = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """Encode texts to one array; special tokens in them are ordinary text.

        Returns:
            The ids of all texts in a row, and the offsets: text `i` has
            `ids[offsets[i]:offsets[i + 1]]`.
        """
        return self._encoder.encode_to_arrays(as_list(texts), thread_count(threads))

    def encode_with_offsets(self, text: str) -> tuple[list[int], Offsets]:
        """Encode a text and locate its tokens; special tokens are ordinary text."""
        ids = self.encode_ordinary(text)
        return ids, Offsets(*self._encoder.offsets(text, ids))

    def encode_stream(
        self,
        *,
        allowed_special: Special = frozenset(),
        disallowed_special: Special = "all",
    ) -> EncodeStream:
        """Return an encoder that takes a text in pieces: docs/encoding.md.

        The ids of all pieces, put together, are those of `encode` for the whole text. Special
        tokens are treated as there.

        Example:
            >>> import superword
            >>> tok = superword.train(["one of the end of the", "all of the"], 259)
            >>> stream = tok.encode_stream()
            >>> stream.feed("end of t"), stream.feed("he year"), stream.finish()
            ([101, 110, 100], [258, 32, 121, 101, 97, 114], [])
        """
        allowed, disallowed = self._resolve_special(allowed_special, disallowed_special)
        return EncodeStream(
            _core.EncodeStream(self._encoder, self._find_special(allowed)),
            find_any(disallowed) if disallowed else None,
            max(map(len, disallowed), default=1),
        )

    def encode_prompt(
        self,
        text: str,
        *,
        allowed_special: Special = frozenset(),
        disallowed_special: Special = frozenset(),
    ) -> Prompt:
        """Encode a text that will be continued: the ids that are certain, and the remaining bytes.

        Whatever follows, the ids of the whole text start with these: docs/guide.md. By default,
        special tokens are ordinary text. A custom regex may look at all of a text, so with one
        everything after the last special token is held back.

        Example:
            >>> import superword
            >>> tok = superword.train(["one of the end of the", "all of the"], 259)
            >>> tok.encode_prompt("end of the")
            Prompt(ids=[101, 110, 100], held_back=b' of the')
        """
        if not allowed_special and not disallowed_special:
            return Prompt(*self._encoder.encode_prompt(text))
        stream = self.encode_stream(
            allowed_special=allowed_special, disallowed_special=disallowed_special
        )
        return Prompt(stream.feed(text), stream.held_back)

    def _find_special(self, allowed: frozenset[str]) -> _core.SpecialTokenFinder:
        finder = self._special_finders.get(allowed)
        if finder is None:
            tokens = [(text, self._special_ids[text]) for text in sorted(allowed)]
            finder = _core.SpecialTokenFinder(tokens)
            if len(self._special_finders) >= MAX_FINDERS:
                self._special_finders.clear()
            self._special_finders[allowed] = finder
        return finder

    @cached_property
    def _special_finders(self) -> dict[frozenset[str], _core.SpecialTokenFinder]:
        return {}

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text; special tokens in it are ordinary text."""
        return self._encoder.count(text, available_threads())

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Decode ids to a text.

        Args:
            ids: The ids. Special tokens decode to their texts.
            errors: How to treat bytes that are not UTF-8, as for `bytes.decode`.

        Raises:
            UnknownTokenError: If no token has one of the ids.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Decode ids to the bytes of their tokens.

        Raises:
            UnknownTokenError: If no token has one of the ids.
        """
        return self._encoder.decode(ids)

    def decode_batch(self, batch: Iterable[Iterable[int]], errors: str = "replace") -> list[str]:
        """Decode lists of ids to texts."""
        return [self.decode(ids, errors) for ids in batch]

    def decode_stream(self, errors: str = "replace") -> DecodeStream:
        """Return a decoder that takes one id at a time and returns complete characters."""
        return DecodeStream(self, errors)

    @cached_property
    def n_vocab(self) -> int:
        """One more than the largest id, special tokens included: the rows of an embedding.

        If the ids have gaps, as those of imported models may, this is more than the number of
        tokens, which `len` returns.

        Example:
            >>> import superword
            >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
            >>> tok.vocab_size, len(tok), tok.n_vocab
            (258, 259, 259)
        """
        ids = [id for id, _ in list_tokens(self._model)]
        return max([*ids, *self._special_ids.values()], default=-1) + 1

    def bytes_per_token_id(self) -> NDArray[np.uint32]:
        """Return the number of bytes of each id's token, for bits per byte: docs/guide.md.

        Special tokens and unused ids count as 0; added tokens count.

        Example:
            >>> import superword
            >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
            >>> tok.bytes_per_token_id()[[97, 256, 257, 258]].tolist()
            [1, 3, 2, 0]
        """
        sizes = np.zeros(self.n_vocab, np.uint32)
        for id, token in list_tokens(self._model):
            sizes[id] = len(token)
        return sizes

    def tokens(self, text: str) -> list[str]:
        r"""Encode a text, and return its tokens as readable strings.

        Bytes of a token that ends inside a character are shown as `\x` and two digits.
        """
        tokens = (self.decode_bytes([id]) for id in self.encode_ordinary(text))
        return [token.decode("utf-8", "backslashreplace") for token in tokens]

    def explain(self, text: str, *, limit: int | None = MAX_EXPLAINED_BYTES) -> Explanation:
        """Show how a text is encoded, rule by rule: first its bytes, then the effect of each rule.

        It applies the rules one by one, as the definition does. Use it for sentences: every step
        holds the whole text. `explain_steps` holds one step at a time. The result is a list of
        steps. Notebooks and terminals show it in colors.

        Args:
            text: The text.
            limit: Number of bytes that the text may have; None for any.

        Raises:
            ValueError: If the text is longer.

        Example:
            >>> import superword
            >>> tok = superword.train(["one of the end of the", "all of the"], 259)
            >>> tok.explain("of the")
            bytes    o f | ␣ t h e
            merge 1  o f | [␣t] h e
            merge 4  o f | [␣th] e
            merge 6  o f | [␣the]
        """
        from superword.tokenizer.explanation import Explanation

        steps = self.explain_steps(text)
        if limit is not None and (size := len(text.encode())) > limit:
            raise ValueError(
                f"the text has {size:,} bytes, and every step repeats it; explain takes up to "
                f"{limit:,}. Pass a shorter text, limit=None, or call explain_steps, which "
                "yields one step at a time"
            )
        return Explanation(steps)

    def explain_steps(self, text: str) -> Iterator[Step]:
        """Return an iterator over the steps of `explain`, for a text of any length."""
        rules = Rules(self._model)
        return (
            Step(
                None if (rule := step["rule"]) is None else rules[rule],
                step["units"],
                step["changes"],
            )
            for step in self._encoder.explain(text)
        )

    def _encode_with_special(
        self, texts: list[str], threads: int | None, allowed: frozenset[str]
    ) -> list[list[int]]:
        """Encode the text between special tokens in one batch, and insert their ids."""
        # Text and special token alternate.
        divided = [find_any(allowed).split(text) for text in texts]
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

    def _resolve_special(
        self, allowed_special: Special, disallowed_special: Special
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Return the special tokens to encode, and the texts to reject."""
        for given in (allowed_special, disallowed_special):
            if isinstance(given, str) and given != "all":
                raise TypeError(f"special tokens must be 'all' or a set: {{{given!r}}}")
        special = frozenset(self._special_ids)
        allowed = special if allowed_special == "all" else special & frozenset(allowed_special)
        everything = disallowed_special == "all"
        disallowed = special - allowed if everything else frozenset(disallowed_special)
        return allowed, disallowed


def list_tokens(model: _core.Model) -> list[tuple[int, bytes]]:
    """Return the tokens that texts may have: the vocabulary and the added tokens."""
    # An added token may have the id of the token of the vocabulary that has its bytes.
    tokens = dict(model.vocabulary())
    tokens |= {id: text.encode() for text, id in model.added_tokens}
    return list(tokens.items())


def as_list(texts: Iterable[str]) -> list[str]:
    """Return texts as a list. A single string is rejected: its characters are hardly meant."""
    if isinstance(texts, str):
        raise TypeError("texts must be a list of strings; for a single string, call encode")
    return texts if isinstance(texts, list) else list(texts)


def reject_special(text: str, disallowed: frozenset[str]) -> None:
    """Reject a text that spells a disallowed special token."""
    if disallowed and (match := find_any(disallowed).search(text)):
        raise SpecialTokenError(explain_special(match.group(), match.start()))


@lru_cache(maxsize=MAX_FINDERS)
def find_any(texts: frozenset[str]) -> re.Pattern[str]:
    """Return a regex that finds any of the texts, longest first."""
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile(f"({'|'.join(map(re.escape, longest_first))})")
