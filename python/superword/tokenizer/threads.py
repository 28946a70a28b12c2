"""The number of threads."""

from __future__ import annotations

import os

from superword import _core

__all__ = ["available_threads", "thread_count"]


def available_threads() -> int:
    """Return the number of threads that this process may run at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def thread_count(threads: int | None) -> int:
    """Return the number of threads asked for; all available ones for None.

    Raises:
        ValueError: If it is below 1, or above 1,024.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    if threads is not None and threads > _core.MAX_THREADS:
        raise ValueError(f"threads must be at most {_core.MAX_THREADS:,}, not {threads:,}")
    return threads or available_threads()
