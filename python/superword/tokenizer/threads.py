"""How many threads there are to use."""

from __future__ import annotations

import os


def available_threads() -> int:
    """How many threads this process may use at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
