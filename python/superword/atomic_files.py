"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO

__all__ = ["AtomicFiles", "local_path", "write_atomically"]

# Numbers the temporary files of this process.
NUMBERS = count()


def local_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file or a folder to write; reject URLs.

    A `Path` drops the second slash of a URL, and names a folder `s3:`.

    Raises:
        ValueError: If it is a URL.

    Example:
        >>> local_path("folder/model.json").name
        'model.json'
        >>> local_path("s3://bucket/model.json")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: s3://bucket/model.json: superword writes to local folders only, not to URLs; ...
    """
    url = re.fullmatch(r"([a-z][a-z0-9+.-]+):/+(.*)", os.fspath(path), re.IGNORECASE | re.DOTALL)
    if url:
        raise ValueError(
            f"{url[1]}://{url[2]}: superword writes to local folders only, not to URLs; "
            "write to a local folder and copy it"
        )
    return Path(path)


class AtomicFiles:
    """Temporary files, each in the folder of the file that it will replace."""

    def __init__(self) -> None:
        self._files: list[tuple[IO[bytes], Path, Path]] = []
        self._outdated: list[Path] = []

    def open(self, path: Path) -> IO[bytes]:
        """Open a temporary file that will replace `path`.

        Raises:
            OSError: If no file can be written there.
            ValueError: If it is a URL.
        """
        # Follow a link: its target is replaced, and the link stays.
        path = Path(os.path.realpath(local_path(path)))
        if not path.parent.is_dir():
            reason = "no such folder; make it first"
            raise FileNotFoundError(errno.ENOENT, reason, str(path.parent))
        if path.exists() and not path.is_file():
            reason = "exists and is not a file; choose another name"
            raise FileExistsError(errno.EEXIST, reason, str(path))
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{next(NUMBERS)}.tmp")
        file = temporary.open("xb")
        self._files.append((file, temporary, path))
        if path.exists():
            os.chmod(temporary, path.stat().st_mode)
        return file

    def remove(self, path: Path) -> None:
        """Remove a file, if it exists, when the temporary files are renamed."""
        self._outdated.append(path)

    def _commit(self) -> None:
        for file, _, _ in self._files:
            file.flush()
            os.fsync(file.fileno())
            file.close()
        for path in self._outdated:
            path.unlink(missing_ok=True)
        # The file opened first is renamed last. Once it exists, all exist.
        for _, temporary, path in reversed(self._files):
            os.replace(temporary, path)
        for folder in {path.parent for _, _, path in self._files}:
            sync_folder(folder)

    def _clean_up(self) -> None:
        for file, temporary, _ in self._files:
            # On a full disk, closing fails if there is still something to write.
            with suppress(OSError):
                file.close()
            temporary.unlink(missing_ok=True)


@contextmanager
def write_atomically() -> Iterator[AtomicFiles]:
    """Yield files to write. They are renamed on success, and removed on failure."""
    files = AtomicFiles()
    try:
        yield files
        files._commit()
    finally:
        files._clean_up()


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, where the system can do that."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
