"""Opening tokenizers of other libraries: their merges become rules, their ids stay.

docs/extending.md lists the features that are kept, and those that are rejected. The core reads the
files; here is what their names and their neighbours say.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from superword import _core
from superword.errors import ModelFormatError
from superword.interop.folders import find_pair, find_tokenizer_file
from superword.interop.tiktoken_file import find_vocabulary
from superword.patterns import resolve_pattern
from superword.tokenizer import Tokenizer, find_bundled, load
from superword.vocabularies import VOCABULARIES, Vocabulary

__all__ = ["import_tokenizer", "open_base"]


def open_base(
    path: str | PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    approximate: bool = False,
) -> Tokenizer:
    """Open a tokenizer of any supported kind, as a model that gives the same ids.

    Args:
        path: A superword model or the name of one in the package, a `tokenizer.json`, a
            `tekken.json`, a tiktoken file, a `vocab.json` with its `merges.txt`, or a folder with
            one of them.
        pattern: The pattern of a tiktoken file or of `merges.txt`, a name or a regex.
        special_tokens: The special tokens of such files, with their ids.
        approximate: Warn of features that cannot be reproduced, instead of rejecting them.

    Raises:
        ModelFormatError: If the file is not a tokenizer, or cannot be reproduced.
        OSError: If the file cannot be read.

    Example:
        >>> import superword, tempfile
        >>> tok = superword.train(["to be or not to be"], 258, supermerges=False, deletion=None)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     superword.export(tok, f"{folder}/tokenizer.json", "tokenizer.json")
        ...     open_base(folder).fingerprint == tok.fingerprint
        True
        True
    """
    if find_bundled(path) is not None:
        if pattern is not None or special_tokens is not None:
            raise ValueError(
                "pattern and special_tokens are for tiktoken files; this model has its own"
            )
        return load(path)
    path = find_tokenizer_file(Path(path))
    if pattern is not None:
        pattern = resolve_pattern(pattern)
    try:
        made = import_file(path, pattern, special_tokens, approximate)
    except OverflowError:
        raise ModelFormatError(f"{path}: an id must be from 0 to 4294967295") from None
    except UnicodeEncodeError as error:
        surrogate = ascii(error.object[error.start])
        raise ModelFormatError(f"{path}: damaged: a lone surrogate, {surrogate}") from None
    except ModelFormatError as error:
        prefix = "" if str(error).startswith(str(path)) else f"{path}: "
        raise ModelFormatError(f"{prefix}{error}") from None
    if made is None:
        return load(path)
    for sentence in made["warnings"]:
        warnings.warn(f"{path}: {sentence}", stacklevel=2)
    return Tokenizer._of(made["model"])


import_tokenizer = open_base  # Its name before it was public.


def import_file(
    path: Path,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    approximate: bool,
) -> _core._ImportedRecord | None:
    """Import a file of another library. Return None if `load` opens it, or says what it is."""
    with path.open("rb") as file:
        start = file.read(_core.START_BYTES)
        kind = _core.detect_file(start)
        if kind != "tiktoken" and (pair := find_pair(path)) is not None:
            return import_merges(*pair, pattern, special_tokens, approximate)
        if kind not in ("tiktoken", "json") and pattern is None and special_tokens is None:
            return None
        content = start + file.read()
    if kind == "tiktoken":
        known = choose_vocabulary(path, pattern)
        pattern = known.pattern
        if special_tokens is None:
            special_tokens = known.special_tokens
    return _core.import_file(content, pattern, number_texts(special_tokens), approximate)


def choose_vocabulary(path: Path, pattern: str | None) -> Vocabulary:
    """Return what a tiktoken file does not hold: given, in the file beside it, or known by name."""
    if pattern is None:
        return find_vocabulary(path)
    own = VOCABULARIES.get(path.stem)
    return Vocabulary(pattern, own and own.special_tokens)


def import_merges(
    vocabulary_file: Path,
    merges_file: Path,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    approximate: bool,
) -> _core._ImportedRecord:
    """Import `vocab.json` and `merges.txt`, or GPT-2's `encoder.json` and `vocab.bpe`."""
    if pattern is None and merges_file.name == "vocab.bpe":
        pattern = "gpt2"
    if pattern is None:
        raise ModelFormatError(
            f"{merges_file}: it does not hold its pattern; pass it (pattern=, --pattern)"
        )
    contents = vocabulary_file.read_bytes(), merges_file.read_bytes()
    return _core.import_merges(*contents, pattern, number_texts(special_tokens), approximate)


def number_texts(texts: Mapping[str, int] | None) -> list[tuple[int, str]] | None:
    """Return texts with their ids, as the core takes them."""
    return None if texts is None else [(id, text) for text, id in texts.items()]
