"""Recognizing files that are not superword models, and naming what opens them."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["SENTENCEPIECE_START", "describe_file", "describe_folder"]

IMPORTS = "superword.open_base opens it, and superword.extend adds tokens to it"

# A message of pieces, each of which begins with its text.
SENTENCEPIECE_START = re.compile(rb"\n.{1,3}\n.{1,3}(<unk>|<pad>|<s>)", re.DOTALL)

# The content that a file begins with, and what to say of it. The first that matches is taken.
KINDS: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(content, re.DOTALL), what)
    for content, what in [
        (
            rb"\s*\{.*\"superword counts\"",
            "a file of a folder of counts; superword.train_on_counts trains on the folder",
        ),
        (rb"\Z", "it is empty"),
        (
            rb"\s*\{.*\"(tokenizer_class|added_tokens_decoder)\"",
            "the tokenizer_config.json of a transformers tokenizer; "
            "transformers.AutoTokenizer opens its folder",
        ),
        (
            rb"\s*\{.*\"(truncation|added_tokens|pre_tokenizer)\"",
            f"a tokenizer.json of Hugging Face tokenizers; {IMPORTS}",
        ),
        (
            rb"[A-Za-z0-9+/]+={0,2} \d+\r?\n",
            f"a vocabulary file of tiktoken; {IMPORTS}",
        ),
        (
            SENTENCEPIECE_START.pattern,
            "a SentencePiece model, which superword cannot open",
        ),
        (
            rb"#version: |\S+ \S+\r?\n\S+ \S+\r?\n",
            "perhaps the merges.txt of a tokenizer; "
            "superword.open_base opens it with the vocab.json beside it",
        ),
        (rb"\x93NUMPY|PAR1", "a file of data or of tokens, not a tokenizer"),
        (rb"\x1f\x8b|\x28\xb5\x2f\xfd", "it is compressed; decompress it first"),
    ]
)


def describe_file(start: bytes) -> str | None:
    r"""Return what a file is and what opens it, from its beginning; None if that is unknown.

    Example:
        >>> describe_file(b"\n\x0e\n\x05<unk>")
        'a SentencePiece model, which superword cannot open'
    """
    if re.search(rb'"format"\s*:\s*"superword"', start):
        return None
    return next((what for content, what in KINDS if content.match(start)), None)


def describe_folder(folder: Path) -> str:
    """Return what a folder is and what opens it."""
    if (folder / "superword.json").exists():
        return f"the folder of a transformers tokenizer; load {folder / 'superword.json'}"
    if (folder / "tokenizer.json").exists():
        return f"a folder with a tokenizer.json of Hugging Face tokenizers; {IMPORTS}"
    if any(folder.glob("pretokens-*")):
        return "a folder of counts; superword.train_on_counts trains on it"
    return "a folder, not a model file"
