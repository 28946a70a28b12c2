"""Kept for saved folders and old imports: see `superword.integrations.transformers`."""

from superword.integrations.transformers import (
    HeldBackLogitsProcessor,
    SuperwordConfig,
    SuperwordTokenizer,
    find_covers,
)

__all__ = ["HeldBackLogitsProcessor", "SuperwordConfig", "SuperwordTokenizer", "find_covers"]
