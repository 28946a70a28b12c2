"""A corpus as a file of tokens."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword import _core
from superword.atomic_files import write_atomically
from superword.corpus.documents import CorpusLike, OnError, Shard, open_corpus, warn_of_skipped
from superword.errors import SpecialTokenError
from superword.tokenizer.encoding import checked
from superword.tokenizer.tokenizer import Tokenizer
from superword.tokens.writers import About, writer
from superword.training.progress import ProgressCallback, bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Encoded", "encode_corpus"]


class Encoded(NamedTuple):
    """What was encoded.

    Attributes:
        documents: How many documents.
        bytes: How many bytes of text they have.
        tokens: How many tokens were written, ends of texts included.
        dtype: The type of the ids.
    """

    documents: int
    bytes: int
    tokens: int
    dtype: str


def encode_corpus(
    tok: Tokenizer,
    corpus: CorpusLike,
    output: str | PathLike[str],
    *,
    end_of_text: int | str | None = None,
    append: bool = False,
    shard: Shard | None = None,
    column: str = "text",
    separator: str | None = None,
    max_bytes: int | None = None,
    max_documents: int | None = None,
    on_error: OnError = "raise",
    threads: int | None = None,
    progress: bool | ProgressCallback = False,
) -> Encoded:
    """Encode a corpus to a file, in the order of its documents: docs/token-files.md.

    Special tokens that the documents spell are text like any other. The file, and those beside
    it, are written whole or not at all.

    Args:
        tok: The tokenizer.
        corpus: As for `train`: a path, a glob or a folder, `-` for standard input, a URL; several
            paths; or any iterable of documents.
        output: The file. `.npy` and `.bin` have all ids in a row, `.parquet` a row for each
            document, and `.idx` is what Megatron reads, with a `.bin` beside it.
        end_of_text: The special token, or the id, to put after each document. Without one, the
            offsets of the documents are in a file of their own: `tokens.offsets.npy` for
            `tokens.npy` and `tokens.bin`.
        append: Keep what is in the file, and put the documents after it. It must be of the same
            tokenizer, with the same end of text.
        shard: `(i, n)` to encode only every n-th file of the corpus from the i-th on, counted from
            0; of an iterable, every n-th document.
        column: Where the documents are in JSON lines and parquet.
        separator: What separates the documents in a text file; None if it is one document.
        max_bytes: Stop before the document with which there would be more bytes of text.
        max_documents: Stop after so many documents.
        on_error: `raise`, or `skip` what cannot be read, with a warning at the end.
        threads: How many threads encode, while another one reads; all there are by default.
        progress: True to show a bar on a terminal, or a function to call.

    Raises:
        CorpusError: If the corpus cannot be read.
        OSError: If the files cannot be written; what was there before is then still there.
        SpecialTokenError: If the model has no such special token.
        UnknownTokenError: If the model has no such id, or no token for a byte of a document.
        ValueError: If the file to append to was written with another tokenizer.

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
    threads = checked(threads)
    end = None if end_of_text is None else end_of_text_id(tok, end_of_text)
    output = Path(output)
    about = About(dtype_of(tok), tok.fingerprint, end)
    tokens = 0
    with write_atomically() as files:
        # Before anything is read: hours later is late to say that the name is wrong.
        to = writer(output, files, about, append=append)

        def write(ids: memoryview, offsets: memoryview) -> None:
            nonlocal tokens
            portion = (
                np.frombuffer(ids, np.uint32),
                np.frombuffer(offsets, np.uint64),
            )
            if end is not None:
                portion = with_ends(*portion, end)
            to.write(*portion)
            tokens += len(portion[0])

        try:
            opened = open_corpus(
                corpus,
                column=column,
                separator=separator,
                on_error=on_error,
                max_bytes=max_bytes,
                max_documents=max_documents,
                shard=shard,
            )
            with bar(progress) as tell:
                totals = _core.encode_corpus(tok._encoder, opened, threads, write, tell)
            to.finish()
        except BaseException:
            to.give_up()
            raise
    warn_of_skipped(opened)
    return Encoded(totals[0], totals[1], tokens, about.dtype)


def end_of_text_id(tok: Tokenizer, end_of_text: int | str) -> int:
    """Give the id of a special token, or the id itself if there is such a one."""
    if isinstance(end_of_text, int):
        tok.token_bytes(end_of_text)
        return end_of_text
    if end_of_text not in tok.special_tokens:
        has = ", ".join(map(repr, tok.special_tokens)) or "none"
        raise SpecialTokenError(
            f"the model has no special token {end_of_text!r}; it has {has}: "
            "name one of them, or an id, or train it with special_tokens"
        )
    return tok.special_tokens[end_of_text]


def dtype_of(tok: Tokenizer) -> str:
    """The smaller of two types that holds all ids of a tokenizer, special tokens included."""
    ids = [id for id, _ in tok._model.vocabulary()] + list(tok.special_tokens.values())
    return "uint16" if max(ids, default=0) < 2**16 else "uint32"


def with_ends(
    ids: NDArray[np.uint32], offsets: NDArray[np.uint64], end: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Put an id after each document.

    Example:
        >>> with_ends(np.array([5, 6, 7], "u4"), np.array([0, 2, 2, 3], "u8"), 9)[0].tolist()
        [5, 6, 9, 9, 7, 9]
    """
    longer = np.insert(ids, offsets[1:].astype(np.intp), end)
    before = np.arange(len(offsets), dtype=np.uint64)
    return longer, (offsets + before).astype(np.uint64, copy=False)
