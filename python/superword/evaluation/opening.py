"""Opening tokenizers of superword and other libraries, from files, by name or as objects."""

from __future__ import annotations

import importlib
import sys
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from superword.errors import ModelFormatError, SuperwordError
from superword.evaluation.extras import import_extra
from superword.evaluation.names import default_name
from superword.evaluation.sentencepiece_models import SentencePiece, is_sentencepiece
from superword.evaluation.tokenizers import AnyTokenizer, HuggingFace, Ours, Tiktoken
from superword.interop.folders import find_tokenizer_file
from superword.interop.tiktoken_file import find_vocabulary, read_ranks
from superword.patterns import resolve_pattern
from superword.tokenizer import Tokenizer, find_bundled, load
from superword.tokenizer.tiktoken_adapter import TiktokenAdapter

__all__ = ["TokenizerLike", "open_tokenizer"]

# A file or a folder, or an object of one of the libraries, which may not be installed.
TokenizerLike: TypeAlias = "str | PathLike[str] | Tokenizer | AnyTokenizer | Any"


def open_tokenizer(
    path: TokenizerLike, *, name: str | None = None, pattern: str | None = None
) -> AnyTokenizer:
    """Open a tokenizer to measure it; the format of a file is detected from its content.

    Args:
        path: A file or a folder: a superword model, a model of the paper's authors, a
            `tokenizer.json` of Hugging Face, a folder with one of them, a tiktoken vocabulary
            file, or a SentencePiece model. Or, if there is no file of this name, a model in the
            package such as `superword-131k`, or an encoding of tiktoken such as `cl100k_base`. Or
            an object: a `Tokenizer`, a `tiktoken.Encoding`, a tokenizer of transformers or
            tokenizers, or an `AnyTokenizer`, which is returned as it is.
        name: The name in tables; by default that of the file, or of the folder of a
            `tokenizer.json`.
        pattern: The pattern whose pretokens the tokens are compared with. The default is the
            tokenizer's own pattern if it has a name, else `gpt4o`. A tiktoken file does not contain
            its pattern: it is in the file beside it, or known by the file's name, as for `extend`.
            Other tiktoken files are also split by this pattern, and need it.

    Raises:
        ModelFormatError: If the file is none of these, or a tiktoken file of unknown pattern.
        PatternError: If there is no pattern of this name.
        OSError: If the file cannot be read.
        TypeError: If the object is none of these.

    Example:
        >>> import superword
        >>> tok = open_tokenizer(superword.train(["nothing"], 256), name="bytes")
        >>> tok.name, tok.tokenize("to")
        ('bytes', [b't', b'o'])
    """
    if isinstance(path, AnyTokenizer):
        return path
    pattern = None if pattern is None else resolve_pattern(pattern)
    if isinstance(path, (str, PathLike)):
        if not Path(path).exists() and is_encoding_name(str(path)):
            return Tiktoken.from_encoding(get_encoding(str(path)), name, pattern)
        if find_bundled(path) is not None:
            return Ours(load(path), name or str(path), pattern)
        return open_file(find_tokenizer_file(Path(path)), name or default_name(path), pattern)
    return open_object(path, name, pattern)


def open_object(source: Any, name: str | None, pattern: str | None) -> AnyTokenizer:
    """Return an object of one of the libraries as a tokenizer to measure."""
    if isinstance(source, Tokenizer):
        return Ours(source, name or "superword", pattern)
    if isinstance(source, TiktokenAdapter):
        return Ours(source.tokenizer, name or source.name, pattern)
    if is_instance(source, "tiktoken", "Encoding"):
        return Tiktoken.from_encoding(source, name, pattern)
    if is_instance(source, "tokenizers", "Tokenizer"):
        return HuggingFace(source, name or "tokenizers", pattern)
    if is_instance(source, "transformers", "PreTrainedTokenizerBase"):
        name = name or Path(source.name_or_path).name or type(source).__name__
        if is_instance(source, "superword.integrations.transformers", "SuperwordTokenizer"):
            return Ours(source.core, name, pattern)
        if (backend := getattr(source, "backend_tokenizer", None)) is not None:
            return HuggingFace(backend, name, pattern)
    raise TypeError(
        f"cannot measure a {type(source).__name__}: the bytes of its tokens are not known; pass a "
        "file, a Tokenizer, a tiktoken Encoding, a fast tokenizer of transformers, or implement "
        "superword.evaluation.AnyTokenizer: docs/evaluation.md"
    )


def is_instance(source: object, module: str, name: str) -> bool:
    """Return whether an object is of a class whose module may not be imported."""
    imported = sys.modules.get(module)
    return imported is not None and isinstance(source, getattr(imported, name))


def is_encoding_name(name: str) -> bool:
    """Return whether tiktoken is installed and has an encoding of this name."""
    try:
        return name in importlib.import_module("tiktoken").list_encoding_names()
    except ImportError:
        return False


def get_encoding(name: str) -> Any:
    """Return an encoding of tiktoken, which downloads its file at the first time.

    Raises:
        SuperwordError: If that fails.
    """
    try:
        return import_extra("tiktoken").get_encoding(name)
    except Exception as error:  # Of whatever library downloads files.
        raise SuperwordError(
            f"tiktoken cannot download {name}: {type(error).__name__}; pass its file instead"
        ) from error


def open_file(path: Path, name: str, pattern: str | None) -> AnyTokenizer:
    """Open a tokenizer file."""
    with path.open("rb") as file:
        start = file.read(4096)
    if start.lstrip().startswith(b"{") and b'"format":"superword"' not in start:
        return open_hugging_face(path, name, pattern)
    if is_sentencepiece(start):
        return SentencePiece(path, name, pattern)
    if ranks := read_ranks(path):
        return Tiktoken(ranks, name, find_split(path, pattern), pattern)
    return Ours(load(path), name, pattern)


def find_split(path: Path, pattern: str | None) -> str:
    """Return the pattern of a tiktoken file; the given one, if the file's own is unknown."""
    try:
        return find_vocabulary(path).pattern
    except ModelFormatError:
        if pattern is None:
            raise
        return pattern


def open_hugging_face(path: Path, name: str, pattern: str | None) -> HuggingFace:
    """Open a `tokenizer.json`."""
    tokenizers = import_extra("tokenizers")
    try:
        return HuggingFace(tokenizers.Tokenizer.from_file(str(path)), name, pattern)
    except Exception as error:  # `tokenizers` raises nothing more specific.
        message = f"{path}: neither a superword model nor a tokenizer.json: {error}"
        raise ModelFormatError(message) from None
