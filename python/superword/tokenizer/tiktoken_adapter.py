"""A tokenizer with the methods of `tiktoken.Encoding`, for code written for tiktoken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from superword.errors import PatternError
from superword.patterns import close_gaps, compile_pattern
from superword.tokenizer.rank_checks import explain_no_tiktoken
from superword.tokenizer.rank_merging import encode_broken_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from superword.tokenizer.tokenizer import Tokenizer

__all__ = ["TiktokenAdapter"]

Special = Literal["all"] | Collection[str]

END_OF_TEXT = "<|endoftext|>"


class TiktokenAdapter:
    """The methods, arguments and errors of `tiktoken.Encoding`; see `Tokenizer.as_tiktoken`.

    Unknown ids and tokens raise a `KeyError`, disallowed special tokens a `ValueError`.

    Example:
        >>> import superword
        >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|endoftext|>"])
        >>> enc = tok.as_tiktoken()
        >>> enc.n_vocab, enc.eot_token, enc.encode_ordinary_batch(["to", "be"], num_threads=2)
        (259, 258, [[257], [98, 101]])
    """

    def __init__(self, tok: Tokenizer, name: str) -> None:
        self.name = name
        self.tokenizer = tok

    def __repr__(self) -> str:
        """Return its name, as tiktoken does."""
        return f"<Encoding {self.name!r}>"

    @cached_property
    def _special_tokens(self) -> dict[str, int]:
        return self.tokenizer.special_tokens

    @cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        """The tokens with their ids, from which a `tiktoken.Encoding` with the same ids is made."""
        reason = explain_no_tiktoken(self.tokenizer)
        if reason is not None:
            raise AttributeError(f"no tiktoken.Encoding gives the ids of this model: {reason}")
        return {token: id for id, token in self.tokenizer._model.vocabulary()}

    @property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    @property
    def max_token_value(self) -> int:
        """The largest id, special tokens included."""
        return self.n_vocab - 1

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self.tokenizer.n_vocab

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`; raises `KeyError` if there is none."""
        return self._special_tokens[END_OF_TEXT]

    @property
    def _pat_str(self) -> str:
        try:
            return close_gaps(self.tokenizer.pattern)
        except PatternError as error:
            raise AttributeError(f"there is no regex: {error}") from None

    def is_special_token(self, token: int) -> bool:
        """Return whether an id is that of a special token."""
        return token in self._special_tokens.values()

    def encode(
        self,
        text: str,
        *,
        allowed_special: Special = frozenset(),
        disallowed_special: Special = "all",
    ) -> list[int]:
        """Encode a text; see `Tokenizer.encode`. Lone surrogates become U+FFFD."""
        special = {"allowed_special": allowed_special, "disallowed_special": disallowed_special}
        try:
            return self.tokenizer.encode(text, **special)
        except UnicodeEncodeError:
            return self.tokenizer.encode(replace_surrogates(text), **special)

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode a text; special tokens in it are ordinary text."""
        try:
            return self.tokenizer.encode_ordinary(text)
        except UnicodeEncodeError:
            return self.tokenizer.encode_ordinary(replace_surrogates(text))

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Special = frozenset(),
        disallowed_special: Special = "all",
    ) -> NDArray[np.uint32]:
        """Encode a text to an array."""
        ids = self.encode(
            text, allowed_special=allowed_special, disallowed_special=disallowed_special
        )
        return np.array(ids, np.uint32)

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int = 8,
        allowed_special: Special = frozenset(),
        disallowed_special: Special = "all",
    ) -> list[list[int]]:
        """Encode texts on several threads."""
        special = {"allowed_special": allowed_special, "disallowed_special": disallowed_special}
        texts = list(text)
        try:
            return self.tokenizer.encode_batch(texts, num_threads, **special)
        except UnicodeEncodeError:
            return self.tokenizer.encode_batch(
                map(replace_surrogates, texts), num_threads, **special
            )

    def encode_ordinary_batch(
        self, text: Iterable[str], *, num_threads: int = 8
    ) -> list[list[int]]:
        """Encode texts on several threads; special tokens are ordinary text."""
        texts = list(text)
        try:
            return self.tokenizer.encode_ordinary_batch(texts, num_threads)
        except UnicodeEncodeError:
            return self.tokenizer.encode_ordinary_batch(map(replace_surrogates, texts), num_threads)

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Encode bytes; if no `tiktoken.Encoding` has the same ids, as `Tokenizer.encode_bytes`."""
        try:
            return self.tokenizer.encode_ordinary(text.decode())
        except UnicodeDecodeError as error:
            whole, rest = text[: error.start].decode(), text[error.start :]
        try:
            ranks = self._mergeable_ranks
        except AttributeError:
            return self.tokenizer.encode_bytes(text)
        split = compile_pattern(self.tokenizer.pattern).split
        return encode_broken_text(whole, rest, split, ranks)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of a token or special token; raises `KeyError` if there is none."""
        token = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        id = self.tokenizer._model.token_id(token)
        if id is None:
            id = self._special_tokens.get(token.decode("utf-8", "surrogateescape"))
        if id is None:
            raise KeyError(token)
        return id

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Decode ids to a text."""
        return self.tokenizer.decode(tokens, errors)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Decode ids to bytes."""
        return self.tokenizer.decode_bytes(tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token; raises `KeyError` if the id is unknown."""
        return self.tokenizer.token_bytes(token)

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Return the bytes of each token."""
        return [self.tokenizer.token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Decode ids to a text, and return the character at which each token starts.

        A token that starts inside a character starts at that character.
        """
        parts = self.decode_tokens_bytes(tokens)
        starts = []
        characters = 0
        for part in parts:
            first, *_ = continues = [0x80 <= byte < 0xC0 for byte in part]
            starts.append(max(0, characters - first))
            characters += continues.count(False)
        return b"".join(parts).decode("utf-8", "strict"), starts

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Decode lists of ids to texts."""
        return self.tokenizer.decode_batch(batch, errors)

    def decode_bytes_batch(
        self, batch: Iterable[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """Decode lists of ids to bytes."""
        return [self.tokenizer.decode_bytes(tokens) for tokens in batch]

    def token_byte_values(self) -> list[bytes]:
        """Return all tokens in byte order, without special tokens."""
        tokens = {token for _, token in self.tokenizer._model.vocabulary()}
        return sorted(tokens.union(map(str.encode, self.tokenizer.added_tokens)))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same name and tokenizer."""
        if not isinstance(other, TiktokenAdapter):
            return NotImplemented
        return self.name == other.name and self.tokenizer == other.tokenizer

    def __hash__(self) -> int:
        """Hash the name and the tokenizer."""
        return hash((self.name, self.tokenizer))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by value."""
        return TiktokenAdapter, (self.tokenizer, self.name)


def replace_surrogates(text: str) -> str:
    r"""Join pairs of surrogates, and replace lone ones by U+FFFD, as tiktoken does.

    Example:
        >>> replace_surrogates("\ud83d\ude00 \ud83d!")
        '😀 �!'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
