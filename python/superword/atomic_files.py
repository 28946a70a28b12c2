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
from tempfile import TemporaryDirectory, gettempdir
from typing import IO, TYPE_CHECKING

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [
    "AtomicFiles",
    "OutputFile",
    "check_writable",
    "is_device",
    "local_path",
    "name_errors",
    "restore",
    "temporary_folder",
    "write_atomically",
]


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


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that is removed at the end. Errors name the folder that it is in."""
    with (
        name_errors(gettempdir()),
        TemporaryDirectory(prefix="superword-", ignore_cleanup_errors=True) as folder,
    ):
        yield Path(folder)


class OutputFile(io.FileIO):
    """A temporary file. Its errors name the file that it will replace, or its folder."""

    def __init__(self, temporary: Path, name: Path) -> None:
        self._name = name
        with name_errors(name):
            super().__init__(temporary, "xb")

    def write(self, data: ReadableBuffer, /) -> int:
        """Write some bytes and return their number."""
        with name_errors(self._name):
            return super().write(data)


@dataclass(frozen=True)
class Replacement:
    """A temporary file, and the file that it will replace.

    Attributes:
        file: The temporary file, open.
        temporary: Its path.
        path: The file to replace, without links.
        name: The file to replace, as it was named.
        is_manifest: Whether the file vouches for the others.
    """

    file: IO[bytes]
    temporary: Path
    path: Path
    name: Path
    is_manifest: bool


class AtomicFiles:
    """Temporary files, each in the folder of the file that it will replace.

    Each file is replaced atomically. Several files are a set with a manifest, and are replaced one
    after the other. The manifest is removed first and replaced last: while it exists, all files are
    of one writing. Until then, the old files have a second name each. So they come back after an
    error, and `restore` brings them back after a kill.
    """

    def __init__(self) -> None:
        self._files: list[Replacement] = []
        self._outdated: list[Path] = []
        # Open files that are locked until all is done.
        self._locked: list[int] = []

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
        name = local_path(path)
        # Follow a link: its target is replaced, and the link stays.
        path = Path(os.path.realpath(name))
        if not path.parent.is_dir():
            reason = "no such folder; make it first"
            raise FileNotFoundError(errno.ENOENT, reason, str(name.parent))
        if path.exists() and not path.is_file():
            reason = "exists and is not a file; choose another name"
            raise OSError(errno.EISDIR if path.is_dir() else errno.EEXIST, reason, str(name))
        remove_stale(path)
        raw, temporary = create_temporary(path, name)
        file = io.BufferedWriter(raw)
        self._files.append(Replacement(file, temporary, path, name, is_manifest))
        # Another process may remove it meanwhile.
        with name_errors(name), suppress(FileNotFoundError):
            os.chmod(temporary, path.stat().st_mode)
        return file

    def remove(self, path: Path) -> None:
        """Remove a file, if it exists, when the temporary files are renamed."""
        self._outdated.append(Path(os.path.realpath(path)))

    def lock(self, path: Path) -> None:
        """Lock a file that will be read and then replaced, so that no other process does both.

        Raises:
            ValueError: If another process has locked it.
        """
        while True:
            file = os.open(path, os.O_RDONLY)
            self._locked.append(file)
            if lock(file) is False:
                raise ValueError(f"{path}: another process writes it; wait until it has ended")
            # Another process may have replaced the file before it was locked.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), os.stat(path)):
                    return

    def _commit(self) -> None:
        for each in self._files:
            with name_errors(each.name):
                each.file.flush()
                os.fsync(each.file.fileno())
                if sys.platform == "win32":  # It renames no open file.
                    each.file.close()
        folders = {each.path.parent for each in self._files}
        if len(self._files) == 1 and not self._outdated:
            self._replace(self._files[0])
        else:
            with lock_folders(folders):
                self._replace_set(folders)
        sync_folders(folders)

    def _replace_set(self, folders: set[Path]) -> None:
        manifests = [each for each in self._files if each.is_manifest]
        # The file opened first is renamed last. Once it exists, all but the manifest exist.
        others = [each for each in reversed(self._files) if not each.is_manifest]
        paths = [*(each.path for each in others), *self._outdated]
        of_manifests = [each.path for each in manifests]
        stale = [old for path in [*paths, *of_manifests] for old in list_old(path)]
        old_set = OldSet(paths, of_manifests)
        replaced: list[Path] = []
        try:
            old_set.put_aside()
            sync_folders(folders)
            for path in self._outdated:
                replaced.append(path)
                with name_errors(path):
                    path.unlink(missing_ok=True)
            for each in others:
                replaced.append(each.path)
                self._replace(each)
            sync_folders(folders)
            for each in manifests:
                replaced.append(each.path)
                self._replace(each)
        except BaseException:
            old_set.bring_back(replaced)
            raise
        old_set.remove()
        for old in stale:
            with suppress(OSError):
                old.unlink()

    def _replace(self, each: Replacement) -> None:
        with name_errors(each.name):
            os.replace(each.temporary, each.path)

    def _clean_up(self) -> None:
        for each in self._files:
            # On a full disk, closing fails if there is still something to write.
            with suppress(OSError):
                each.file.close()
            with suppress(OSError):
                each.temporary.unlink(missing_ok=True)
        for file in self._locked:
            os.close(file)


class OldSet:
    """The old files of a set, which have a second name until the new ones are in their places.

    The manifest is renamed once the others have their second names. So if there is a manifest with
    a second name, all files of its set have one, with the same digits.
    """

    def __init__(self, others: list[Path], manifests: list[Path]) -> None:
        self._others, self._manifests = others, manifests
        self._digits = secrets.token_hex(8)
        self._second: dict[Path, Path] = {}
        self._is_complete = True

    def put_aside(self) -> None:
        """Give the files their second names, and remove the manifest."""
        for path in self._others:
            second = old_path(path, self._digits)
            try:
                os.link(path, second)
                self._second[path] = second
            except FileNotFoundError:
                pass
            except OSError:  # Not every file system has links.
                self._is_complete = False
        for path in self._manifests:
            # If the set is not complete, nobody must restore it.
            second = old_path(path, self._digits) if self._is_complete else temporary_path(path)
            with name_errors(path), suppress(FileNotFoundError):
                os.replace(path, second)
                self._second[path] = second

    def bring_back(self, replaced: list[Path]) -> None:
        """Put the old files back in their places, the manifest last, and remove new ones."""
        if self._is_complete or not replaced:
            # If this fails, too, the manifest stays away, and `restore` tries again.
            with suppress(OSError):
                for path in replaced:
                    if path not in self._second:
                        path.unlink(missing_ok=True)
                for path in [*self._others, *self._manifests]:
                    if path in self._second:
                        bring_back(self._second[path], path)
        else:
            self.remove()

    def remove(self) -> None:
        """Remove the second names."""
        for second in self._second.values():
            with suppress(OSError):
                second.unlink(missing_ok=True)


def bring_back(second: Path, path: Path) -> None:
    """Give a file back its first name."""
    os.replace(second, path)
    # Renaming does nothing if both are the same file.
    second.unlink(missing_ok=True)


def restore(others: list[Path], manifest: Path) -> None:
    """Bring back the old files of a set if a process was killed while it replaced them.

    Args:
        others: The files, those that the set may lack included.
        manifest: The file that vouches for them.
    """
    manifest = Path(os.path.realpath(manifest))
    with lock_folders({manifest.parent}), name_errors(manifest):
        if manifest.exists() or not (found := list_old(manifest)):
            return
        second = max(found, key=lambda old: old.stat().st_ctime_ns)
        digits = second.name.split(".")[-2]
        for path in map(os.path.realpath, others):
            with suppress(FileNotFoundError):
                bring_back(old_path(Path(path), digits), Path(path))
        bring_back(second, manifest)


@contextmanager
def write_atomically() -> Iterator[AtomicFiles]:
    """Yield files to write. They replace others on success, and are removed on failure."""
    files = AtomicFiles()
    try:
        yield files
        files._commit()
    finally:
        files._clean_up()


def is_device(path: Path) -> bool:
    """Return whether a path is a pipe or a device: it has no content to keep."""
    return path.exists() and not path.is_file() and not path.is_dir()


def check_writable(path: str | os.PathLike[str]) -> None:
    """Reject a file that cannot be written, before hours of work. Nothing of the try stays.

    A pipe or a device is not tried.

    Raises:
        OSError: If no file can be written there.
        ValueError: If it is a URL.
    """
    path = local_path(path)
    if is_device(path):
        return
    files = AtomicFiles()
    try:
        files.open(path)
    finally:
        files._clean_up()


def temporary_path(path: Path) -> Path:
    """Return a name for a temporary file that no other process chooses."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")


def old_path(path: Path, digits: str) -> Path:
    """Return the second name of an old file."""
    return path.with_name(f".{path.name}.{digits}.old")


def list_old(path: Path) -> list[Path]:
    """Return the second names of old files of a path."""
    return list_beside(path, "old")


def list_beside(path: Path, suffix: str) -> list[Path]:
    """Return the hidden files for a path: their names have 16 digits and a suffix."""
    name = re.compile(re.escape(f".{path.name}.") + rf"[0-9a-f]{{16}}\.{suffix}")
    with suppress(OSError), os.scandir(path.parent) as entries:
        return [
            path.with_name(each.name)
            for each in entries
            if name.fullmatch(each.name) and each.is_file(follow_symlinks=False)
        ]
    return []


def create_temporary(path: Path, name: Path) -> tuple[OutputFile, Path]:
    """Create a temporary file, locked until it is closed, so that no other process removes it."""
    while True:
        temporary = temporary_path(path)
        file = OutputFile(temporary, name)
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
    for stale in list_beside(path, "tmp"):
        with suppress(OSError):
            file = os.open(stale, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if lock(file):
                    os.unlink(stale)
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
