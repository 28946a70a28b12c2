"""Encoding a corpus to a file of tokens."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np

from superword import _core
from superword.atomic_files import write_atomically
from superword.corpus import (
    CorpusLike,
    CorpusOptions,
    LimitedReadingKeywords,
    Shard,
    open_corpus,
    reject_inputs,
    split_paths,
    warn_of_skipped,
)
from superword.errors import SpecialTokenError
from superword.keywords import expand_keywords, gather
from superword.tokenizer import Tokenizer
from superword.tokens.descriptions import TokenFormat
from superword.tokens.names import list_outputs
from superword.tokens.writers import open_writer
from superword.training import ProgressCallback, Resources, show_progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Encoded", "encode_corpus"]


class Encoded(NamedTuple):
    """A summary of an encoded corpus.

    Attributes:
        documents: Number of documents.
        bytes: Number of bytes of text.
        tokens: Number of tokens written, including end-of-text tokens.
        dtype: The type of the ids.
    """

    documents: int
    bytes: int
    tokens: int
    dtype: str


class EncodeKeywords(LimitedReadingKeywords, total=False):
    """The keywords of `encode_corpus` that configuration objects hold."""

    threads: int | None
    memory_limit: int | str | None
    progress: bool | ProgressCallback


@expand_keywords(EncodeKeywords, CorpusOptions, Resources)
def encode_corpus(
    tok: Tokenizer,
    corpus: CorpusLike,
    output: str | PathLike[str],
    *,
    end_of_text: int | str | None = None,
    append: bool = False,
    shard: Shard | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[EncodeKeywords],
) -> Encoded:
    """Encode a corpus to a file, in the order of its documents: docs/token-files.md.

    Special tokens in the documents are ordinary text. The file, and those beside it, are written
    atomically.

    Args:
        tok: The tokenizer.
        corpus: A path, a glob or a folder, `-` for standard input, a URL; several paths; or any
            iterable of documents.
        output: The file. `.npy` and `.bin` hold all ids in a row, `.parquet` a row for each
            document, and `.idx` is Megatron's index of a `.bin` file beside it.
        end_of_text: The special token, or the id, to put after each document. Without one, the
            offsets of the documents go to a second file: `tokens.offsets.npy` for `tokens.npy`
            and `tokens.bin`.
        append: Keep the contents of the file, and add the documents. It must have been written with
            the same tokenizer and the same end of text.
        shard: `(i, n)` to encode only every n-th file of the corpus, or document of an iterable,
            from the i-th on, counted from 0.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads, memory, progress; or its fields as keywords. Another thread reads.
        keywords: The fields of `CorpusOptions` and `Resources`, described there.

    Raises:
        CorpusError: If the corpus cannot be read, or a document is too large for `memory_limit`.
        MemoryError: If encoding a document needs more than `memory_limit`.
        OSError: If the files cannot be written. Existing files are then unchanged.
        SpecialTokenError: If the model has no such special token.
        UnknownTokenError: If the model has no such id, or no token for some byte of a document.
        ValueError: If a file of the corpus or of another output would be replaced; or the file to
            append to is damaged, was written with another tokenizer, or is written by another
            process.

    Example:
        >>> import tempfile, superword
        >>> tok = superword.train(["to be or not to be"], 258)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     written = encode_corpus(tok, ["to be", "or not"], f"{folder}/tokens.npy")
        ...     ids = np.load(f"{folder}/tokens.npy")
        ...     offsets = np.load(f"{folder}/tokens.offsets.npy")
        >>> tok.decode(ids[offsets[1] : offsets[2]])
        'or not'
    """
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    corpus_options.reject_weights("encoding")
    resources = gather(Resources, resources, keywords)
    end = None if end_of_text is None else end_of_text_id(tok, end_of_text)
    token_format = TokenFormat(choose_dtype(tok), tok.fingerprint, end)
    tokens = 0
    with write_atomically() as files:
        # Opened before anything is read, so that a wrong name fails at once.
        writer = open_writer(Path(output), files, token_format, append=append)

        def write(ids: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
            nonlocal tokens
            if end is not None:
                ids, offsets = insert_ends(ids, offsets, end)
            writer.write(ids, offsets)
            tokens += len(ids)

        try:
            corpus, paths = split_paths(corpus)
            reject_inputs(list_outputs(Path(output)), corpus=paths)
            limit = resources.memory_bytes
            opened = open_corpus(
                corpus, corpus_options=corpus_options, shard=shard, once=True, memory_limit=limit
            )
            with show_progress(resources.progress) as report:
                totals = _core.encode_corpus(tok._encoder, opened, resources, write, report)
            writer.finish()
        except BaseException:
            writer.abort()
            raise
    warn_of_skipped(opened, stacklevel=4)
    return Encoded(totals["documents"], totals["bytes"], tokens, token_format.dtype)


def end_of_text_id(tok: Tokenizer, end_of_text: int | str) -> int:
    """Return the id of a special token, or the id itself if the model has it."""
    if isinstance(end_of_text, int):
        tok.token_bytes(end_of_text)
        return end_of_text
    if end_of_text not in tok.special_tokens:
        has = ", ".join(map(repr, tok.special_tokens)) or "none"
        raise SpecialTokenError(
            f"the model has no special token {end_of_text!r}; it has {has}: "
            "name one of them, or an id, or add it with with_special_tokens"
        )
    return tok.special_tokens[end_of_text]


def choose_dtype(tok: Tokenizer) -> str:
    """Return the smaller of two types that holds all ids, special and added tokens included."""
    ids = [id for id, _ in tok._model.vocabulary()]
    largest = max([*ids, *tok.special_tokens.values(), *tok.added_tokens.values()], default=0)
    return "uint16" if largest < 2**16 else "uint32"


def insert_ends(
    ids: NDArray[np.uint32], offsets: NDArray[np.uint64], end: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Insert an id after each document.

    Example:
        >>> insert_ends(np.array([5, 6, 7], "u4"), np.array([0, 2, 2, 3], "u8"), 9)[0].tolist()
        [5, 6, 9, 9, 7, 9]
    """
    longer = np.insert(ids, offsets[1:].astype(np.intp), end)
    inserted = np.arange(len(offsets), dtype=np.uint64)
    return longer, (offsets + inserted).astype(np.uint64, copy=False)
