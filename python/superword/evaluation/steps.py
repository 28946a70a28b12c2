"""Work in steps, each with a file, that need not be done twice."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from superword.atomic_files import write_atomically

__all__ = ["Steps", "digest"]


def digest(*parts: Any) -> str:
    """A short digest of plain values.

    Example:
        >>> digest("a", 1) == digest("a", 1) != digest("a", 2)
        True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


class Steps:
    """The steps that are done, in a folder; `steps.json` there says from what each was made.

    A step is done again when what it is made from has changed, or its file is gone.
    """

    def __init__(self, folder: Path, say: Callable[[str], object] = lambda line: None) -> None:
        self.folder = folder
        self._say = say
        self._record = folder / "steps.json"
        known = json.loads(self._record.read_text("utf-8")) if self._record.exists() else {}
        self._done: dict[str, dict[str, Any]] = known

    def do(self, name: str, made_from: str, make: Callable[[Path], object]) -> Path:
        """Make a file, unless it is there already.

        Args:
            name: Its place in the folder.
            made_from: A digest of all that decides what is in it.
            make: Writes it to the path that it is given.
        """
        path = self.folder / name
        done = self._done.get(name)
        if done and done["made_from"] == made_from and path.exists():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._say(name)
        start = time.monotonic()
        make(path)
        seconds = round(time.monotonic() - start, 1)
        self._done[name] = {"made_from": made_from, "seconds": seconds}
        with write_atomically() as files:
            files.open(self._record).write(json.dumps(self._done, indent=1).encode())
        return path
