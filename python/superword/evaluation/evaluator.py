"""Measure a tokenizer on a corpus, one batch per thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from superword.corpus.documents import CorpusLike, OnError, open_corpus, warn_of_skipped
from superword.errors import CorpusError
from superword.evaluation.alignment import Alignment
from superword.evaluation.batches import BatchCounts, TokenTable, measure_batch
from superword.evaluation.instability import (
    SAMPLE_SIZE,
    Instability,
    Reservoir,
    measure_instability,
)
from superword.evaluation.measurement import Measurement
from superword.evaluation.sources import read_source_labels, sum_by_source
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
        tok: The tokenizer; see `open_tokenizer`.
        corpus: The corpus, as for `superword.train`.
        pattern: The pattern whose pretokens tokens are compared with; the tokenizer's by default.
        instability: Whether to measure the instability of prompts, which encodes some text again.
        seed: Seed of the sample of documents and boundaries that instability is measured on.
        column: The column or JSON key that holds the document.
        source: The column that names the source; without it, nothing is reported by source.
        separator: The separator of documents in a text file; None if a file is one document.
        max_bytes: Stop before the document that would exceed this many bytes of text.
        max_documents: Stop after this many documents.
        on_error: `raise` an error for unreadable input, or `skip` it with a warning.
        threads: The number of threads; all cores by default.
        progress: True for a progress bar on a terminal, or a callback.

    Raises:
        CorpusError: If the corpus cannot be read or holds no text.

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
    table = TokenTable.from_tokenizer(tok)
    sample = Reservoir(SAMPLE_SIZE if instability else 0, seed)
    altered = 0
    counts: NDArray[np.int64] = np.zeros(len(table.lengths), np.int64)
    alignment = Alignment()
    sizes: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    tokens: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    with bar(progress) as report:
        batches = opened.batches()

        def read() -> Iterator[list[str]]:
            for texts in batches:
                sample.offer(texts)
                if report:
                    report("evaluate", batches.consumed, opened.size)
                yield texts

        for batch in measure_batches(tok, table, pattern, read(), threads):
            altered += batch.altered
            counts += batch.counts
            alignment = alignment.plus(batch.alignment)
            sizes.append(batch.sizes)
            tokens.append(batch.tokens)
        size_of, tokens_of = np.concatenate(sizes), np.concatenate(tokens)
        has_text = bool(size_of.any())
        stability = Instability()
        if instability and has_text:
            stability = measure_instability(tok, pattern, sample.texts, seed, threads, report)
    warn_of_skipped(opened)
    if not has_text:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    labels = None if opened.skipped() else read_source_labels(corpus, source, len(size_of))
    return Measurement(
        name=tok.name,
        pattern=pattern,
        vocab_size=tok.vocab_size,
        vocabulary_superwords=len(tok.superwords),
        documents=len(size_of),
        bytes=int(size_of.sum()),
        tokens=int(counts.sum()),
        altered=altered,
        counts=counts[table.ids],
        alignment=alignment,
        instability=stability,
        sources=sum_by_source(labels, size_of, tokens_of) if labels else {},
    )


def measure_batches(
    tok: AnyTokenizer,
    table: TokenTable,
    pattern: str,
    batches: Iterable[list[str]],
    threads: int,
) -> Iterator[BatchCounts]:
    """Measure batches of documents on several threads, and yield the results in order."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[BatchCounts]] = deque()
        for texts in batches:
            waiting.append(pool.submit(measure_batch, tok, table, pattern, texts))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
