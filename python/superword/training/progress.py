"""The progress of a long job: a bar on a terminal, JSON lines elsewhere."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

__all__ = ["ProgressCallback", "json_lines", "show_progress"]

ProgressCallback: TypeAlias = Callable[[str, int, int | None], object]
"""A function that is called with the stage, the amount done, and the total if it is known."""

STAGES = {
    "count": "counting pretokens",
    "merges": "learning merges",
    "bigrams": "counting neighbours",
    "fragments": "counting fragments",
    "supermerges": "learning supermerges",
    "encode": "encoding",
    "evaluate": "evaluating",
    "instability": "trying prompts",
}

SECONDS_BETWEEN_LINES = 1.0


@contextmanager
def show_progress(progress: bool | ProgressCallback) -> Iterator[ProgressCallback | None]:
    """Yield the callback to report to: the caller's own, or a bar on a terminal if True."""
    console = Console(stderr=True)
    if progress is not True or not console.is_terminal:
        yield progress if callable(progress) else None
        return
    columns = (TextColumn("{task.description:20}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as bars:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    bars.update(task, completed=1, total=1)
                tasks[stage] = bars.add_task(STAGES[stage], total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield report


def json_lines() -> ProgressCallback:
    """Return a callback that writes JSON lines to standard error, at most one per second."""
    last = ("", 0.0)

    def report(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if stage != last[0] or now - last[1] >= SECONDS_BETWEEN_LINES:
            last = (stage, now)
            line = {"stage": stage, "done": done, "total": total}
            sys.stderr.write(json.dumps(line) + "\n")
            sys.stderr.flush()

    return report
