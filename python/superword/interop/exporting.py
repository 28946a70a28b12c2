"""Exporting models to other libraries' files."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from superword.atomic_files import temporary_folder, write_atomically
from superword.errors import ExportError
from superword.interop.comparing import Format, find_difference
from superword.interop.export_checks import explain_no_ranks
from superword.interop.gguf_checks import explain_no_gguf
from superword.interop.gguf_file import write_gguf
from superword.interop.tiktoken_file import companion_path, write_companion, write_ranks
from superword.interop.tokenizer_json import write_tokenizer_json
from superword.patterns import SCRIPT_PATTERN
from superword.tokenizer import Tokenizer
from superword.tokenizer.rank_checks import explain_no_tiktoken

__all__ = ["Exported", "export", "write_export"]

# By format: why a model cannot be such a file.
CHECKS: dict[Format, Callable[[Tokenizer], str | None]] = {
    "tokenizer.json": explain_no_ranks,
    "tiktoken": lambda tok: explain_no_ranks(tok) or explain_no_tiktoken(tok),
    "gguf": explain_no_gguf,
}


class Exported(NamedTuple):
    """What is known of an exported file.

    Attributes:
        is_exact: Whether it should give the same ids for every text.
        is_compared: Whether the other library gave the same ids for the built-in texts.
    """

    is_exact: bool
    is_compared: bool


def export(
    tok: Tokenizer, path: str | PathLike[str], format: Format, *, approximate: bool = False
) -> bool:
    """Write a model as a file of another library, atomically: docs/exporting.md.

    Before a file is called exact, it is opened with the other library and compared with the model
    on texts that are hard to split. A warning says if that library is not installed.

    Args:
        tok: The tokenizer.
        path: The file. A tiktoken file gets a second file beside it, its name plus `.json`, with
            the pattern and the special tokens.
        format: `tokenizer.json`, of Hugging Face tokenizers; `tiktoken`; or `gguf`, of llama.cpp,
            with the vocabulary only.
        approximate: Write the nearest `tokenizer.json` if none gives the same ids.

    Returns:
        Whether the file gives the same ids for every text. This assumes that the other library
        interprets the pattern in the same way on texts that were not compared.

    Raises:
        ExportError: If no such file gives the same ids, and `approximate` is not set or does not
            apply to the format; or if the other library cannot use the file.
        ImportError: If a GGUF file is wanted and the package `gguf` is missing.
        OSError: If the file cannot be written.

    Example:
        >>> import superword, tempfile
        >>> tok = superword.train(["to be or not to be"], 258)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export(tok, f"{folder}/tokenizer.json", "tokenizer.json", approximate=True)
        False
    """
    return write_export(tok, path, format, approximate=approximate).is_exact


def write_export(
    tok: Tokenizer, path: str | PathLike[str], format: Format, *, approximate: bool = False
) -> Exported:
    """Write a model as a file of another library, and return what is known of it: `export`."""
    if format not in CHECKS:
        raise ValueError(f"format must be one of {', '.join(CHECKS)}, not {format!r}")
    path = Path(path)
    reason = CHECKS[format](tok)
    written: dict[Path, bytes] = {}
    is_compared = False
    if reason is None:
        written = write_files(tok, path, format, is_exact=True)
        try:
            reason, is_compared = explain_difference(tok, written, format), True
        except ImportError as missing:
            warnings.warn(
                f"the file should be exact, but was not compared with the model: {missing}",
                stacklevel=3,
            )
    if reason is not None:
        # No regex splits by script, so there is no nearest file either.
        has_nearest = format == "tokenizer.json" and tok.pattern != SCRIPT_PATTERN
        if not (has_nearest and approximate):
            if has_nearest:
                reason += "; approximate=True (--approximate) writes the nearest one"
            raise ExportError(f"no {format} file gives the ids of this model: {reason}")
        written = write_files(tok, path, format, is_exact=False)
    with write_atomically() as files:
        for name, content in written.items():
            # Without the file beside it, a vocabulary is not taken for that of another model.
            files.open(name, is_manifest=name != path).write(content)
    return Exported(reason is None, is_compared)


def write_files(tok: Tokenizer, path: Path, format: Format, *, is_exact: bool) -> dict[Path, bytes]:
    """Return the contents of the files."""
    if format == "tiktoken":
        return {path: write_ranks(tok), companion_path(path): write_companion(tok)}
    if format == "gguf":
        return {path: write_gguf(tok)}
    try:
        return {path: write_tokenizer_json(tok, is_exact=is_exact)}
    except ValueError as error:
        raise ExportError(str(error)) from None


def explain_difference(tok: Tokenizer, written: dict[Path, bytes], format: Format) -> str | None:
    """Return why files are not exact, by opening them with their library; None if they are.

    Raises:
        ImportError: If the library is missing.
    """
    with temporary_folder() as folder:
        first, *_ = opened = [folder / path.name for path in written]
        for path, content in zip(opened, written.values(), strict=True):
            path.write_bytes(content)
        text = find_difference(tok, first, format)
    return None if text is None else f"the library encodes {shorten(text)} differently"


def shorten(text: str) -> str:
    """Return a text as it is written in Python, without its end if it is long.

    Example:
        >>> shorten("to be" * 20)
        "'to beto beto beto beto beto beto beto be'..."
    """
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."
