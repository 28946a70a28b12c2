"""Measure one batch of documents, with tokens in arrays instead of Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.evaluation.alignment import Alignment, align, find_pretoken_ends
from superword.evaluation.scripts import count_scripts
from superword.evaluation.tokenizers import AnyTokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BatchCounts", "TokenTable", "encode_texts", "find_intact", "measure_batch"]


class TokenTable(NamedTuple):
    """The tokens of a vocabulary as arrays, indexed by id.

    Attributes:
        ids: The ids of the vocabulary.
        text: The bytes of all tokens, concatenated.
        starts: The offset of each token in `text`.
        lengths: The length of each token in bytes.
        is_superword: Whether each token is a superword.
    """

    ids: NDArray[np.int64]
    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    is_superword: NDArray[np.bool_]

    @classmethod
    def from_tokenizer(cls, tok: AnyTokenizer) -> TokenTable:
        """Build the table of a tokenizer's vocabulary."""
        ids = np.fromiter(tok.vocabulary, np.int64)
        tokens = list(tok.vocabulary.values())
        lengths = np.zeros(tok.id_limit, np.int64)
        lengths[ids] = [len(token) for token in tokens]
        starts = np.zeros_like(lengths)
        starts[ids] = np.cumsum(lengths[ids]) - lengths[ids]
        is_superword = np.zeros(len(lengths), bool)
        is_superword[list(tok.superwords)] = True
        text = np.frombuffer(b"".join(tokens), np.uint8)
        return cls(ids, text, starts, lengths, is_superword)

    def decode(self, ids: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Decode ids whose ends in the decoded bytes are known."""
        lengths = self.lengths[ids]
        shifts = self.starts[ids] - (ends - lengths)
        size = int(ends[-1]) if len(ends) else 0
        decoded: NDArray[np.uint8] = self.text[np.repeat(shifts, lengths) + np.arange(size)]
        return decoded


class BatchCounts(NamedTuple):
    """The counts of a batch of documents.

    Attributes:
        altered: Documents whose tokens do not spell their bytes.
        counts: How often each id occurs.
        alignment: How tokens align with pretokens, in the documents that are not altered.
        scripts: The bytes and the tokens of each script, in the documents that are not altered.
        sizes: The bytes of each document.
        tokens: The tokens of each document.
    """

    altered: int
    counts: NDArray[np.int64]
    alignment: Alignment
    scripts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    tokens: NDArray[np.int64]


def measure_batch(
    tok: AnyTokenizer, table: TokenTable, pattern: str, texts: list[str]
) -> BatchCounts:
    """Encode a batch of documents and count its tokens."""
    ids, offsets = encode_texts(tok, table, texts)
    documents = [text.encode() for text in texts]
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    is_intact = find_intact(table, ids, offsets, documents, sizes)
    kept = ids if is_intact.all() else ids[np.repeat(is_intact, np.diff(offsets))]
    kept_texts = [text for text, intact in zip(texts, is_intact, strict=True) if intact]
    ends = np.cumsum(table.lengths[kept])
    alignment = align(
        ends,
        table.is_superword[kept],
        *find_pretoken_ends(kept_texts, pattern),
    )
    return BatchCounts(
        altered=len(texts) - int(np.count_nonzero(is_intact)),
        counts=np.bincount(ids, minlength=len(table.lengths)),
        alignment=alignment,
        scripts=count_scripts(kept_texts, ends),
        sizes=sizes,
        tokens=np.diff(offsets),
    )


def encode_texts(
    tok: AnyTokenizer, table: TokenTable, texts: list[str], threads: int = 1
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Encode texts to one array of ids and the offset of each text in it.

    Raises:
        ValueError: If an id is not in the table.
    """
    ids, starts = tok.encode_batch(texts, threads)
    if len(ids) and int(ids.max()) >= len(table.lengths):
        raise ValueError(
            f"{tok.name}: a text has the id {ids.max()}, but the largest id is "
            f"{len(table.lengths) - 1}; set vocabulary or id_limit"
        )
    return ids, starts.astype(np.int64)


def find_intact(
    table: TokenTable,
    ids: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    documents: list[bytes],
    sizes: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return for each document whether its tokens spell its bytes."""
    ends = np.cumsum(table.lengths[ids])
    document_ends = np.concatenate(([0], ends))[offsets[1:]]
    if np.array_equal(document_ends, np.cumsum(sizes)):
        text = np.frombuffer(b"".join(documents), np.uint8)
        if np.array_equal(table.decode(ids, ends), text):
            return np.ones(len(documents), bool)
    pieces = (ids[offsets[at] : offsets[at + 1]] for at in range(len(documents)))
    decoded = (table.decode(piece, np.cumsum(table.lengths[piece])) for piece in pieces)
    same = (each.tobytes() == document for each, document in zip(decoded, documents, strict=True))
    return np.fromiter(same, bool, len(documents))
