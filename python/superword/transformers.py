"""Kept for saved folders and old imports: see `superword.integrations.transformers`."""

from superword.integrations.transformers import SuperwordConfig, SuperwordTokenizer

__all__ = ["SuperwordConfig", "SuperwordTokenizer"]
