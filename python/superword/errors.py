"""The exceptions of superword.

    SuperwordError
    ├── PatternError        (also ValueError)  a regex that cannot be used
    ├── ModelFormatError    (also ValueError)  a file that is no model, or a damaged one
    ├── CorpusError         (also ValueError)  input data that cannot be read
    ├── CountsError         (also ValueError)  counts that cannot be trained on, or summed
    ├── SpecialTokenError   (also ValueError)  text that spells a special token
    ├── ExportError         (also ValueError)  a model that another library's file cannot hold
    └── UnknownTokenError   (also KeyError)    an id or a token that the vocabulary has not

What the operating system refuses stays an `OSError`.
"""

from __future__ import annotations

__all__ = [
    "CorpusError",
    "CountsError",
    "ExportError",
    "ModelFormatError",
    "PatternError",
    "SpecialTokenError",
    "SuperwordError",
    "UnknownTokenError",
]


class SuperwordError(Exception):
    """Anything that superword refuses."""


class PatternError(SuperwordError, ValueError):
    """A regex that is malformed, or that backtracks too much.

    Attributes:
        position: The character of the regex at which reading it failed, if it did.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class ModelFormatError(SuperwordError, ValueError):
    """A file that is no model, or a damaged one."""


class CorpusError(SuperwordError, ValueError):
    """Input data that cannot be read.

    Attributes:
        file: The file, if the data came from one.
        line: The line, or the row of a table, counted from 1.
        column: The column that was asked for, if the data has columns.
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
        place = [str(file)] if file is not None else []
        place += [f"{unit} {line}"] if line is not None else []
        place += [f"column {column!r}"] if column is not None else []
        super().__init__(f"{', '.join(place)}: {message}" if place else message)
        self.file = file
        self.line = line
        self.column = column


class CountsError(SuperwordError, ValueError):
    """Counts that are incomplete, damaged, or do not belong together."""


class SpecialTokenError(SuperwordError, ValueError):
    """Text that spells a special token which was not allowed."""


class ExportError(SuperwordError, ValueError):
    """A model that a file of another library cannot hold."""


class UnknownTokenError(SuperwordError, KeyError):
    """An id or a token that the vocabulary has not."""

    def __str__(self) -> str:
        """The message as it is; `KeyError` would quote it."""
        return str(self.args[0]) if self.args else ""
