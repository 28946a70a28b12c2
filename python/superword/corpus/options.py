"""Options for reading documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypedDict

from superword import _core
from superword.corpus.weights import parse_weights
from superword.keywords import document_options, option
from superword.sizes import parse_size

__all__ = [
    "CorpusKeywords",
    "CorpusOptions",
    "LimitedReadingKeywords",
    "OnError",
    "ReadingKeywords",
    "WeightKeywords",
]

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
    weights: Mapping[str, int] | str | None = option(
        None, "How often documents count, by file or by --weight-column, e.g. code=2,*=1."
    )
    weight_column: str | None = option(
        None, "Key or column that names a document's source for weights, or holds its weight."
    )

    def __post_init__(self) -> None:
        """Reject values that make no sense, and convert a size to bytes."""
        if self.on_error not in ("raise", "skip"):
            raise ValueError(f"on_error must be 'raise' or 'skip', not {self.on_error!r}")
        if self.max_bytes is not None:
            object.__setattr__(self, "max_bytes", parse_size(self.max_bytes))
        if self.weights is not None:
            object.__setattr__(self, "weights", parse_weights(self.weights))
        if self.weight_column == self.column:
            raise ValueError(f"weight_column must not be the column of the text, {self.column!r}")
        for name in ("max_bytes", "max_documents"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise ValueError(f"{name} must be at least 1, not {limit}")

    def reject_limits(self, where: str) -> None:
        """Reject `max_bytes` and `max_documents` where all documents are needed."""
        if self.max_bytes is not None or self.max_documents is not None:
            raise ValueError(f"max_bytes and max_documents do not apply to {where}")

    def reject_weights(self, where: str) -> None:
        """Reject weights where every document counts once."""
        if self.has_weights:
            raise ValueError(f"weights do not apply to {where}")

    @property
    def has_weights(self) -> bool:
        """Whether documents have weights."""
        return self.weights is not None or self.weight_column is not None

    @property
    def named_weights(self) -> list[tuple[str, int]]:
        """The weights by name; empty if the column holds them."""
        return list(parse_weights(self.weights).items()) if self.weights is not None else []

    def make_weights(self) -> _core.Weights | None:
        """Return the weights of documents; None if all count once."""
        if not self.has_weights:
            return None
        return _core.Weights(self.named_weights, self.weight_column)

    def without_weights(self) -> CorpusOptions:
        """Return the options for reading the same documents, once each."""
        return replace(self, weights=None, weight_column=None)


class ReadingKeywords(TypedDict, total=False):
    """The fields of `CorpusOptions` that do not limit the amount of text."""

    column: str
    separator: str | None
    on_error: OnError


class LimitedReadingKeywords(ReadingKeywords, total=False):
    """The fields of `CorpusOptions` where every document counts once."""

    max_bytes: int | str | None
    max_documents: int | None


class WeightKeywords(TypedDict, total=False):
    """The fields of `CorpusOptions` that say how often documents count."""

    weights: Mapping[str, int] | str | None
    weight_column: str | None


class CorpusKeywords(LimitedReadingKeywords, WeightKeywords, total=False):
    """The fields of `CorpusOptions`, as keywords."""
