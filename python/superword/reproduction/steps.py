"""Build files in steps, and reuse them in the next run."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from superword.atomic_files import write_atomically
from superword.json_files import read_json_object

__all__ = ["Steps", "digest"]


def digest(*parts: Any) -> str:
    """Return a short digest of JSON values.

    Example:
        >>> digest("a", 1) == digest("a", 1) != digest("a", 2)
        True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


class Steps:
    """Files in a folder, and `steps.json`, which records the digest of the inputs of each.

    A file is rebuilt if its inputs have changed or it is missing.

    Args:
        folder: The folder.
        log: Called with a line before each file is built.
        names: The files that will be built, in order, by their paths in the folder.
    """

    def __init__(
        self,
        folder: Path,
        log: Callable[[str], object] = lambda line: None,
        names: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self._log = log
        self._numbers = {name: number for number, name in enumerate(names, 1)}
        self._record = folder / "steps.json"
        known = read_json_object(self._record) if self._record.exists() else {}
        self._done: dict[str, dict[str, Any]] = known

    def build(self, name: str, inputs: str, write: Callable[[Path], object]) -> Path:
        """Return the path of a file; write it unless it is up to date.

        Args:
            name: The path in the folder.
            inputs: A digest of everything that decides the content.
            write: Writes the file to the path it is given.
        """
        path = self.folder / name
        done = self._done.get(name)
        if done and done["made_from"] == inputs and path.exists():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        number = self._numbers.get(name)
        step = f"step {number} of {len(self._numbers)}: " if number else ""
        self._log(f"{step}{name}")
        start = time.monotonic()
        if self._done.pop(name, None):
            # If this run is killed, the next one must not take the new file for the old one.
            self._save()
        write(path)
        seconds = round(time.monotonic() - start, 1)
        self._done[name] = {"made_from": inputs, "seconds": seconds}
        self._save()
        return path

    def _save(self) -> None:
        """Write the record. Its order does not tell which steps were built again."""
        record = json.dumps(self._done, indent=1, sort_keys=True)
        with write_atomically() as files:
            files.open(self._record).write(record.encode())
