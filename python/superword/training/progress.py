"""The progress of a long job: a bar on a terminal, JSON lines elsewhere."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["ProgressCallback", "json_lines", "show_progress"]

ProgressCallback: TypeAlias = Callable[[str, int, int | None], object]
"""A function that is called with the stage, the amount done, and the total if it is known.

The last call of each stage that succeeds has the amount done as its total.
"""

STAGES = {
    "count": "counting pretokens",
    "merges": "learning merges",
    "bigrams": "counting neighbours",
    "fragments": "counting fragments",
    "supermerges": "learning supermerges",
    "encode": "encoding",
    "evaluate": "evaluating",
    "score": "scoring",
    "instability": "trying prompts",
    "train": "training",
}

SECONDS_BETWEEN_LINES = 1.0


class StageReports:
    """Passes reports on to a callback, and ends each stage with a report that all of it is done.

    A stage may end before its total: a limit on the bytes of text stops reading, and a corpus may
    have pairs for fewer tokens than asked for.

    Example:
        >>> reports = StageReports(lambda *report: print(*report))
        >>> reports.report("count", 10, 100)
        count 10 100
        >>> reports.report("merges", 93, 100)
        count 10 10
        merges 93 100
        >>> reports.finish()
        merges 93 93
    """

    def __init__(self, callback: ProgressCallback) -> None:
        self._callback = callback
        self._last: tuple[str, int, int | None] | None = None

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Pass a report on; if it begins a stage, end the one before."""
        if self._last and self._last[0] != stage:
            self.finish()
        self._last = (stage, done, total)
        self._callback(stage, done, total)

    def finish(self) -> None:
        """End the current stage, unless its last report did."""
        if self._last is None:
            return
        stage, done, total = self._last
        self._last = None
        if done == 0 or done != total:
            end = done or total or 1
            self._callback(stage, end, end)


@contextmanager
def show_progress(progress: bool | ProgressCallback) -> Iterator[ProgressCallback | None]:
    """Yield the callback to report to: the caller's own, or a bar on a terminal if True.

    The last stage ends with the block, unless that raises.
    """
    with open_callback(progress) as callback:
        if callback is None:
            yield None
            return
        reports = StageReports(callback)
        yield reports.report
        reports.finish()


@contextmanager
def open_callback(progress: bool | ProgressCallback) -> Iterator[ProgressCallback | None]:
    """Yield the caller's own callback, or that of progress bars if True and on a terminal."""
    if progress is not True:
        yield progress if callable(progress) else None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskID,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description:20}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as bars:
        current: tuple[str, TaskID] | None = None

        def report(stage: str, done: int, total: int | None) -> None:
            nonlocal current
            # A stage that begins again, as a second pass does, gets a bar of its own.
            if current is None or current[0] != stage:
                current = (stage, bars.add_task(STAGES[stage], total=total))
            bars.update(current[1], completed=done, total=total)

        yield report


def json_lines() -> ProgressCallback:
    """Return a callback that writes JSON lines to standard error.

    It writes the first and the last report of each stage, and at most one per second between them.
    """
    last: tuple[str, int, int | None] = ("", 0, None)
    written = 0.0

    def report(stage: str, done: int, total: int | None) -> None:
        nonlocal last, written
        now = time.monotonic()
        is_due = stage != last[0] or now - written >= SECONDS_BETWEEN_LINES
        # The end may be reported more than once.
        if is_due or (done == total and (stage, done, total) != last):
            last, written = (stage, done, total), now
            line = {"stage": stage, "done": done, "total": total}
            sys.stderr.write(json.dumps(line) + "\n")
            sys.stderr.flush()

    return report
