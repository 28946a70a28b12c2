"""Documents as ids that spell them, byte for byte."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.corpus import CorpusLike, CorpusOptions, open_corpus, warn_of_skipped
from superword.errors import CorpusError
from superword.evaluation.batches import TokenTable, encode_texts, find_intact
from superword.evaluation.sources import find_source_labels
from superword.evaluation.tokenizers import AnyTokenizer
from superword.training import ProgressCallback

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EncodedDocuments", "encode_documents"]

# How many bytes an error shows of a document and of its tokens.
SHOWN = 20


class EncodedDocuments(NamedTuple):
    """The documents of a corpus, encoded.

    Attributes:
        ids: The ids of each document, whose tokens spell it.
        sizes: The bytes of each document.
        sources: The source of each document; None unless all have one.
        fingerprint: The SHA-256 of all documents, each after its size in 8 bytes.
    """

    ids: list[NDArray[np.uint32]]
    sizes: NDArray[np.int64]
    sources: list[str] | None
    fingerprint: str


def encode_documents(
    tok: AnyTokenizer,
    corpus: CorpusLike,
    *,
    source: str | None,
    corpus_options: CorpusOptions,
    threads: int,
    report: ProgressCallback | None,
) -> EncodedDocuments:
    """Encode each document once, whole, and check that its tokens spell it.

    Args:
        tok: The tokenizer.
        corpus: The corpus.
        source: The column that names the source; `source` by default, where there is one.
        corpus_options: The options for reading documents.
        threads: How many threads encode.
        report: Is told of the progress.

    Raises:
        CorpusError: If the corpus cannot be read or holds no text.
        ValueError: If the tokens of a document do not spell it.
    """
    opened = open_corpus(corpus, corpus_options=corpus_options)
    table = TokenTable.from_tokenizer(tok)
    digest = hashlib.sha256()
    found: list[NDArray[np.uint32]] = []
    all_sizes: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    batches = opened.batches()
    for texts in batches:
        documents = [text.encode() for text in texts]
        sizes = np.fromiter(map(len, documents), np.int64, len(documents))
        ids, offsets = encode_texts(tok, table, texts, threads)
        is_intact = find_intact(table, ids, offsets, documents, sizes)
        parts = np.split(ids, offsets[1:-1])
        if not is_intact.all():
            at = int(is_intact.argmin())
            spelled = table.decode(parts[at], np.cumsum(table.lengths[parts[at]])).tobytes()
            raise ValueError(
                f"document {len(found) + at + 1}: the tokens of {tok.name} do not spell it: "
                f"{describe_difference(documents[at], spelled)}; bits per byte needs a tokenizer "
                "that does not normalize text or have unknown tokens, and documents without its "
                "special tokens"
            )
        for document in documents:
            digest.update(len(document).to_bytes(8, "little") + document)
        found += parts
        all_sizes.append(sizes)
        if report:
            report("encode", batches.consumed, opened.size)
    warn_of_skipped(opened, stacklevel=5)
    size_of = np.concatenate(all_sizes)
    if not size_of.any():
        raise CorpusError("the corpus holds no text; check the paths and the column")
    labels = find_source_labels(
        corpus, source, len(found), are_some_skipped=bool(opened.skipped()), stacklevel=5
    )
    return EncodedDocuments(found, size_of, labels, digest.hexdigest())


def describe_difference(document: bytes, spelled: bytes) -> str:
    """Say where the bytes of tokens first differ from those of their document.

    Example:
        >>> describe_difference(b"Not the same", b"not the same")
        "at byte 0, the document has b'Not the same', and its tokens have b'not the same'"
    """
    shorter = min(len(document), len(spelled))
    at = next((at for at in range(shorter) if document[at] != spelled[at]), shorter)
    rests = document[at : at + SHOWN], spelled[at : at + SHOWN]
    shown = [repr(rest) if rest else "nothing" for rest in rests]
    return f"at byte {at:,}, the document has {shown[0]}, and its tokens have {shown[1]}"
