"""Options for reading documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict

from superword.keywords import document_options, option
from superword.sizes import parse_size

__all__ = ["CorpusKeywords", "CorpusOptions", "OnError", "ReadingKeywords"]

OnError: TypeAlias = Literal["raise", "skip"]


@document_options
@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """Options for reading documents from files, tables and rows."""

    column: str = option(
        "text", "Key or column that holds the document in JSON lines, JSON arrays, Parquet and CSV."
    )
    separator: str | None = option(
        None, "String that separates documents in text files; without it, a file is one document."
    )
    max_bytes: int | str | None = option(
        None, "Stop before the text exceeds this many bytes, or this size, e.g. 5MB."
    )
    max_documents: int | None = option(None, "Stop after this many documents.")
    on_error: OnError = option("raise", "Raise on input that cannot be read, or skip it and warn.")

    def __post_init__(self) -> None:
        """Reject values that make no sense, and convert a size to bytes."""
        if self.on_error not in ("raise", "skip"):
            raise ValueError(f"on_error must be 'raise' or 'skip', not {self.on_error!r}")
        if self.max_bytes is not None:
            object.__setattr__(self, "max_bytes", parse_size(self.max_bytes))
        for name in ("max_bytes", "max_documents"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise ValueError(f"{name} must be at least 1, not {limit}")

    def reject_limits(self, where: str) -> None:
        """Reject `max_bytes` and `max_documents` where all documents are needed."""
        if self.max_bytes is not None or self.max_documents is not None:
            raise ValueError(f"max_bytes and max_documents do not apply to {where}")


class ReadingKeywords(TypedDict, total=False):
    """The fields of `CorpusOptions` that do not limit the amount of text."""

    column: str
    separator: str | None
    on_error: OnError


class CorpusKeywords(ReadingKeywords, total=False):
    """The fields of `CorpusOptions`, as keywords."""

    max_bytes: int | str | None
    max_documents: int | None
