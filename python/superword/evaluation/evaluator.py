"""Measure a tokenizer on a corpus, one batch per thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from superword.corpus import (
    CorpusLike,
    CorpusOptions,
    LimitedReadingKeywords,
    open_corpus,
    warn_of_skipped,
)
from superword.errors import CorpusError
from superword.evaluation.alignment import Alignment
from superword.evaluation.batches import BatchCounts, TokenTable, measure_batch
from superword.evaluation.comparison import Measurements
from superword.evaluation.instability import (
    SAMPLE_SIZE,
    Instability,
    Reservoir,
    measure_instability,
)
from superword.evaluation.measurement import Measurement
from superword.evaluation.names import number_repeated
from superword.evaluation.opening import TokenizerLike, open_tokenizer
from superword.evaluation.scripts import SCRIPTS, name_scripts
from superword.evaluation.sources import find_source_labels, sum_by_source
from superword.evaluation.tokenizers import AnyTokenizer
from superword.keywords import expand_keywords, gather
from superword.patterns import resolve_pattern
from superword.training import ProgressCallback, Resources, show_progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["compare", "evaluate"]


class EvaluateKeywords(LimitedReadingKeywords, total=False):
    """The keywords of `evaluate` that configuration objects hold."""

    threads: int | None
    progress: bool | ProgressCallback


@expand_keywords(EvaluateKeywords, CorpusOptions, Resources)
def evaluate(
    tok: TokenizerLike,
    corpus: CorpusLike,
    *,
    pattern: str | None = None,
    instability: bool = True,
    seed: int = 0,
    source: str | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[EvaluateKeywords],
) -> Measurement:
    """Measure a tokenizer on a corpus.

    Args:
        tok: The tokenizer: a file, a `Tokenizer`, or one of another library; see `open_tokenizer`.
        corpus: The corpus, as for `superword.train`.
        pattern: The pattern whose pretokens tokens are compared with; the tokenizer's by default.
        instability: Whether to measure the instability of prompts, which encodes some text again.
        seed: Seed of the sample of documents and boundaries that instability is measured on.
        source: The column that names the source; `source` by default, where there is one. If not
            every document has the column, a warning says so, and nothing is reported by source.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads and progress; or its fields as keywords.
        keywords: The fields of `CorpusOptions` and `Resources`, described there.

    Raises:
        CorpusError: If the corpus cannot be read or holds no text.

    Example:
        >>> import superword
        >>> tok = superword.train(["to be or to be", "to be"], 259)
        >>> measured = evaluate(tok, ["to be", "or"])
        >>> measured.tokens, round(measured.bytes_per_token, 2), measured.single_share
        (3, 2.33, 0.6666666666666666)
    """
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    corpus_options.reject_weights("evaluation")
    resources = gather(Resources, resources, keywords)
    threads = resources.thread_count
    tok = open_tokenizer(tok, pattern=pattern)
    pattern = tok.pattern if pattern is None else resolve_pattern(pattern)
    opened = open_corpus(corpus, corpus_options=corpus_options)
    table = TokenTable.from_tokenizer(tok)
    sample = Reservoir(SAMPLE_SIZE if instability else 0, seed)
    altered = 0
    counts: NDArray[np.int64] = np.zeros(len(table.lengths), np.int64)
    alignment = Alignment()
    scripts: NDArray[np.int64] = np.zeros((2, len(SCRIPTS) + 1), np.int64)
    sizes: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    tokens: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    with show_progress(resources.progress) as report:
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
            scripts += batch.scripts
            sizes.append(batch.sizes)
            tokens.append(batch.tokens)
        size_of, tokens_of = np.concatenate(sizes), np.concatenate(tokens)
        has_text = bool(size_of.any())
        stability = Instability()
        if instability and has_text:
            stability = measure_instability(tok, pattern, sample.texts, seed, threads, report)
    warn_of_skipped(opened, stacklevel=4)
    if not has_text:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    labels = find_source_labels(
        corpus, source, len(size_of), are_some_skipped=bool(opened.skipped())
    )
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
        scripts=name_scripts(scripts),
        sources=sum_by_source(labels, size_of, tokens_of) if labels else {},
    )


def compare(
    tokenizers: Mapping[str, TokenizerLike] | Iterable[TokenizerLike],
    corpus: CorpusLike,
    **keywords: Any,
) -> Measurements:
    """Measure several tokenizers on a corpus.

    The result is a list. Notebooks and terminals show it as tables, side by side.

    Args:
        tokenizers: The tokenizers, as for `evaluate`; or a mapping from their names.
        corpus: The corpus, as for `superword.train`.
        keywords: The keywords of `evaluate`.

    Example:
        >>> import superword
        >>> bytes, words = (superword.train(["to be or to be"], size) for size in (256, 258))
        >>> [m.tokens for m in compare({"bytes": bytes, "words": words}, ["to be or"])]
        [8, 5]
    """
    pattern = keywords.get("pattern")
    if isinstance(tokenizers, Mapping):
        named = tokenizers.items()
        opened = [open_tokenizer(tok, name=name, pattern=pattern) for name, tok in named]
    else:
        opened = [open_tokenizer(tok, pattern=pattern) for tok in tokenizers]
    documents = list(corpus) if isinstance(corpus, Iterator) else corpus
    names = number_repeated([tok.name for tok in opened], [])
    return Measurements(
        replace(evaluate(tok, documents, **keywords), name=name)
        for tok, name in zip(opened, names, strict=True)
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
