"""Exporting models to other libraries' files, and comparing these with the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from superword.atomic_files import write_atomically
from superword.errors import ExportError
from superword.interop.export_checks import explain_no_ranks, explain_no_tiktoken
from superword.interop.tiktoken_file import (
    companion_path,
    read_companion,
    read_ranks,
    write_companion,
    write_ranks,
)
from superword.interop.tokenizer_json import write_tokenizer_json
from superword.tokenizer import Tokenizer
from superword.tokenizer.encoding import list_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Comparison", "Format", "compare_export", "export"]

Format = Literal["tokenizer.json", "tiktoken"]
FORMATS: tuple[Format, ...] = ("tokenizer.json", "tiktoken")

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


def export(
    tok: Tokenizer, path: str | PathLike[str], format: Format, *, approximate: bool = False
) -> bool:
    """Write a model as a file of another library, atomically: docs/exporting.md.

    Args:
        tok: The tokenizer.
        path: The file. A tiktoken file gets a second file beside it, its name plus `.json`, with
            the pattern and the special tokens.
        format: `tokenizer.json`, of Hugging Face tokenizers, or `tiktoken`.
        approximate: Write the nearest `tokenizer.json` if none gives the same ids.

    Returns:
        Whether the file gives the same ids for every text. For a custom regex, this assumes that
        the other library interprets it in the same way.

    Raises:
        ExportError: If no such file gives the same ids, and `approximate` is not set or does not
            apply to the format.
        OSError: If the file cannot be written.

    Example:
        >>> import superword, tempfile
        >>> tok = superword.train(["to be or not to be"], 258)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export(tok, f"{folder}/tokenizer.json", "tokenizer.json", approximate=True)
        False
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    is_tiktoken = format == "tiktoken"
    reason = explain_no_tiktoken(tok) if is_tiktoken else explain_no_ranks(tok)
    if reason is not None and (is_tiktoken or not approximate):
        hint = "" if is_tiktoken else "; approximate=True (--approximate) writes the nearest one"
        raise ExportError(f"no {format} file gives the ids of this model: {reason}{hint}")
    with write_atomically() as files:
        if is_tiktoken:
            files.open(Path(path)).write(write_ranks(tok))
            files.open(companion_path(Path(path))).write(write_companion(tok))
        else:
            try:
                written = write_tokenizer_json(tok)
            except ValueError as error:
                raise ExportError(str(error)) from None
            files.open(Path(path)).write(written)
    return reason is None


def compare_export(
    tok: Tokenizer, path: str | PathLike[str], format: Format, corpus: Iterable[str]
) -> Comparison:
    """Encode documents with a model and with its exported file, and count differences.

    Raises:
        ImportError: If the library that reads the file is missing.
    """
    encode = (open_tiktoken if format == "tiktoken" else open_tokenizers)(Path(path))
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
    pattern, special_tokens = read_companion(path)
    opened: Any = tiktoken.Encoding(
        path.name,
        pat_str=pattern,
        mergeable_ranks=read_ranks(path) or {},
        special_tokens=special_tokens,
    )
    return lambda texts: list(opened.encode_ordinary_batch(texts))
