"""SentencePiece models, as tokenizers to measure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from superword.errors import ModelFormatError
from superword.evaluation.extras import import_extra
from superword.evaluation.tokenizers import AnyTokenizer, choose_pattern, flatten_ids
from superword.tokenizer.other_files import SENTENCEPIECE_START

if TYPE_CHECKING:
    from superword.evaluation.tokenizers import EncodedBatch

__all__ = ["SentencePiece", "is_sentencepiece"]


def is_sentencepiece(start: bytes) -> bool:
    r"""Return whether a file is a SentencePiece model, from its beginning.

    Example:
        >>> is_sentencepiece(b"\n\x0e\n\x05<unk>"), is_sentencepiece(b"{}")
        (True, False)
    """
    return SENTENCEPIECE_START.match(start) is not None


class SentencePiece(AnyTokenizer):
    """A model of the library `sentencepiece`.

    Most of these models normalize text, or put a space before it. Then the bytes of the tokens are
    not those of the text, and documents count as altered.

    Args:
        path: The model file.
        name: The name in tables.
        pattern: The pattern to measure by; `gpt4o` by default.

    Raises:
        SuperwordError: If `sentencepiece` is not installed.
        ModelFormatError: If the file is damaged.
    """

    def __init__(self, path: Path, name: str, pattern: str | None = None) -> None:
        sentencepiece = import_extra("sentencepiece")
        try:
            self._model: Any = sentencepiece.SentencePieceProcessor(model_file=str(path))
        except (OSError, RuntimeError) as error:
            raise ModelFormatError(f"{path}: not a SentencePiece model: {error}") from None
        self.name = name
        self.pattern = choose_pattern(pattern, None)
        self.vocabulary = {
            id: self._read_piece(id)
            for id in range(self._model.get_piece_size())
            if not (self._model.is_control(id) or self._model.is_unknown(id))
        }

    @property
    def id_limit(self) -> int:
        """One more than the largest id, special tokens included."""
        return int(self._model.get_piece_size())

    def _read_piece(self, id: int) -> bytes:
        """Return the bytes of a piece, in which "▁" stands for a space."""
        piece: str = self._model.id_to_piece(id)
        if self._model.is_byte(id):
            return bytes.fromhex(piece[3:5])
        return piece.replace("▁", " ").encode()

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> EncodedBatch:
        """Encode texts, without special tokens around them."""
        return flatten_ids(self._model.encode(list(texts), num_threads=threads))
