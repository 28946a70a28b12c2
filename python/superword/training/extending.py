"""Extending a tokenizer that is there by superwords."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from os import PathLike

from superword import _core
from superword.corpus.documents import CorpusLike, OnError, open_corpus, warn_of_skipped
from superword.errors import CorpusError
from superword.interop.importing import open_base
from superword.tokenizer.tokenizer import Tokenizer
from superword.training.progress import bar
from superword.training.training import Progress, checked_effort

__all__ = ["extend"]


def extend(
    base: Tokenizer | str | PathLike[str],
    corpus: CorpusLike,
    add: int,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    approximate: bool = False,
    min_count: int = 2,
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
    """Give a tokenizer superwords, learned on a corpus after all its rules: docs/extending.md.

    Its tokens, special tokens and ids stay as they are. The new tokens' ids follow the largest.
    Supermerges are learned one by one, each the most frequent pair of neighbouring open units in
    the corpus as the tokenizer and the supermerges before encode it; ties as in training.

    Args:
        base: A tokenizer, or the file of one: of ours, a byte-level BPE `tokenizer.json` or the
            folder that has one, or a tiktoken file.
        corpus: A path, a glob or a folder, `-` for standard input, a URL; several paths; or any
            iterable of documents.
        add: How many tokens to add. With 0, it is the base as one of our models.
        pattern: What a tiktoken file splits texts by, a name or a regex; it does not say so. Those
            of OpenAI are known by their names, those of `superword.export` by the file beside.
        special_tokens: The special tokens of a tiktoken file, with their ids.
        approximate: Leave out what of a base cannot be honoured, with a warning.
        min_count: The count that a pair must reach to be merged; at least 1.
        column: Where the documents are in JSON lines and parquet.
        separator: What separates the documents in a text file; None if it is one document.
        max_bytes: Stop before the document with which there would be more bytes of text.
        max_documents: Stop after so many documents.
        on_error: `raise`, or `skip` what cannot be read, with a warning at the end.
        threads: How many threads to use; all there are by default.
        memory_limit: How much memory to keep to, in bytes or as `"1GB"`; at least 256 MB.
        progress: True to show a bar on a terminal, or a function to call.
        verify_every: After how many rules to count everything anew and compare. It is slow.

    Raises:
        ModelFormatError: If the base is no tokenizer, or has what cannot be honoured.
        CorpusError: If the corpus cannot be read, or holds no text.
        PatternError: If a regex is malformed, or backtracks more than a million steps.
        MemoryError: If learning would take more than `memory_limit`; the message says how much.
        ValueError: If a parameter makes no sense.

    Example:
        >>> import superword
        >>> documents = ["to be or not to be", "to be"]
        >>> base = superword.train(documents, 259, supermerges=False, deletion=None)
        >>> tok = extend(base.with_special_tokens(["<|end|>"]), documents, 1)
        >>> tok.special_tokens, tok.encode("to be"), tok.token_bytes(260)
        ({'<|end|>': 259}, [260], b'to be')
    """
    for name, number in [("add", add), ("min_count", min_count)]:
        if not isinstance(number, int) or number >= 2**31:
            raise ValueError(f"{name} must be an integer below 2**31, not {number!r}")
    if add < 0:
        raise ValueError(f"add must be at least 0, not {add}")
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, not {min_count}")
    effort = checked_effort(threads, memory_limit, verify_every)
    if not isinstance(base, Tokenizer):
        base = open_base(
            base, pattern=pattern, special_tokens=special_tokens, approximate=approximate
        )
    elif pattern is not None or special_tokens is not None:
        raise ValueError("pattern and special_tokens are for tiktoken files; a Tokenizer has them")
    if base.parameters.transition is not None:
        raise ValueError(
            "a SuperBPE model cannot be extended: its pretokens are long, hardly any is one token"
        )
    opened = open_corpus(
        corpus,
        column=column,
        separator=separator,
        on_error=on_error,
        max_bytes=max_bytes,
        max_documents=max_documents,
    )
    with bar(progress) as tell:
        model = _core.extend(opened, base._model, add, min_count, effort, tell)
    warn_of_skipped(opened)
    tokenizer = Tokenizer._of(model)
    if tokenizer.training.bytes == 0:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    added = tokenizer.vocab_size - base.vocab_size
    if added < add:
        warnings.warn(
            f"the corpus has pairs for {added:,} tokens only, not {add:,}; "
            "extend on more text, or lower min_count",
            stacklevel=2,
        )
    return tokenizer
