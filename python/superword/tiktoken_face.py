"""Kept for old pickles: see `superword.tokenizer.tiktoken_adapter`."""

from superword.tokenizer.tiktoken_adapter import TiktokenAdapter as TiktokenFace

__all__ = ["TiktokenFace"]
