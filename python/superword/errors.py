"""The exceptions of superword.

    SuperwordError
    ├── PatternError        (also ValueError)  a regex that cannot be used
    ├── ModelFormatError    (also ValueError)  a file that is not a model, or is damaged
    ├── CorpusError         (also ValueError)  input data that cannot be read
    ├── CountsError         (also ValueError)  counts that are incomplete or do not match
    │   └── MissingFragmentsError              the first pass is done, and the second is not
    ├── SpecialTokenError   (also ValueError)  text that spells a special token
    ├── ExportError         (also ValueError)  a model that another library's file cannot represent
    ├── UnknownTokenError   (also KeyError)    an id or a token that is not in the vocabulary
    └── InternalError       (also RuntimeError)  a bug in superword

Errors of the operating system stay `OSError`.
"""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "CorpusError",
    "CountsError",
    "ExportError",
    "InternalError",
    "MissingFragmentsError",
    "ModelFormatError",
    "PatternError",
    "SpecialTokenError",
    "SuperwordError",
    "UnknownTokenError",
]


class SuperwordError(Exception):
    """The base class of all errors that superword raises."""


class PatternError(SuperwordError, ValueError):
    """A pattern that is unknown by name, or a regex that is malformed or backtracks too much.

    Attributes:
        position: The character of the regex at which parsing failed, if it did.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class ModelFormatError(SuperwordError, ValueError):
    """A file that is not a model, or is damaged."""


class CorpusError(SuperwordError, ValueError):
    """Input data that cannot be read.

    Attributes:
        file: The file, if the data came from one.
        line: The line, or the row of a table, counted from 1.
        column: The requested column, if the data has columns.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: str | None = None,
        unit: str = "line",
    ) -> None:
        where = [str(file)] if file is not None else []
        where += [f"{unit} {line}"] if line is not None else []
        where += [f"column {column!r}"] if column is not None else []
        super().__init__(f"{', '.join(where)}: {message}" if where else message)
        self.file = file
        self.line = line
        self.column = column


class CountsError(SuperwordError, ValueError):
    """Counts that are incomplete, damaged, or do not match."""


class MissingFragmentsError(CountsError):
    """The first pass over a corpus is done, and the second, over fragments, is not.

    Attributes:
        cut: The file that the first pass wrote. Counting fragments needs it.
    """

    def __init__(self, message: str, cut: Path | None = None) -> None:
        super().__init__(message)
        self.cut = cut


class SpecialTokenError(SuperwordError, ValueError):
    """Text that spells a special token that is not allowed."""


class ExportError(SuperwordError, ValueError):
    """A model that another library's file cannot represent."""


class UnknownTokenError(SuperwordError, KeyError):
    """An id or a token that is not in the vocabulary."""

    def __str__(self) -> str:
        """Return the message without the quotes that `KeyError` adds."""
        return str(self.args[0]) if self.args else ""


class InternalError(SuperwordError, RuntimeError):
    """A bug in superword: the core panicked. No input should cause it; please report it."""
