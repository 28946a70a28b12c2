"""Kept for old imports: see `superword.integrations.datatrove`."""

from superword.integrations.datatrove import SuperwordEncoder

__all__ = ["SuperwordEncoder"]
