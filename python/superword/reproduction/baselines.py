"""Train the paper's baselines with Hugging Face `tokenizers`: BPE, WordPiece and UnigramLM.

All work on bytes: every byte is a token, so they need no unknown token and lose no byte.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from superword.corpus import CorpusLike, CorpusOptions, open_corpus
from superword.evaluation import import_extra
from superword.patterns import find_regex, resolve_pattern
from superword.training import ProgressCallback, Resources, show_progress

__all__ = ["BASELINES", "Baseline", "make_wordpiece", "train_baseline", "truncate_baseline"]

Baseline = Literal["bpe", "wordpiece", "unigram"]
BASELINES: tuple[Baseline, ...] = ("bpe", "wordpiece", "unigram")

# Hugging Face's WordPiece replaces longer words by the unknown token; its default is 100.
MAX_WORD_LENGTH = 2**31


def train_baseline(
    kind: Baseline,
    corpus: CorpusLike,
    vocab_size: int,
    *,
    pattern: str = "gpt4o",
    column: str = CorpusOptions.column,
    max_bytes: int | str | None = CorpusOptions.max_bytes,
    progress: bool | ProgressCallback = Resources.progress,
) -> Any:
    """Train a baseline, a `tokenizers.Tokenizer`.

    WordPiece has no prefix for continued words. In byte-level text a space marks the start of a
    word, and a prefix would require a second token for each byte.

    Args:
        kind: `bpe`, `wordpiece` or `unigram`.
        corpus: The corpus, as for `superword.train`.
        vocab_size: The size of the vocabulary; UnigramLM may end up slightly below it.
        pattern: The name of a pattern, or a regex.
        column: The column or JSON key that holds the document.
        max_bytes: Stop before the document that would exceed this many bytes of text.
        progress: True for a progress bar on a terminal, or a callback.

    Raises:
        SuperwordError: If `tokenizers` is not installed.
        CorpusError: If the corpus cannot be read.
    """
    tokenizer, trainer = create_baseline(kind, vocab_size, pattern)
    opened = open_corpus(corpus, column=column, max_bytes=max_bytes)
    with show_progress(progress) as report:
        batches = opened.batches()

        def read() -> Any:
            for texts in batches:
                if report:
                    report("count", batches.consumed, opened.size)
                yield texts
            if report:
                # The library counts and learns without saying how far it is.
                report("train", 0, None)

        tokenizer.train_from_iterator(read(), trainer)
    return tokenizer


def create_baseline(kind: Baseline, vocab_size: int, pattern: str) -> tuple[Any, Any]:
    """Create an untrained tokenizer and its trainer."""
    tokenizers = import_extra("tokenizers")
    models, trainers = import_extra("tokenizers.models"), import_extra("tokenizers.trainers")
    pre_tokenizers = import_extra("tokenizers.pre_tokenizers")
    options = {
        "vocab_size": vocab_size,
        "show_progress": False,
        "special_tokens": [],
        # Sorted, because the alphabet has the random order of a hash table, and ids follow it.
        "initial_alphabet": sorted(pre_tokenizers.ByteLevel.alphabet()),
    }
    if kind == "bpe":
        model, trainer = models.BPE(), trainers.BpeTrainer(**options)
    elif kind == "wordpiece":
        model = models.WordPiece(
            vocab={}, max_input_chars_per_word=MAX_WORD_LENGTH, continuing_subword_prefix=""
        )
        trainer = trainers.WordPieceTrainer(**options, continuing_subword_prefix="")
    else:
        model, trainer = models.Unigram(), trainers.UnigramTrainer(**options)
    tokenizer = tokenizers.Tokenizer(model)
    pattern = resolve_pattern(pattern)
    regex = tokenizers.Regex(find_regex(pattern))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(regex, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = import_extra("tokenizers.decoders").ByteLevel()
    return tokenizer, trainer


def make_wordpiece(bpe: Any) -> Any:
    """Return the WordPiece that training on the text of a BPE gives.

    Hugging Face learns the vocabulary of both in the same way. They differ in how they encode.
    """
    described = json.loads(bpe.to_str())
    untrained, _ = create_baseline("wordpiece", 0, "gpt4o")
    model = json.loads(untrained.to_str())["model"]
    described["model"] = {**model, "vocab": described["model"]["vocab"]}
    return import_extra("tokenizers").Tokenizer.from_str(json.dumps(described))


def truncate_baseline(tokenizer: Any, vocab_size: int) -> Any:
    """Return the BPE or WordPiece tokenizer that training at a smaller size would give.

    Both learn one merge at a time, so a smaller vocabulary is a prefix of a larger one.

    Raises:
        ValueError: If it is a UnigramLM, which is trained from a large vocabulary to a small one.
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
    return import_extra("tokenizers").Tokenizer.from_str(json.dumps(described))
