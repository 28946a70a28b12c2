"""The targets by name."""

from __future__ import annotations

from collections.abc import Callable

from .count_files import train_on_damaged_counts
from .token_files import append_to_damaged_files

TARGETS: dict[str, Callable[[bytes], None]] = {
    "token_files": append_to_damaged_files,
    "count_files": train_on_damaged_counts,
}
