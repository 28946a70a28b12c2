"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO

__all__ = ["AtomicFiles", "write_atomically"]

NUMBERS = count()


class AtomicFiles:
    """Files under names that nobody knows yet, in the folders where their places are."""

    def __init__(self) -> None:
        self._files: list[tuple[IO[bytes], Path, Path]] = []
        self._outdated: list[Path] = []

    def open(self, path: Path) -> IO[bytes]:
        """Open a file that takes this place in the end.

        Raises:
            OSError: If no file can be there.
        """
        # A link stays a link: what it leads to is replaced.
        path = Path(os.path.realpath(path))
        if not path.parent.is_dir():
            reason = "no such folder; make it first"
            raise FileNotFoundError(errno.ENOENT, reason, str(path.parent))
        if path.exists() and not path.is_file():
            reason = "something is there that is no file; choose another name"
            raise FileExistsError(errno.EEXIST, reason, str(path))
        scratch = path.with_name(f".{path.name}.{os.getpid()}.{next(NUMBERS)}.tmp")
        file = scratch.open("xb")
        self._files.append((file, scratch, path))
        if path.exists():
            os.chmod(scratch, path.stat().st_mode)
        return file

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there, when the others take their places."""
        self._outdated.append(path)

    def _put_in_place(self) -> None:
        for file, _, _ in self._files:
            file.flush()
            os.fsync(file.fileno())
            file.close()
        for path in self._outdated:
            path.unlink(missing_ok=True)
        # The first that was opened comes last: once it is there, all are.
        for _, scratch, path in reversed(self._files):
            os.replace(scratch, path)
        for folder in {path.parent for _, _, path in self._files}:
            sync_folder(folder)

    def _clean_up(self) -> None:
        for file, scratch, _ in self._files:
            # It may be full, and still hold something to write.
            with suppress(OSError):
                file.close()
            scratch.unlink(missing_ok=True)


@contextmanager
def write_atomically() -> Iterator[AtomicFiles]:
    """Give files to write; they take their places if all goes well, or leave no trace."""
    files = AtomicFiles()
    try:
        yield files
        files._put_in_place()
    finally:
        files._clean_up()


def sync_folder(folder: Path) -> None:
    """Have a folder's new names on the disk; where folders cannot be synced, they come late."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
