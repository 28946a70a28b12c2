"""The import path of `superword.integrations.vllm` for users."""

from superword.integrations.vllm import VllmTokenizer, register

__all__ = ["VllmTokenizer", "register"]
