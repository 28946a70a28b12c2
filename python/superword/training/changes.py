"""How much of a text an extended tokenizer encodes otherwise than its base."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Unpack

from superword.corpus import CorpusKeywords, CorpusLike, CorpusOptions, open_corpus
from superword.errors import CorpusError
from superword.keywords import expand_keywords, gather
from superword.tokenizer import Tokenizer

__all__ = ["Changes", "measure_changes"]


@dataclass(frozen=True)
class Changes:
    """What an extension changes in a text.

    Attributes:
        documents: The number of documents.
        changed_documents: The number of those whose ids differ.
        bytes: The bytes of text.
        changed_bytes: The bytes in tokens that the base does not have there.
        base_tokens: The number of ids that the base gives.
        tokens: The number of ids that the extended tokenizer gives.
    """

    documents: int
    changed_documents: int
    bytes: int
    changed_bytes: int
    base_tokens: int
    tokens: int

    @property
    def changed_share(self) -> float:
        """The share of the text that is encoded otherwise, by bytes."""
        return self.changed_bytes / self.bytes

    def __str__(self) -> str:
        """Return it as a sentence."""
        return (
            f"{self.changed_share:.2%} of {self.bytes:,} bytes, in {self.changed_documents:,} of "
            f"{self.documents:,} documents, are encoded otherwise: {self.tokens:,} tokens instead "
            f"of {self.base_tokens:,}"
        )


@expand_keywords(CorpusKeywords, CorpusOptions)
def measure_changes(
    base: Tokenizer,
    extended: Tokenizer,
    corpus: CorpusLike,
    *,
    corpus_options: CorpusOptions | None = None,
    **keywords: Unpack[CorpusKeywords],
) -> Changes:
    """Measure what an extension changes in text that the base was made for.

    Args:
        base: The tokenizer that `extend` was given.
        extended: The tokenizer that it returned.
        corpus: Text that the base was made for: a path, a glob, or any iterable of documents.
        corpus_options: The options for reading documents; or its fields as keywords.
        keywords: The fields of `CorpusOptions`, described there.

    Raises:
        CorpusError: If the corpus cannot be read, or holds no text.

    Example:
        >>> import superword
        >>> base = superword.train(["to be"], 257, supermerges=False, deletion=None, min_count=1)
        >>> tok = superword.extend(base, ["to be"], 1, kind="merges", min_count=1)
        >>> print(measure_changes(base, tok, ["be", "to be"]))
        42.86% of 7 bytes, in 1 of 2 documents, are encoded otherwise: 5 tokens instead of 6
    """
    opened = open_corpus(corpus, corpus_options=gather(CorpusOptions, corpus_options, keywords))

    @cache
    def length_of(id: int) -> int:
        return len(extended.token_bytes(id))

    documents = changed_documents = size = changed_bytes = base_tokens = tokens = 0
    for texts in opened.batches():
        before = base.encode_ordinary_batch(texts)
        after = extended.encode_ordinary_batch(texts)
        for text, old, new in zip(texts, before, after, strict=True):
            changed = count_changed_bytes(old, new, length_of)
            documents += 1
            changed_documents += changed > 0
            size += len(text.encode())
            changed_bytes += changed
            base_tokens += len(old)
            tokens += len(new)
    if size == 0:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    return Changes(documents, changed_documents, size, changed_bytes, base_tokens, tokens)


def count_changed_bytes(old: list[int], new: list[int], length_of: Callable[[int], int]) -> int:
    """Return the bytes of new ids that the old ids do not have in the same positions.

    Example:
        >>> count_changed_bytes([1, 2, 3], [1, 5], {1: 1, 2: 1, 3: 2, 5: 3}.__getitem__)
        3
    """
    if old == new:
        return 0
    changed = at = end = 0  # `end` is where the old id at `at` starts.
    start = 0
    for id in new:
        while end < start:
            end += length_of(old[at])
            at += 1
        is_same = end == start and old[at] == id
        start += length_of(id)
        if not is_same:
            changed += length_of(id)
    return changed
