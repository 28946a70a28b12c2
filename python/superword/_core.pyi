import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, final, type_check_only

__all__ = [
    "BACKTRACK_LIMIT",
    "ELIGIBLE",
    "NAMED_PATTERNS",
    "UNICODE_VERSION",
    "Corpus",
    "CorpusOptions",
    "Eligibility",
    "Pattern",
    "Spool",
    "is_known_name",
]

NAMED_PATTERNS: Final[dict[str, str]]
ELIGIBLE: Final[str]
UNICODE_VERSION: Final[str]
BACKTRACK_LIMIT: Final[int]

@final
class Pattern:
    def __new__(cls, source: str, /) -> Pattern: ...
    def split(self, text: str, /) -> list[str]: ...
    def digest(self, text: str, /) -> tuple[int, int]: ...

@final
class Eligibility:
    def __new__(cls, source: str, /) -> Eligibility: ...
    def has(self, pretoken: str, /) -> bool: ...

@final
class CorpusOptions:
    def __new__(
        cls,
        *,
        column: str,
        separator: str | None,
        skip: bool,
        max_bytes: int | None,
        max_documents: int | None,
    ) -> CorpusOptions: ...

@final
class Corpus:
    @staticmethod
    def files(paths: Sequence[str | os.PathLike[str]], options: CorpusOptions, /) -> Corpus: ...
    def documents(self) -> list[str]: ...
    def count(self, threads: int = 1) -> tuple[int, int, int]: ...
    def skipped(self) -> list[str]: ...
    @property
    def size(self) -> int | None: ...

@type_check_only
class BinaryFile(Protocol):
    def read(self, size: int, /) -> bytes: ...

@final
class Spool:
    def __new__(cls, options: CorpusOptions, /, *, memory: int = ...) -> Spool: ...
    def extend(self, documents: Iterable[str | Mapping[str, Any]], /) -> None: ...
    def extend_from_file(self, file: BinaryFile, name: str, /) -> None: ...
    def extend_from_corpus(self, corpus: Corpus, /) -> None: ...
    def skip(self, message: str, /) -> None: ...
    @property
    def is_full(self) -> bool: ...
    def finish(self) -> Corpus: ...

def is_known_name(name: str, /) -> bool: ...
