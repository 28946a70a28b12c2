"""Bits per byte of a causal language model: docs/evaluation.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import fsum, log
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack

import numpy as np

from superword.corpus import CorpusLike, CorpusOptions
from superword.evaluation.bit_counts import BitsPerByte, ScoringSettings
from superword.evaluation.encoded_documents import encode_documents
from superword.evaluation.end_of_text import find_end_of_text
from superword.evaluation.evaluator import EvaluateKeywords
from superword.evaluation.language_models import TransformersModel, open_language_model
from superword.evaluation.names import default_name
from superword.evaluation.opening import TokenizerLike, is_instance, open_tokenizer
from superword.evaluation.windows import Window, cut_windows
from superword.keywords import expand_keywords, gather
from superword.training import ProgressCallback, Resources, show_progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ScoreWindows", "bits_per_byte"]

ScoreWindows: TypeAlias = "Callable[[Sequence[Window]], Sequence[ArrayLike]]"
"""A function that is called with windows, and returns an array for each: the log-probabilities, by
the natural logarithm, of the ids from `first` on, each given all ids before it in the window."""

DEFAULT_CONTEXT = 2048
BATCH_SIZE = 8
# What rounding may add to the log-probability of a certain token.
TOLERANCE = 1e-3


@expand_keywords(EvaluateKeywords, CorpusOptions, Resources)
def bits_per_byte(
    model: str | PathLike[str] | ScoreWindows | Any,
    corpus: CorpusLike,
    *,
    tokenizer: TokenizerLike | None = None,
    end_of_text: int | str | None = None,
    context: int | None = None,
    stride: int | None = None,
    batch_size: int = BATCH_SIZE,
    name: str | None = None,
    source: str | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[EvaluateKeywords],
) -> BitsPerByte:
    """Measure how many bits per byte a causal language model takes for a corpus.

    Each document is encoded once, whole, and its tokens must spell it. Its first token is scored
    after end-of-text, whose own bits do not count. Each token is scored once; a document that is
    longer than the context is scored in windows. The bits are divided by the bytes of the
    documents. All ids are kept in memory, some 20 bytes for each token.

    Args:
        model: A folder that transformers saved, a causal language model of transformers, what
            `open_language_model` returns; or a function that is called with a list of `Window`, and
            returns an array for each: the log-probabilities (natural logarithm) of `ids[first:]`,
            each given all ids before it in the window.
        corpus: The corpus, as for `superword.train`.
        tokenizer: The tokenizer, as for `evaluate`; by default the one in the model's folder.
        end_of_text: The id, or the special token, that each document follows. By default, it is the
            `bos_token` of the model's folder, or its `eos_token` if it has no other; without a
            folder, the only special token.
        context: How many tokens the model reads at once; 2,048 by default, or fewer if it cannot
            read as many. A window has one id more, which is only scored.
        stride: The distance between the beginnings of windows, from 1 to the context; half of it by
            default. Less is slower, and gives more context to tokens far from the beginning.
        batch_size: How many windows to score at a time.
        name: The name in tables; by default that of the folder or of the tokenizer.
        source: The column that names the source; `source` by default, where there is one.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads and progress; or its fields as keywords.
        keywords: The fields of `CorpusOptions` and `Resources`, described there.

    Raises:
        CorpusError: If the corpus cannot be read or holds no text.
        ModelFormatError: If the folder is not one of a causal language model.
        SpecialTokenError: If end-of-text is not known.
        SuperwordError: If torch or transformers is needed and not installed.
        ValueError: If the tokens of a document do not spell it, the model gives no probabilities,
            or an option is invalid.

    Example:
        >>> import numpy as np, superword
        >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
        >>> def score(windows):  # All 259 ids are equally probable.
        ...     return [np.full(len(ids) - first, -np.log(259)) for ids, first in windows]
        >>> found = bits_per_byte(score, ["to be", "or not"], tokenizer=tok)
        >>> found.total.tokens, found.total.bytes, round(found.bits_per_byte, 4)
        (8, 11, 5.8304)
        >>> round(8 * float(np.log2(259)) / 11, 4)
        5.8304
    """
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    corpus_options.reject_weights("bits per byte")
    resources = gather(Resources, resources, keywords)
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, not {batch_size}")
    score = open_model(model)
    loaded = score if isinstance(score, TransformersModel) else None
    folder = loaded.folder if loaded else None
    if tokenizer is None and folder is None:
        raise ValueError("the model has no folder with a tokenizer; pass the tokenizer")
    tok = open_tokenizer(folder if tokenizer is None else tokenizer)
    end = find_end_of_text(tok, end_of_text, folder if tokenizer is None else None)
    context = choose_context(context, loaded.max_context if loaded else None)
    stride = max(1, context // 2) if stride is None else stride
    cut_windows([], end, context, stride)  # Rejects a wrong stride before the corpus is read.
    with show_progress(resources.progress) as report:
        documents = encode_documents(
            tok,
            corpus,
            source=source,
            corpus_options=corpus_options,
            threads=resources.thread_count,
            report=report,
        )
        largest = max([end, *(int(ids.max()) for ids in documents.ids if len(ids))])
        if loaded and largest >= loaded.vocab_size:
            raise ValueError(
                f"the model has {loaded.vocab_size:,} ids, and {tok.name} gives the id {largest}; "
                "this is not the model's tokenizer"
            )
        windows = list_windows(documents.ids, end, context, stride)
        bits = sum_bits(score, documents.ids, windows, batch_size, report)
    return BitsPerByte(
        name=name or (default_name(folder) if folder else tok.name),
        settings=ScoringSettings(
            model=str(folder) if folder else None,
            dtype=loaded.dtype if loaded else None,
            tokenizer=tok.name,
            end_of_text=end,
            context=context,
            stride=stride,
        ),
        fingerprint=documents.fingerprint,
        document_bytes=documents.sizes,
        document_tokens=np.fromiter(map(len, documents.ids), np.int64),
        document_bits=bits,
        document_sources=documents.sources,
    )


def open_model(model: Any) -> ScoreWindows:
    """Return a model as a function that scores windows.

    Raises:
        TypeError: If it is none.
    """
    if isinstance(model, (str, PathLike)):
        return open_language_model(model)
    if is_instance(model, "torch.nn", "Module"):
        return TransformersModel(model)
    if not callable(model):
        raise TypeError(
            f"a model is a folder of transformers or a function that scores windows, not a "
            f"{type(model).__name__}"
        )
    scores: ScoreWindows = model
    return scores


def choose_context(given: int | None, most: int | None) -> int:
    """Return how many tokens the model reads at once.

    Raises:
        ValueError: If it cannot read as many.

    Example:
        >>> choose_context(None, 1024), choose_context(None, None), choose_context(512, 1024)
        (1024, 2048, 512)
    """
    if given is None:
        return min(DEFAULT_CONTEXT, most or DEFAULT_CONTEXT)
    if given < 1 or (most is not None and given > most):
        limit = "at least 1" if most is None else f"from 1 to {most:,}, which the model can read"
        raise ValueError(f"context must be {limit}, not {given:,}")
    return given


class DocumentWindow(NamedTuple):
    """A window, and the index of its document."""

    document: int
    window: Window


def list_windows(
    documents: Sequence[NDArray[np.uint32]], end_of_text: int, context: int, stride: int
) -> list[DocumentWindow]:
    """Return the windows of all documents, the longest first, so that batches need less padding."""
    found = []
    for at, ids in enumerate(documents):
        windows = cut_windows(ids, end_of_text, context, stride)
        scored = [window.ids[window.first :] for window in windows]
        assert np.array_equal(np.concatenate([[], *scored]), ids), "each token is scored once"
        found += [DocumentWindow(at, window) for window in windows]
    return sorted(found, key=lambda each: -len(each.window.ids))


def score_windows(
    score: ScoreWindows, found: Sequence[DocumentWindow], batch_size: int
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Score windows in batches, and yield the document and the log-probabilities of each.

    Raises:
        ValueError: If the function returns anything but log-probabilities.
    """
    for start in range(0, len(found), batch_size):
        batch = found[start : start + batch_size]
        scored = score([window for _, window in batch])
        if len(scored) != len(batch):
            raise ValueError(
                f"the model was called with {len(batch)} windows, and returned {len(scored)} arrays"
            )
        for (document, (ids, first)), values in zip(batch, scored, strict=True):
            values = np.asarray(values, np.float64)
            if values.shape != (len(ids) - first,):
                raise ValueError(
                    f"document {document + 1}: the model was called with a window of {len(ids)} "
                    f"ids, to score them from {first} on, and returned the shape {values.shape} "
                    f"instead of ({len(ids) - first},)"
                )
            if not np.isfinite(values).all():
                wrong = values[~np.isfinite(values)][0]
                raise ValueError(
                    f"document {document + 1}: the model gives a token the log-probability {wrong}"
                )
            if values.max() > TOLERANCE:
                raise ValueError(
                    f"document {document + 1}: the model gives a token the log-probability "
                    f"{values.max():g}, and log-probabilities are not above 0"
                )
            yield document, values


def sum_bits(
    score: ScoreWindows,
    documents: Sequence[NDArray[np.uint32]],
    found: Sequence[DocumentWindow],
    batch_size: int,
    report: ProgressCallback | None,
) -> NDArray[np.float64]:
    """Return the bits of each document. The sum does not depend on the order of its windows."""
    nats: list[list[NDArray[np.float64]]] = [[] for _ in documents]
    done, total = 0, sum(map(len, documents))
    for document, values in score_windows(score, found, batch_size):
        nats[document].append(-values)
        done += len(values)
        if report:
            report("score", done, total)
    sums = (fsum(chain.from_iterable(parts)) for parts in nats)
    return np.fromiter(sums, np.float64, len(nats)) / log(2)
