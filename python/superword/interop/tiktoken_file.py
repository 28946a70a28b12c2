"""tiktoken's vocabulary files, and the JSON file beside them.

Each line of a vocabulary file is a token in base 64 and its rank. The file beside it, its name plus
`.json`, holds the pattern and the special tokens, which a `tiktoken.Encoding` needs too.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from superword import _core
from superword.errors import ModelFormatError
from superword.json_files import read_json_object
from superword.patterns import NAMED_PATTERNS, close_gaps, quote_regex
from superword.tokenizer import Tokenizer
from superword.vocabularies import VOCABULARIES, Vocabulary

__all__ = [
    "companion_path",
    "find_vocabulary",
    "read_companion",
    "read_encoding_arguments",
    "read_ranks",
    "write_companion",
    "write_ranks",
]


def read_ranks(path: Path) -> dict[bytes, int] | None:
    """Return the ranks in a vocabulary file, or None if the first line is not one of its kind.

    Raises:
        ModelFormatError: If a line is malformed; it says which.
    """
    with path.open("rb") as file:
        start = file.read(_core.START_BYTES)
        if _core.detect_file(start) != "tiktoken":
            return None
        content = start + file.read()
    try:
        return dict(_core.read_tiktoken(content))
    except ModelFormatError as error:
        raise ModelFormatError(f"{path}: {error}") from None


def write_ranks(tok: Tokenizer) -> bytes:
    """Return the vocabulary file of a tokenizer."""
    lines = (base64.b64encode(token) + b" %d\n" % id for id, token in tok._model.vocabulary())
    return b"".join(lines)


def companion_path(path: Path) -> Path:
    """Return the path of the file beside a vocabulary file."""
    return path.with_name(path.name + ".json")


def read_companion(path: Path) -> tuple[str, dict[str, int]]:
    """Return the pattern and the special tokens from the file beside a vocabulary file."""
    described = read_description(path)
    pattern = described.get("pattern", described["pat_str"])
    is_name = pattern in NAMED_PATTERNS
    return pattern if is_name else quote_regex(pattern), described["special_tokens"]


def read_description(path: Path) -> dict[str, Any]:
    """Return the object in the file beside a vocabulary file.

    Raises:
        ModelFormatError: If it is not what `write_companion` writes.
    """
    companion = companion_path(path)
    described = read_json_object(companion)
    if not all(isinstance(described.get(name, ""), str) for name in ("pattern", "pat_str")):
        raise ModelFormatError(f"{companion}: damaged: a pattern is not a text")
    specials = described.get("special_tokens")
    if "pat_str" not in described or not isinstance(specials, dict):
        raise ModelFormatError(f"{companion}: damaged: it needs pat_str and special_tokens")
    if not all(type(id) is int and 0 <= id < 2**32 for id in specials.values()):
        raise ModelFormatError(f"{companion}: damaged: an id must be from 0 to 4294967295")
    return described


def find_vocabulary(path: Path) -> Vocabulary:
    """Return what a vocabulary file does not hold: from the file beside it, or by its name.

    Raises:
        ModelFormatError: If there is no such file, and the name is not that of a published one.
    """
    if companion_path(path).exists():
        return Vocabulary(*read_companion(path))
    known = VOCABULARIES.get(path.stem)
    if known is None or known.special_tokens is None:
        raise ModelFormatError(
            f"{path}: a tiktoken file does not hold its pattern; pass it (pattern=, --pattern), "
            f"or put {companion_path(path).name} beside it"
        )
    return known


def read_encoding_arguments(path: Path) -> tuple[str, dict[str, int]]:
    """Return `pat_str` and `special_tokens` of the `tiktoken.Encoding`, from the same file."""
    described = read_description(path)
    return described["pat_str"], described["special_tokens"]


def write_companion(tok: Tokenizer) -> bytes:
    """Return the file beside a vocabulary file.

    `pattern` is the model's own, and `pat_str` the regex for tiktoken.
    """
    described = {
        "pat_str": close_gaps(tok.pattern),
        "pattern": tok.pattern,
        "special_tokens": tok.special_tokens,
        "fingerprint": tok.fingerprint,
    }
    return json.dumps(described, indent=1, ensure_ascii=False).encode() + b"\n"
