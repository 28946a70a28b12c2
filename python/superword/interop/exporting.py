"""Models as files of other libraries, and how much those differ from the model."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from superword.atomic_files import write_atomically
from superword.errors import ExportError
from superword.interop.export_checks import why_not_by_rank, why_not_by_tiktoken
from superword.interop.tokenizer_json import tokenizer_json
from superword.patterns import NAMED_PATTERNS
from superword.tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Comparison", "Format", "compare_export", "export"]

Format = Literal["tokenizer.json", "tiktoken"]
FORMATS: tuple[Format, ...] = ("tokenizer.json", "tiktoken")

# How many documents are compared at a time.
PORTION = 256


class Comparison(NamedTuple):
    """How much an exported file differs from the model, on a corpus.

    Attributes:
        documents: How many documents were encoded with both.
        differing_documents: How many of them got other ids.
        tokens: How many tokens the model gives.
        differing_tokens: How many of these the file does not have at the same place.
        exported_tokens: How many tokens the file gives.
    """

    documents: int = 0
    differing_documents: int = 0
    tokens: int = 0
    differing_tokens: int = 0
    exported_tokens: int = 0


def export(
    tok: Tokenizer, path: str | PathLike[str], format: Format, *, approximate: bool = False
) -> bool:
    """Write a model as a file of another library, whole or not at all: docs/exporting.md.

    Args:
        tok: The tokenizer.
        path: The file. A tiktoken file gets another one beside it, with `.json` behind its name,
            for the pattern and the special tokens, which it has no place for.
        format: `tokenizer.json`, of Hugging Face tokenizers, or `tiktoken`.
        approximate: Write the nearest `tokenizer.json` if none gives the same ids.

    Returns:
        Whether the file gives the same ids for every text, as far as it is up to the merges: that
        the other library reads a regex of one's own in the same way is not looked at.

    Raises:
        ExportError: If no such file gives the same ids, and `approximate` is not set or the format
            has none that is near.
        OSError: If the file cannot be written.

    Example:
        >>> import superword, tempfile
        >>> tok = superword.train(["to be or not to be"], 258)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export(tok, f"{folder}/tokenizer.json", "tokenizer.json", approximate=True)
        False
    """
    if format not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}, not {format!r}")
    is_tiktoken = format == "tiktoken"
    reason = why_not_by_tiktoken(tok) if is_tiktoken else why_not_by_rank(tok)
    if reason is not None and (is_tiktoken or not approximate):
        hint = "" if is_tiktoken else "; approximate=True (--approximate) writes the nearest one"
        raise ExportError(f"no {format} file gives the ids of this model: {reason}{hint}")
    with write_atomically() as files:
        if is_tiktoken:
            files.open(Path(path)).write(tiktoken_lines(tok))
            files.open(about_path(Path(path))).write(about_tiktoken(tok))
        else:
            try:
                written = tokenizer_json(tok)
            except ValueError as refused:
                raise ExportError(str(refused)) from None
            files.open(Path(path)).write(written)
    return reason is None


def tiktoken_lines(tok: Tokenizer) -> bytes:
    """Tokens and ids as tiktoken's files have them."""
    lines = (base64.b64encode(token) + b" %d\n" % id for id, token in tok._model.vocabulary())
    return b"".join(lines)


def about_path(path: Path) -> Path:
    """Where the rest of a tiktoken file is."""
    return path.with_name(path.name + ".json")


def about_tiktoken(tok: Tokenizer) -> bytes:
    """What a `tiktoken.Encoding` takes beside the file."""
    about = {
        "pat_str": NAMED_PATTERNS.get(tok.pattern, tok.pattern),
        "special_tokens": tok.special_tokens,
        "fingerprint": tok.fingerprint,
    }
    return json.dumps(about, indent=1, ensure_ascii=False).encode() + b"\n"


def compare_export(
    tok: Tokenizer, path: str | PathLike[str], format: Format, corpus: Iterable[str]
) -> Comparison:
    """Encode documents with a model and with the file it was exported to, and count differences.

    Raises:
        ImportError: If the library that reads the file is missing.
    """
    encode = (opened_tiktoken if format == "tiktoken" else opened_tokenizers)(Path(path))
    ids = tok._model.vocabulary()
    lengths = np.zeros(max((id for id, _ in ids), default=0) + 1, np.int64)
    for id, token in ids:
        lengths[id] = len(token)
    totals = Comparison()
    for documents in portions(corpus):
        ours = tok.encode_ordinary_batch(documents)
        found = [
            differences(np.array(mine, np.int64), np.array(theirs, np.int64), lengths)
            for mine, theirs in zip(ours, encode(documents), strict=True)
        ]
        totals = Comparison(*map(sum, zip(totals, *found, strict=True)))
    return totals


def portions(corpus: Iterable[str]) -> Iterable[list[str]]:
    """The documents, some at a time."""
    portion: list[str] = []
    for document in corpus:
        portion.append(document)
        if len(portion) == PORTION:
            yield portion
            portion = []
    if portion:
        yield portion


def differences(
    ours: NDArray[np.int64], theirs: NDArray[np.int64], lengths: NDArray[np.int64]
) -> Comparison:
    """Compare the ids of one document.

    Example:
        >>> differences(np.array([0, 1, 2]), np.array([0, 3]), np.array([1, 1, 1, 2]))
        Comparison(documents=1, differing_documents=1, tokens=3, differing_tokens=2, \
exported_tokens=2)
    """
    if np.array_equal(ours, theirs):
        return Comparison(1, 0, len(ours), 0, len(theirs))
    ends, other_ends = np.cumsum(lengths[ours]), np.cumsum(lengths[theirs])
    places = ends * (1 << 24) + lengths[ours]
    other_places = other_ends * (1 << 24) + lengths[theirs]
    different = int(np.sum(~np.isin(places, other_places)))
    return Comparison(1, 1, len(ours), different, len(theirs))


Encode = Callable[[list[str]], Sequence[Sequence[int]]]


def opened_tokenizers(path: Path) -> Encode:
    """What encodes with a `tokenizer.json`; special tokens are text, as in `encode_ordinary`."""
    try:
        from tokenizers import Tokenizer as HuggingFaceTokenizer
    except ImportError:
        message = "comparing needs tokenizers; pip install 'superword[transformers]'"
        raise ImportError(message, name="tokenizers") from None
    opened: Any = HuggingFaceTokenizer.from_file(str(path))
    opened.encode_special_tokens = True
    return lambda texts: [encoding.ids for encoding in opened.encode_batch_fast(texts)]


def opened_tiktoken(path: Path) -> Encode:
    """What encodes with a tiktoken file, and the one beside it."""
    try:
        import tiktoken
    except ImportError:
        message = "comparing needs tiktoken; pip install tiktoken"
        raise ImportError(message, name="tiktoken") from None
    about = json.loads(about_path(path).read_text(encoding="utf-8"))
    pairs = (line.split() for line in path.read_bytes().splitlines())
    opened: Any = tiktoken.Encoding(
        path.name,
        pat_str=about["pat_str"],
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in pairs},
        special_tokens=about["special_tokens"],
    )
    return lambda texts: list(opened.encode_ordinary_batch(texts))
