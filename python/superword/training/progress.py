"""How far a long job is: a bar on a terminal, JSON lines elsewhere."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

__all__ = ["ProgressCallback", "bar", "json_lines"]

ProgressCallback = Callable[[str, int, int | None], object]

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

# How many seconds lie between two JSON lines of one stage.
EVERY = 1.0


@contextmanager
def bar(progress: bool | ProgressCallback) -> Iterator[ProgressCallback | None]:
    """Give what to tell progress to: a bar on standard error if True, a caller's own function."""
    console = Console(stderr=True)
    if progress is not True or not console.is_terminal:
        yield progress if callable(progress) else None
        return
    columns = (TextColumn("{task.description:20}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as shown:
        tasks: dict[str, TaskID] = {}

        def tell(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    shown.update(task, completed=1, total=1)
                tasks[stage] = shown.add_task(STAGES[stage], total=total)
            shown.update(tasks[stage], completed=done, total=total)

        yield tell


def json_lines() -> ProgressCallback:
    """Give a function that tells progress as JSON lines on standard error."""
    last = ("", 0.0)

    def tell(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if stage != last[0] or now - last[1] >= EVERY:
            last = (stage, now)
            line = {"stage": stage, "done": done, "total": total}
            sys.stderr.write(json.dumps(line) + "\n")
            sys.stderr.flush()

    return tell
