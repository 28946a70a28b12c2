"""The text that a command works on: an argument, a file, or standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from superword.corpus.paths import STANDARD_INPUT
from superword.errors import CorpusError

__all__ = ["decode_input", "read_input"]


def read_input(text: str | None, file: Path | None = None) -> tuple[bytes, str]:
    """Return the bytes that a command works on, and their name in messages.

    Raises:
        ValueError: If there are both a text and a file.
        OSError: If the file cannot be read.
    """
    if text is not None and file is not None:
        raise ValueError("give either a text or a file, not both")
    if text is not None:
        # The bytes of the terminal, even if they are not UTF-8.
        return os.fsencode(text), "the text"
    if file is not None and str(file) != "-":
        return file.read_bytes(), str(file)
    return sys.stdin.buffer.read(), STANDARD_INPUT


def decode_input(given: tuple[bytes, str]) -> str:
    """Decode the bytes that `read_input` returned; line ends are kept.

    Raises:
        CorpusError: If they are not UTF-8.
    """
    data, name = given
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8; convert the text first, for example with iconv"
        raise CorpusError(message, file=name) from None
