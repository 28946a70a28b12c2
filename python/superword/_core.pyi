from typing import Final, final

__all__ = [
    "BACKTRACK_LIMIT",
    "ELIGIBLE",
    "NAMED_PATTERNS",
    "UNICODE_VERSION",
    "Eligibility",
    "Pattern",
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
