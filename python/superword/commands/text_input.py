"""The text that a command is given: an argument, a file, or standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from superword.corpus.paths import STANDARD_INPUT
from superword.errors import CorpusError

__all__ = ["as_text", "given_bytes"]


def given_bytes(text: str | None, file: Path | None = None) -> tuple[bytes, str]:
    """Give the bytes that a command is to work on, as they are, and what messages call them.

    Raises:
        ValueError: If there are both a text and a file.
        OSError: If the file cannot be read.
    """
    if text is not None and file is not None:
        raise ValueError("there are both a text and a file; give one of them")
    if text is not None:
        # What the terminal gave, even where it was not UTF-8.
        return os.fsencode(text), "the text"
    if file is not None and str(file) != "-":
        return file.read_bytes(), str(file)
    return sys.stdin.buffer.read(), STANDARD_INPUT


def as_text(given: tuple[bytes, str]) -> str:
    """Decode the bytes, with their line ends as they are.

    Raises:
        CorpusError: If they are not UTF-8.
    """
    data, name = given
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8; convert the text first, with iconv for one"
        raise CorpusError(message, file=name) from None
