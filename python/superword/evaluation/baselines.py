"""The paper's baselines, trained with Hugging Face `tokenizers`: BPE, WordPiece and UnigramLM.

All split by the pattern `gpt4o` and work on bytes: every byte is a token, so none needs an unknown
token, and none loses a byte.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from superword.corpus.documents import CorpusLike, OnError, open_corpus
from superword.evaluation.extra import needs
from superword.patterns import NAMED_PATTERNS
from superword.training.progress import ProgressCallback, bar

__all__ = ["BASELINES", "Baseline", "train_baseline", "truncate_baseline"]

Baseline = Literal["bpe", "wordpiece", "unigram"]
BASELINES: tuple[Baseline, ...] = ("bpe", "wordpiece", "unigram")

# Hugging Face's WordPiece makes words longer than this one unknown token; 100 unless told.
LONGEST_WORD = 2**31


def train_baseline(
    kind: Baseline,
    corpus: CorpusLike,
    vocab_size: int,
    *,
    pattern: str = "gpt4o",
    column: str = "text",
    separator: str | None = None,
    max_bytes: int | None = None,
    max_documents: int | None = None,
    on_error: OnError = "raise",
    progress: bool | ProgressCallback = False,
) -> Any:
    """Train a baseline; gives a `tokenizers.Tokenizer`.

    WordPiece has no prefix for what continues a word: on bytes, words bear their blank at the
    start, and the prefix would take a second token for each byte.

    Args:
        kind: `bpe`, `wordpiece` or `unigram`.
        corpus: As for `superword.train`.
        vocab_size: How many tokens; UnigramLM may end up with a few less.
        pattern: The pattern that splits, a name or a regex.
        column: Where the documents are in JSON lines and parquet.
        separator: What separates the documents in a text file; None if it is one document.
        max_bytes: Stop before the document with which there would be more bytes of text.
        max_documents: Stop after so many documents.
        on_error: `raise`, or `skip` what cannot be read.
        progress: True to show a bar on a terminal while reading, or a function to call.

    Raises:
        SuperwordError: If `tokenizers` is not installed.
        CorpusError: If the corpus cannot be read.
    """
    tokenizer, trainer = untrained(kind, vocab_size, pattern)
    opened = open_corpus(
        corpus,
        column=column,
        separator=separator,
        on_error=on_error,
        max_bytes=max_bytes,
        max_documents=max_documents,
    )
    with bar(progress) as tell:
        batches = opened.batches()

        def read() -> Any:
            for texts in batches:
                if tell:
                    tell("count", batches.consumed, opened.size)
                yield texts

        tokenizer.train_from_iterator(read(), trainer)
    return tokenizer


def untrained(kind: Baseline, vocab_size: int, pattern: str) -> tuple[Any, Any]:
    """A tokenizer that has learned nothing, and its trainer."""
    tokenizers = needs("tokenizers")
    models, trainers = needs("tokenizers.models"), needs("tokenizers.trainers")
    pre_tokenizers = needs("tokenizers.pre_tokenizers")
    common = {
        "vocab_size": vocab_size,
        "show_progress": False,
        "special_tokens": [],
        # Sorted: it comes in the order of a hash table, and ids would follow it.
        "initial_alphabet": sorted(pre_tokenizers.ByteLevel.alphabet()),
    }
    if kind == "bpe":
        model, trainer = models.BPE(), trainers.BpeTrainer(**common)
    elif kind == "wordpiece":
        model = models.WordPiece(
            vocab={}, max_input_chars_per_word=LONGEST_WORD, continuing_subword_prefix=""
        )
        trainer = trainers.WordPieceTrainer(**common, continuing_subword_prefix="")
    else:
        model, trainer = models.Unigram(), trainers.UnigramTrainer(**common)
    tokenizer = tokenizers.Tokenizer(model)
    regex = tokenizers.Regex(NAMED_PATTERNS.get(pattern, pattern))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(regex, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = needs("tokenizers.decoders").ByteLevel()
    return tokenizer, trainer


def truncate_baseline(tokenizer: Any, vocab_size: int) -> Any:
    """Give the BPE or WordPiece tokenizer that training would have given at a smaller size.

    Both learn merges one after the other, so a smaller vocabulary is the beginning of a larger.

    Raises:
        ValueError: If it is a UnigramLM, which is learned from large to small.
    """
    described = json.loads(tokenizer.to_str())
    model = described["model"]
    if model["type"] not in ("BPE", "WordPiece"):
        raise ValueError(f"a {model['type']} cannot be truncated; train it at the smaller size")
    model["vocab"] = {token: id for token, id in model["vocab"].items() if id < vocab_size}
    if model["type"] == "BPE":
        merges = []
        for left, right in model["merges"]:
            if left + right not in model["vocab"]:
                break
            merges.append((left, right))
        model["merges"] = merges
    return needs("tokenizers").Tokenizer.from_str(json.dumps(described))
