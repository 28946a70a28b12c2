"""The models that the tests of encoding share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import superword
from superword import Tokenizer


@pytest.fixture(scope="session")
def made() -> Callable[[list[str]], Tokenizer]:
    """A function that trains a model with special tokens."""
    return lambda special: trained(*special)


@cache
def trained(*special: str) -> Tokenizer:
    """A model of the sample: superwords, deletions, tokens that are parts of characters."""
    lines = [text.replace(", ", ",\n") for text in superword.sample()]
    documents = [*lines[::12], "“naïve café” … 日本語 日本" * 20]
    return superword.train(documents, 1500, tau=0.7, special_tokens=special)


@pytest.fixture(scope="session")
def tok() -> Tokenizer:
    """A model without special tokens."""
    return trained()


@pytest.fixture(scope="session")
def special() -> Tokenizer:
    """The same with special tokens, of which one begins with another."""
    return trained("<|end|>", "<|pad|>", "<|end|>ing")
