"""Measuring a tokenizer on a corpus, some documents at a time, on several threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.corpus.documents import CorpusLike, OnError, open_corpus, warn_of_skipped
from superword.errors import CorpusError
from superword.evaluation.alignment import Alignment, align, pretoken_ends
from superword.evaluation.instability import DOCUMENTS, LENGTH, measure_instability
from superword.evaluation.measurement import Instability, Measurement
from superword.evaluation.sources import by_source, source_labels
from superword.evaluation.tokenizers import AnyTokenizer
from superword.tokenizer.encoding import checked
from superword.training.progress import ProgressCallback, bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["evaluate"]


def evaluate(
    tok: AnyTokenizer,
    corpus: CorpusLike,
    *,
    pattern: str | None = None,
    instability: bool = True,
    seed: int = 0,
    column: str = "text",
    source: str = "source",
    separator: str | None = None,
    max_bytes: int | None = None,
    max_documents: int | None = None,
    on_error: OnError = "raise",
    threads: int | None = None,
    progress: bool | ProgressCallback = False,
) -> Measurement:
    """Measure a tokenizer on a corpus.

    Args:
        tok: The tokenizer; `open_tokenizer` gives one.
        corpus: As for `superword.train`.
        pattern: The pattern whose pretokens it is measured by; None for the tokenizer's.
        instability: Whether to measure at the ends of prompts, which encodes some text again.
        seed: Chooses the documents and the places for that.
        column: Where the documents are in JSON lines and parquet.
        source: Where the source of each is; without such a column, sources are left out.
        separator: What separates the documents in a text file; None if it is one document.
        max_bytes: Stop before the document with which there would be more bytes of text.
        max_documents: Stop after so many documents.
        on_error: `raise`, or `skip` what cannot be read, with a warning at the end.
        threads: How many threads measure; all there are by default.
        progress: True to show a bar on a terminal, or a function to call.

    Raises:
        CorpusError: If the corpus cannot be read, or holds no text.

    Example:
        >>> import superword
        >>> from superword.evaluation.tokenizers import Ours
        >>> tok = Ours(superword.train(["to be or to be", "to be"], 259))
        >>> measured = evaluate(tok, ["to be", "or"])
        >>> measured.tokens, round(measured.bytes_per_token, 2), measured.single_share
        (3, 2.33, 0.6666666666666666)
    """
    threads = checked(threads)
    pattern = pattern or tok.pattern
    opened = open_corpus(
        corpus,
        column=column,
        separator=separator,
        on_error=on_error,
        max_bytes=max_bytes,
        max_documents=max_documents,
    )
    vocabulary = Vocabulary.of(tok)
    chosen = Reservoir(DOCUMENTS if instability else 0, seed)
    total = Portion.empty(len(vocabulary.lengths))
    sizes: list[NDArray[np.int64]] = []
    tokens: list[NDArray[np.int64]] = []
    with bar(progress) as tell:
        batches = opened.batches()

        def read() -> Iterator[list[str]]:
            for texts in batches:
                chosen.offer(texts)
                if tell:
                    tell("evaluate", batches.consumed, opened.size)
                yield texts

        for portion in on_threads(tok, vocabulary, pattern, read(), threads):
            total = total.plus(portion)
            sizes.append(portion.sizes)
            tokens.append(portion.tokens)
        stability = Instability()
        if instability and total.bytes:
            stability = measure_instability(tok, pattern, chosen.texts, seed, threads, tell)
    warn_of_skipped(opened)
    if not total.bytes:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    labels = source_labels(corpus, source, total.documents) if not opened.skipped() else None
    return Measurement(
        name=tok.name,
        pattern=pattern,
        vocab_size=tok.vocab_size,
        vocabulary_superwords=len(tok.superwords),
        documents=total.documents,
        bytes=total.bytes,
        tokens=int(total.counts.sum()),
        altered=total.altered,
        counts=total.counts[vocabulary.ids],
        alignment=total.alignment,
        instability=stability,
        sources=by_source(labels, np.concatenate(sizes), np.concatenate(tokens)) if labels else {},
    )


class Vocabulary(NamedTuple):
    """The tokens of a vocabulary as arrays, to be looked up by id.

    Attributes:
        ids: The ids there are.
        text: The bytes of all tokens, one after the other.
        starts: Where those of an id start.
        lengths: How many it has.
        is_superword: Whether it is a superword.
    """

    ids: NDArray[np.int64]
    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    is_superword: NDArray[np.bool_]

    @classmethod
    def of(cls, tok: AnyTokenizer) -> Vocabulary:
        """The vocabulary of a tokenizer."""
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
        """The bytes of ids, whose ends in them are known."""
        lengths = self.lengths[ids]
        shifts = self.starts[ids] - (ends - lengths)
        size = int(ends[-1]) if len(ends) else 0
        decoded: NDArray[np.uint8] = self.text[np.repeat(shifts, lengths) + np.arange(size)]
        return decoded


class Portion(NamedTuple):
    """What was measured on some documents, and for each its bytes and its tokens."""

    documents: int
    bytes: int
    altered: int
    counts: NDArray[np.int64]
    alignment: Alignment
    sizes: NDArray[np.int64]
    tokens: NDArray[np.int64]

    @classmethod
    def empty(cls, ids: int) -> Portion:
        """Nothing was measured."""
        nothing = np.zeros(0, np.int64)
        return cls(0, 0, 0, np.zeros(ids, np.int64), Alignment(), nothing, nothing)

    def plus(self, other: Portion) -> Portion:
        """The sums; what is kept for each document is not carried along."""
        return Portion(
            self.documents + other.documents,
            self.bytes + other.bytes,
            self.altered + other.altered,
            self.counts + other.counts,
            self.alignment.plus(other.alignment),
            self.sizes,
            self.tokens,
        )


def measure(tok: AnyTokenizer, vocabulary: Vocabulary, pattern: str, texts: list[str]) -> Portion:
    """Measure some documents. Tokens never become Python objects here."""
    ids, starts = tok.encode_batch(texts)
    offsets = starts.astype(np.int64)
    documents = [text.encode() for text in texts]
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    is_intact = intact(vocabulary, ids, offsets, documents, sizes)
    kept = ids if is_intact.all() else ids[np.repeat(is_intact, np.diff(offsets))]
    kept_texts = [text for text, whole in zip(texts, is_intact, strict=True) if whole]
    alignment = align(
        np.cumsum(vocabulary.lengths[kept]),
        vocabulary.is_superword[kept],
        *pretoken_ends(kept_texts, pattern),
    )
    return Portion(
        documents=len(texts),
        bytes=int(sizes.sum()),
        altered=len(texts) - int(np.count_nonzero(is_intact)),
        counts=np.bincount(ids, minlength=len(vocabulary.lengths)),
        alignment=alignment,
        sizes=sizes,
        tokens=np.diff(offsets),
    )


def intact(
    vocabulary: Vocabulary,
    ids: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    documents: list[bytes],
    sizes: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Say of each document whether its tokens put together are its bytes."""
    ends = np.cumsum(vocabulary.lengths[ids])
    document_ends = np.concatenate(([0], ends))[offsets[1:]]
    if np.array_equal(document_ends, np.cumsum(sizes)):
        text = np.frombuffer(b"".join(documents), np.uint8)
        if np.array_equal(vocabulary.decode(ids, ends), text):
            return np.ones(len(documents), bool)
    pieces = (ids[offsets[at] : offsets[at + 1]] for at in range(len(documents)))
    decoded = (vocabulary.decode(piece, np.cumsum(vocabulary.lengths[piece])) for piece in pieces)
    same = (each.tobytes() == document for each, document in zip(decoded, documents, strict=True))
    return np.fromiter(same, bool, len(documents))


def on_threads(
    tok: AnyTokenizer,
    vocabulary: Vocabulary,
    pattern: str,
    batches: Iterable[list[str]],
    threads: int,
) -> Iterator[Portion]:
    """Measure batches of documents, as many at a time as there are threads, in their order."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Portion]] = deque()
        for texts in batches:
            waiting.append(pool.submit(measure, tok, vocabulary, pattern, texts))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class Reservoir:
    """Some documents of a stream, each with the same chance; only their beginnings are kept."""

    def __init__(self, size: int, seed: int) -> None:
        self.texts: list[str] = []
        self._size = size
        self._random = Random(seed)
        self._seen = 0

    def offer(self, texts: list[str]) -> None:
        """Show the next documents."""
        for text in texts:
            self._seen += 1
            if len(self.texts) < self._size:
                self.texts.append(text[:LENGTH])
            elif self._size and (place := self._random.randrange(self._seen)) < self._size:
                self.texts[place] = text[:LENGTH]
