"""The text that a command works on: an argument, a file, or standard input."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from pathlib import Path

from superword.corpus.paths import STANDARD_INPUT, names_a_file
from superword.errors import CorpusError

__all__ = ["decode_input", "read_input", "warn_of_file_name"]


def read_input(
    text: str | None, file: Path | None = None, how: str = "--file {}"
) -> tuple[bytes, str]:
    """Return the bytes that a command works on, and their name in messages.

    A text that names a file is still a text, but a warning says how to read the file: `how`.

    Raises:
        ValueError: If there are both a text and a file.
        OSError: If the file cannot be read.
    """
    if text is not None and file is not None:
        raise ValueError("give either a text or a file, not both")
    if text is not None:
        warn_of_file_name(text, how)
        # The bytes of the terminal, even if they are not UTF-8.
        return os.fsencode(text), "the text"
    if file is not None and str(file) != "-":
        return file.read_bytes(), str(file)
    return sys.stdin.buffer.read(), STANDARD_INPUT


def warn_of_file_name(text: str, how: str) -> None:
    """Warn if a text is the name of a file, and say how to read the file."""
    if names_a_file(text):
        warnings.warn(
            f"{text!r} is taken as a text, and there is a file of that name; to read the file, "
            f"type {how.format(shlex.quote(text))}",
            stacklevel=2,
        )


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
