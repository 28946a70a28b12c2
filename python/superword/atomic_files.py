"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["AtomicFiles", "local_path", "name_errors", "write_atomically"]


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


@contextmanager
def name_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the operating system name a file.

    "No space left" comes without a name, and other errors name the temporary file.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


class OutputFile(io.FileIO):
    """A temporary file. Its errors name the file that it will replace."""

    def __init__(self, temporary: Path, path: Path) -> None:
        self._path = path
        with name_errors(path):
            super().__init__(temporary, "xb")

    def write(self, data: ReadableBuffer, /) -> int:
        with name_errors(self._path):
            return super().write(data)


@dataclass(frozen=True)
class Replacement:
    """A temporary file, and the file that it will replace."""

    file: IO[bytes]
    temporary: Path
    path: Path
    is_manifest: bool


class AtomicFiles:
    """Temporary files, each in the folder of the file that it will replace.

    Each file is replaced atomically. Several files are replaced one after the other; a manifest
    among them is removed first and replaced last. While it exists, all are of one writing.
    """

    def __init__(self) -> None:
        self._files: list[Replacement] = []
        self._outdated: list[Path] = []
        # Files that were removed, under the names that they have until all is done.
        self._set_aside: list[tuple[Path, Path]] = []
        self._is_replaced = False

    def open(self, path: Path, *, is_manifest: bool = False) -> IO[bytes]:
        """Open a temporary file that will replace `path`.

        Temporary files for the same path that a killed process left are removed.

        Args:
            path: The file to replace.
            is_manifest: Whether the file vouches for the others.

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
        remove_stale(path)
        raw, temporary = create_temporary(path)
        file = io.BufferedWriter(raw)
        self._files.append(Replacement(file, temporary, path, is_manifest))
        # Another process may remove it meanwhile.
        with name_errors(path), suppress(FileNotFoundError):
            os.chmod(temporary, path.stat().st_mode)
        return file

    def remove(self, path: Path) -> None:
        """Remove a file, if it exists, when the temporary files are renamed."""
        self._outdated.append(path)

    def _commit(self) -> None:
        for each in self._files:
            with name_errors(each.path):
                each.file.flush()
                os.fsync(each.file.fileno())
                if sys.platform == "win32":  # It renames no open file.
                    each.file.close()
        folders = {each.path.parent for each in self._files}
        with lock_folders(folders if len(self._files) > 1 else set()):
            self._rename(folders)

    def _rename(self, folders: set[Path]) -> None:
        manifests = [each for each in self._files if each.is_manifest]
        for path in [*self._outdated, *(each.path for each in manifests)]:
            self._put_aside(path)
        if self._set_aside:
            sync_folders(folders)
        # The file opened first is renamed last. Once it exists, all but the manifest exist.
        for each in reversed(self._files):
            if not each.is_manifest:
                self._replace(each)
        if manifests:
            sync_folders(folders)
        for each in manifests:
            self._replace(each)
        sync_folders(folders)

    def _put_aside(self, path: Path) -> None:
        """Rename a file, if it exists, so that it can come back after an error."""
        with name_errors(path), suppress(FileNotFoundError):
            temporary = temporary_path(path)
            os.replace(path, temporary)
            self._set_aside.append((temporary, path))

    def _replace(self, each: Replacement) -> None:
        with name_errors(each.path):
            os.replace(each.temporary, each.path)
        self._is_replaced = True

    def _clean_up(self) -> None:
        for temporary, path in self._set_aside:
            with suppress(OSError):
                if self._is_replaced:
                    temporary.unlink()
                else:
                    os.replace(temporary, path)
        for each in self._files:
            # On a full disk, closing fails if there is still something to write.
            with suppress(OSError):
                each.file.close()
            each.temporary.unlink(missing_ok=True)


@contextmanager
def write_atomically() -> Iterator[AtomicFiles]:
    """Yield files to write. They are renamed on success, and removed on failure."""
    files = AtomicFiles()
    try:
        yield files
        files._commit()
    finally:
        files._clean_up()


def temporary_path(path: Path) -> Path:
    """Return a name for a temporary file that no other process chooses."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")


def create_temporary(path: Path) -> tuple[OutputFile, Path]:
    """Create a temporary file, locked until it is closed, so that no other process removes it."""
    while True:
        temporary = temporary_path(path)
        file = OutputFile(temporary, path)
        # Another process may have taken it for a stale one before it was locked.
        if lock(file.fileno()) is not False and temporary.exists():
            return file, temporary
        file.close()


def lock(file: int) -> bool | None:
    """Lock an open file; return False if another one has it, and None if that is not known."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # Not every file system has locks.
        return None
    return True


def remove_stale(path: Path) -> None:
    """Remove the temporary files for a path that no process has locked."""
    if sys.platform == "win32":
        return
    name = re.compile(re.escape(f".{path.name}.") + r"[0-9a-f]{16}\.tmp")
    with suppress(OSError), os.scandir(path.parent) as entries:
        stale = [each for each in entries if name.fullmatch(each.name)]
        for entry in stale:
            with suppress(OSError):
                file = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    if entry.is_file(follow_symlinks=False) and lock(file):
                        os.unlink(entry.path)
                finally:
                    os.close(file)


@contextmanager
def lock_folders(folders: set[Path]) -> Iterator[None]:
    """Wait until no other process renames a set of files in these folders, where locks exist."""
    with ExitStack() as stack:
        # In one order, so that no two wait for each other.
        for folder in sorted(folders) if sys.platform != "win32" else ():
            with suppress(OSError):
                opened = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, opened)
                fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def sync_folders(folders: set[Path]) -> None:
    """Flush the names in folders to disk, where the system can do that."""
    for folder in folders:
        with suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)
