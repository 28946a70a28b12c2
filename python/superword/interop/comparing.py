"""Comparing exported files with the model, each opened with its library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from superword.errors import ExportError
from superword.interop.tiktoken_file import read_encoding_arguments, read_ranks
from superword.interop.tricky_texts import list_tricky_texts
from superword.tokenizer import Tokenizer
from superword.tokenizer.encoding import list_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Comparison", "Format", "compare_export", "find_difference"]

Format = Literal["tokenizer.json", "tiktoken", "gguf"]

# llama.cpp recurses once for each digit. With a stack of 8 MB, 26,000 are safe and 28,000 crash.
LONGEST_NUMBER = 20_000

# Documents that are compared at a time.
BATCH_SIZE = 256


class Comparison(NamedTuple):
    """The differences between an exported file and the model, on a corpus.

    Attributes:
        documents: Number of documents encoded with both.
        differing_documents: Number of documents with different ids.
        tokens: Number of tokens that the model gives.
        differing_tokens: Number of these that the file does not give at the same position.
        exported_tokens: Number of tokens that the file gives.
    """

    documents: int = 0
    differing_documents: int = 0
    tokens: int = 0
    differing_tokens: int = 0
    exported_tokens: int = 0


def compare_export(
    tok: Tokenizer, path: str | PathLike[str], format: Format, corpus: Iterable[str]
) -> Comparison:
    """Encode documents with a model and with its exported file, and count differences.

    Raises:
        ExportError: If the library cannot open the file, or fails on a document.
        ImportError: If the library that reads the file is missing.
    """
    encode = open_exported(Path(path), format)
    ids = list_tokens(tok._model)
    lengths = np.zeros(max((id for id, _ in ids), default=0) + 1, np.int64)
    for id, token in ids:
        lengths[id] = len(token)
    totals = Comparison()
    for documents in split_batches(corpus):
        ours = tok.encode_ordinary_batch(documents)
        compared = [
            compare_ids(np.array(mine, np.int64), np.array(theirs, np.int64), lengths)
            for mine, theirs in zip(ours, encode(documents), strict=True)
        ]
        totals = Comparison(*map(sum, zip(totals, *compared, strict=True)))
    return totals


def find_difference(tok: Tokenizer, path: Path, format: Format) -> str | None:
    """Return the first tricky text that the file encodes differently; None if there is none.

    Raises:
        ExportError: If the library cannot open the file, or fails on a text.
        ImportError: If the library that reads the file is missing.
    """
    encode = open_exported(path, format)
    first, *others = list_tricky_texts(tok)
    # The first alone: if the library fails on every text, it fails once.
    for texts in ([first], others):
        ours = tok.encode_ordinary_batch(texts, threads=1)
        for text, mine, theirs in zip(texts, ours, encode(texts), strict=True):
            if mine != list(theirs):
                return text
    return None


def split_batches(corpus: Iterable[str]) -> Iterator[list[str]]:
    """Yield the documents in batches."""
    documents = iter(corpus)
    while batch := list(islice(documents, BATCH_SIZE)):
        yield batch


def compare_ids(
    ours: NDArray[np.int64], theirs: NDArray[np.int64], lengths: NDArray[np.int64]
) -> Comparison:
    """Compare the ids of one document.

    Example:
        >>> compare_ids(np.array([0, 1, 2]), np.array([0, 3]), np.array([1, 1, 1, 2]))
        Comparison(documents=1, differing_documents=1, tokens=3, differing_tokens=2, \
exported_tokens=2)
    """
    if np.array_equal(ours, theirs):
        return Comparison(1, 0, len(ours), 0, len(theirs))
    # The end and the length of a token in one number.
    spans = np.cumsum(lengths[ours]) * (1 << 24) + lengths[ours]
    other_spans = np.cumsum(lengths[theirs]) * (1 << 24) + lengths[theirs]
    different = int(np.sum(~np.isin(spans, other_spans)))
    return Comparison(1, 1, len(ours), different, len(theirs))


Encode = Callable[[list[str]], Sequence[Sequence[int]]]


def open_exported(path: Path, format: Format) -> Encode:
    """Return a function that encodes texts with an exported file."""
    library, open_file = LIBRARIES[format]
    try:
        opened = open_file(path)
    except (ImportError, OSError):
        raise
    except Exception as error:
        raise ExportError(f"{library} cannot open the file: {error}") from None

    def encode(texts: list[str]) -> Sequence[Sequence[int]]:
        try:
            return opened(texts)
        except BaseException as error:
            # A panic of a library in Rust is no `Exception`.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise ExportError(f"{library} fails on a text: {error}") from None

    return encode


def open_tokenizers(path: Path) -> Encode:
    """Return a function that encodes with a `tokenizer.json`; special tokens are ordinary text."""
    try:
        from tokenizers import Tokenizer as HuggingFaceTokenizer
    except ImportError:
        message = "comparing needs tokenizers; pip install 'superword[transformers]'"
        raise ImportError(message, name="tokenizers") from None
    opened: Any = HuggingFaceTokenizer.from_file(str(path))
    opened.encode_special_tokens = True
    return lambda texts: [encoding.ids for encoding in opened.encode_batch_fast(texts)]


def open_tiktoken(path: Path) -> Encode:
    """Return a function that encodes with a tiktoken file and the file beside it."""
    try:
        import tiktoken
    except ImportError:
        message = "comparing needs tiktoken; pip install tiktoken"
        raise ImportError(message, name="tiktoken") from None
    pattern, special_tokens = read_encoding_arguments(path)
    opened: Any = tiktoken.Encoding(
        path.name,
        pat_str=pattern,
        mergeable_ranks=read_ranks(path) or {},
        special_tokens=special_tokens,
    )
    return lambda texts: list(opened.encode_ordinary_batch(texts))


def open_llama_cpp(path: Path) -> Encode:
    """Return a function that encodes with a GGUF file; special tokens are ordinary text."""
    try:
        from llama_cpp import Llama
    except ImportError:
        message = "comparing needs llama-cpp-python; pip install llama-cpp-python"
        raise ImportError(message, name="llama_cpp") from None
    opened: Any = Llama(str(path), vocab_only=True, verbose=False)
    is_recursive = opened.metadata["tokenizer.ggml.pre"] == "superbpe"

    def encode(texts: list[str]) -> list[list[int]]:
        if is_recursive and any(map(has_long_number, texts)):
            raise ValueError(
                f"it would crash on more than {LONGEST_NUMBER:,} digits in a row; leave this "
                "document out"
            )
        return [opened.tokenize(text.encode(), add_bos=False, special=False) for text in texts]

    return encode


def has_long_number(text: str) -> bool:
    """Return whether a text has a number on which llama.cpp might exhaust its stack.

    Example:
        >>> has_long_number("1" * 20_000), has_long_number("a" + "1" * 20_001)
        (False, True)
    """
    runs = re.findall(rf"\w{{{LONGEST_NUMBER + 1},}}", text)
    grouped = (group for run in runs for group in groupby(run, str.isnumeric))
    return any(
        is_numeric and sum(1 for _ in group) > LONGEST_NUMBER for is_numeric, group in grouped
    )


LIBRARIES: dict[Format, tuple[str, Callable[[Path], Encode]]] = {
    "tokenizer.json": ("tokenizers", open_tokenizers),
    "tiktoken": ("tiktoken", open_tiktoken),
    "gguf": ("llama.cpp", open_llama_cpp),
}
