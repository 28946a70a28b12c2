"""Texts and ids that arrive in pieces."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, NamedTuple

from superword import _core
from superword.errors import SpecialTokenError

if TYPE_CHECKING:
    from superword.tokenizer.encoding import Encoding

__all__ = ["DecodeStream", "EncodeStream", "Prompt", "explain_special"]


class Prompt(NamedTuple):
    """The certain ids of a text that will be continued.

    Attributes:
        ids: The ids of every text that starts with this one start with these.
        held_back: The remaining bytes, whose ids depend on what follows.
    """

    ids: list[int]
    held_back: bytes


class EncodeStream:
    """An encoder that takes a text in pieces, made by `Tokenizer.encode_stream`.

    Attributes:
        held_back: The bytes whose ids were not returned yet, since they depend on what follows.

    Example:
        >>> import superword
        >>> tok = superword.train(["one of the end of the", "all of the"], 259)
        >>> stream = tok.encode_stream()
        >>> stream.feed("end of the")
        [101, 110, 100]
        >>> stream.held_back, stream.peek()
        (b' of the', [258])
        >>> stream.feed("m."), stream.finish()
        ([256, 257, 109], [46])
    """

    def __init__(
        self, stream: _core.EncodeStream, disallowed: re.Pattern[str] | None, longest: int
    ) -> None:
        self._stream = stream
        self._disallowed = disallowed
        # The end of the text so far, in which a disallowed token may begin.
        self._window = ""
        self._window_start = 0
        self._longest = longest
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, piece: str | bytes | bytearray) -> list[int]:
        """Take the next piece, and return the ids that no continuation can change any more.

        Pieces may be bytes, which may end inside a character. Each byte that is not UTF-8 is then
        encoded as in `encode_bytes`.

        Raises:
            SpecialTokenError: If the text spells a special token that is not allowed.
            UnicodeEncodeError: If the text holds a lone surrogate, which UTF-8 cannot encode.
            UnknownTokenError: If the model has no token for some byte of the text.
        """
        if not isinstance(piece, (str, bytes, bytearray)):
            raise TypeError(f"a piece must be a str or bytes, not {type(piece).__name__}")
        if self._disallowed is not None:
            self._reject_special(self._disallowed, piece)
        return self._stream.feed(piece)

    def _reject_special(self, disallowed: re.Pattern[str], piece: str | bytes | bytearray) -> None:
        text = piece if isinstance(piece, str) else self._decoder.decode(piece)
        window = self._window + text
        if match := disallowed.search(window):
            raise SpecialTokenError(
                explain_special(match.group(), self._window_start + match.start())
            )
        kept = max(len(window) - self._longest + 1, 0)
        self._window = window[kept:]
        self._window_start += kept

    def peek(self) -> list[int]:
        """Return the ids of the bytes that are held back, as if the text ended here.

        The text goes on nevertheless: the next `feed` may return other ids for them.
        """
        return self._stream.peek()

    def finish(self) -> list[int]:
        """Return the rest of the ids. The next piece starts another text."""
        rest = self._stream.finish()
        self._window, self._window_start = "", 0
        self._decoder.reset()
        return rest

    def copy(self) -> EncodeStream:
        """Return a stream that goes on from here on its own, such as one answer of several."""
        other = EncodeStream(self._stream.copy(), self._disallowed, self._longest)
        other._window, other._window_start = self._window, self._window_start
        other._decoder.setstate(self._decoder.getstate())
        return other

    @property
    def held_back(self) -> bytes:
        """The bytes whose ids were not returned yet, since they depend on what follows."""
        return self._stream.held_back


class DecodeStream:
    """A decoder that takes one id at a time and returns complete characters.

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
        """Take the next id, and return the characters that it completes."""
        return self._decoder.decode(self._tokenizer.decode_bytes([id]))

    def finish(self) -> str:
        """Return the rest: empty, unless the ids ended inside a character."""
        return self._decoder.decode(b"", final=True)


def explain_special(spelled: str, position: int) -> str:
    """Say that a text spells a special token that is not allowed, and what to do."""
    return (
        f"the text spells the special token {spelled!r} at character {position}. "
        f"To encode it as one, pass allowed_special={{{spelled!r}, ...}} or 'all'. To encode "
        "it as ordinary text, pass disallowed_special=(), or call encode_ordinary"
    )
