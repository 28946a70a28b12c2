"""The resources of a job: threads, memory, progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from superword import _core
from superword.keywords import document_options, option
from superword.sizes import parse_size
from superword.tokenizer.threads import thread_count
from superword.training.progress import ProgressCallback

__all__ = ["ResourceKeywords", "Resources", "parse_size"]


@document_options
@dataclass(frozen=True, kw_only=True)
class Resources:
    """Threads, memory and progress. They do not change a result."""

    threads: int | None = option(
        None, "Number of threads, at most 1,024; all available ones by default."
    )
    memory_limit: int | str | None = option(
        None,
        "Memory limit of the process, e.g. 1GB; at least 256 MB. Counts beyond it go to files.",
    )
    progress: bool | ProgressCallback = option(
        False, "True shows a bar on a terminal; a function is called with stage, done and total."
    )
    verify_every: int | None = option(
        None, "Recount everything after this many rules and compare. Slow."
    )

    def __post_init__(self) -> None:
        """Reject values that make no sense."""
        thread_count(self.threads)
        if self.verify_every is not None and self.verify_every < 1:
            raise ValueError(f"verify_every must be at least 1, not {self.verify_every}")
        limit = self.memory_bytes
        if limit is not None and limit < _core.MIN_MEMORY_LIMIT:
            raise ValueError(f"memory_limit must be at least 256 MB, not {self.memory_limit!r}")

    @property
    def thread_count(self) -> int:
        """The number of threads to use."""
        return thread_count(self.threads)

    @property
    def memory_bytes(self) -> int | None:
        """The memory limit in bytes."""
        return None if self.memory_limit is None else parse_size(self.memory_limit)


class ResourceKeywords(TypedDict, total=False):
    """The fields of `Resources`, as keywords."""

    threads: int | None
    memory_limit: int | str | None
    progress: bool | ProgressCallback
    verify_every: int | None
