"""Training a tokenizer like another one, on other texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from superword.tokenizer import Tokenizer, TrainingConfig
from superword.training import train

__all__ = ["retrain"]


def retrain(
    base: Tokenizer,
    texts: Iterable[str | Iterable[str]],
    size: int,
    special_tokens: Sequence[str],
    keywords: Mapping[str, Any],
) -> Tokenizer:
    """Train a tokenizer with the training configuration of another one.

    Args:
        base: The other tokenizer. The transition of SuperBPE is scaled with the vocabulary.
        texts: Texts, or lists of texts.
        size: Number of tokens, including special tokens.
        special_tokens: The special tokens.
        keywords: Keywords of `superword.train`. They replace those of the other tokenizer.

    Raises:
        ValueError: If `size` has no room for 256 bytes and the special tokens.

    Example:
        >>> base = train(["nothing"], 256, pattern="gpt2")
        >>> tok = retrain(base, [["to be", "or not"], ["to be"]], 259, ["<|end|>"], {"tau": 1.0})
        >>> tok.pattern, tok.parameters.tau, tok.special_tokens
        ('gpt2', 1.0, {'<|end|>': 258})
    """
    vocab_size = size - len(special_tokens)
    if vocab_size < 256:
        raise ValueError(
            f"vocab_size must be at least {256 + len(special_tokens)}, for 256 bytes and "
            f"{len(special_tokens)} special tokens, not {size}"
        )
    changed: dict[str, Any] = {"vocab_size": vocab_size}
    old = base.parameters
    if old.transition is not None:
        changed["transition"] = max(256, old.transition * vocab_size // old.vocab_size)
    names = {field.name for field in fields(TrainingConfig)}
    changed |= {name: value for name, value in keywords.items() if name in names}
    others = {name: value for name, value in keywords.items() if name not in names}
    config = replace(old, **changed)
    return train(flatten(texts), config=config, special_tokens=special_tokens, **others)


def flatten(texts: Iterable[str | Iterable[str]]) -> Iterator[str]:
    """Yield the texts of batches, or texts that are not in batches."""
    if isinstance(texts, str):
        raise TypeError("texts must be a list of strings or of lists, not one string")
    for batch in texts:
        if isinstance(batch, str):
            yield batch
        else:
            yield from batch
