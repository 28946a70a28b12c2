"""What is tried: everything, or some of it, drawn at random."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable

from writers import ALL, Writer

# `make faults` tries everything; the tests otherwise try some of it, drawn at random.
IS_COMPLETE = os.environ.get("SUPERWORD_FAULTS") == "all"
# The workers of xdist draw the same.
SEED = (
    os.environ.get("SUPERWORD_FAULTS_SEED")
    or os.environ.get("PYTEST_XDIST_TESTRUNUID", "")[:8]
    or str(random.SystemRandom().randrange(10**6))
)
KINDS = ALL if IS_COMPLETE else tuple(random.Random(SEED).sample(ALL, 2))


def draw(writers: Iterable[Writer], count: int | None = None) -> list[str]:
    """Return the names of writers to try: all, or without `make faults` some that are not slow."""
    if IS_COMPLETE:
        return [writer.name for writer in writers]
    quick = [writer.name for writer in writers if writer.limit is None]
    return quick if count is None else sorted(random.Random(SEED).sample(quick, count))
