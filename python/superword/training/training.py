"""Training a tokenizer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from superword import _core
from superword.corpus.documents import CorpusLike, OnError, open_corpus, warn_of_skipped
from superword.errors import CorpusError
from superword.patterns import ELIGIBLE, SECOND_PATTERN, compiled, eligibility
from superword.tokenizer.threads import available_threads
from superword.tokenizer.tokenizer import Deletion, Parameters, Tokenizer
from superword.training.progress import bar
from superword.training.resources import memory_limit_of

__all__ = ["Progress", "train"]

Progress = Callable[[str, int, int | None], object]
"""Told the stage, how far it is, and how far it goes.

The stages are count, merges, bigrams, fragments and supermerges.
"""


def train(
    corpus: CorpusLike,
    vocab_size: int,
    *,
    pattern: str = "boundless",
    supermerges: bool = True,
    deletion: Deletion = "bytes",
    tau: float = 0.9,
    min_count: int = 2,
    eligible: str = ELIGIBLE,
    transition: int | None = None,
    second_pattern: str | None = None,
    special_tokens: Sequence[str] = (),
    column: str = "text",
    separator: str | None = None,
    max_bytes: int | None = None,
    max_documents: int | None = None,
    on_error: OnError = "raise",
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Progress = False,
    verify_every: int | None = None,
) -> Tokenizer:
    """Train a tokenizer.

    The result is a function of the documents, in any order, and of the parameters; not of threads
    or files.

    Args:
        corpus: A path, a glob or a folder, `-` for standard input, a URL; several paths; or any
            iterable of documents.
        vocab_size: How many tokens the vocabulary is to have, special tokens apart; at least 256.
        pattern: `gpt2`, `gpt4`, `gpt4o`, `punct`, `boundless`, or a regex.
        supermerges: Whether whole pretokens that are neighbours may merge. Without, it is BPE.
        deletion: What tokens that have served their purpose are split into: their `bytes`, the
            `pair` that made them (PickyBPE); None to keep all.
        tau: The share of a token's occurrences that a merge must take for it to be deleted.
        min_count: The count that a pair must reach to be merged; at least 1.
        eligible: The regex that the whole of a pretoken must match to take part in supermerges.
        transition: The size of the vocabulary at which the second stage of SuperBPE begins, where
            documents are split by `second_pattern` and learning goes on. It needs
            `supermerges=False` and `deletion=None`. None for one stage.
        second_pattern: What splits documents then, and texts when encoding; by default what the
            authors of SuperBPE use.
        special_tokens: Texts that stand for themselves; their ids come after all others.
        column: Where the documents are in JSON lines and parquet.
        separator: What separates the documents in a text file; None if it is one document.
        max_bytes: Stop before the document with which there would be more bytes of text.
        max_documents: Stop after so many documents.
        on_error: `raise`, or `skip` what cannot be read, with a warning at the end.
        threads: How many threads to use; all there are by default.
        memory_limit: How much memory to keep to, in bytes or as `"1GB"`; at least 256 MB. What is
            counted beyond that goes to temporary files. Without a limit, it stays in memory.
        progress: True to show a bar on a terminal, or a function to call.
        verify_every: After how many rules to count everything anew and compare. It is slow.

    Raises:
        CorpusError: If the corpus cannot be read, or holds no text.
        PatternError: If a regex is malformed, or backtracks more than a million steps.
        MemoryError: If learning would take more than `memory_limit`; the message says how much.
        ValueError: If a parameter makes no sense.

    Example:
        >>> tok = train(["to be or not to be", "to be"], 259)
        >>> tok.vocab_size, [rule.token for rule in tok.rules if rule.kind == "supermerge"]
        (259, [b'to be'])
    """
    parameters = checked_parameters(
        Parameters(
            pattern,
            eligible,
            supermerges,
            deletion,
            tau,
            min_count,
            vocab_size,
            transition,
            second_pattern,
        )
    )
    effort = checked_effort(threads, memory_limit, verify_every)
    refuse_repeated(special_tokens)
    opened = open_corpus(
        corpus,
        column=column,
        separator=separator,
        on_error=on_error,
        max_bytes=max_bytes,
        max_documents=max_documents,
    )
    with bar(progress) as tell:
        model = _core.train(opened, parameters, special_tokens, effort, tell)
    warn_of_skipped(opened)
    return finished(model)


def checked_parameters(parameters: Parameters) -> Parameters:
    """Refuse parameters that make no sense, before anything is read.

    A second stage gets its default pattern.
    """
    (
        pattern,
        eligible,
        supermerges,
        deletion,
        tau,
        min_count,
        vocab_size,
        transition,
        second_pattern,
    ) = parameters
    sizes = [("vocab_size", vocab_size), ("min_count", min_count), ("transition", transition or 0)]
    for name, number in sizes:
        if not isinstance(number, int) or number >= 2**31:
            raise ValueError(f"{name} must be an integer below 2**31, not {number!r}")
    if vocab_size < 256:
        raise ValueError(f"vocab_size must be at least 256, the single bytes, not {vocab_size}")
    if deletion not in ("bytes", "pair", None):
        raise ValueError(f"deletion must be 'bytes', 'pair' or None, not {deletion!r}")
    if not 0 < tau <= 1:
        raise ValueError(f"tau must be above 0 and at most 1, not {tau}; deletion=None is off")
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, not {min_count}")
    if transition is None and second_pattern is not None:
        raise ValueError("second_pattern needs transition, which says when the stage begins")
    if transition is not None and (supermerges or deletion is not None):
        raise ValueError("transition is for SuperBPE; it needs supermerges=False and deletion=None")
    if transition is not None and not 256 <= transition <= vocab_size:
        raise ValueError(f"transition must be from 256 to vocab_size, not {transition}")
    compiled(pattern)
    eligibility(eligible)
    if transition is None:
        return parameters
    second_pattern = SECOND_PATTERN if second_pattern is None else second_pattern
    compiled(second_pattern)
    return parameters._replace(second_pattern=second_pattern)


def checked_effort(
    threads: int | None, memory_limit: int | str | None, verify_every: int | None
) -> tuple[int, int | None, int | None]:
    """Give what the core takes: threads, the limit of memory, and how often to verify."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    if verify_every is not None and verify_every < 1:
        raise ValueError(f"verify_every must be at least 1, not {verify_every}")
    return threads or available_threads(), memory_limit_of(memory_limit), verify_every


def refuse_repeated(special_tokens: Sequence[str]) -> None:
    """Refuse special tokens that are empty or there twice."""
    if not all(special_tokens) or len(set(special_tokens)) < len(special_tokens):
        raise ValueError(f"special tokens must differ and not be empty: {list(special_tokens)}")


def finished(model: _core.Model) -> Tokenizer:
    """Give the tokenizer of a model that was just trained; warn if it is smaller than wanted."""
    tokenizer = Tokenizer._of(model)
    if tokenizer.training.bytes == 0:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    vocab_size = tokenizer.parameters.vocab_size
    if tokenizer.vocab_size < vocab_size:
        warnings.warn(
            f"the corpus has pairs for {tokenizer.vocab_size:,} tokens only, not {vocab_size:,}; "
            "train on more text, or lower min_count",
            stacklevel=3,
        )
    return tokenizer
