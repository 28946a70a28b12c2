"""What a path names: a file, a folder, a glob, a URL, standard input."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from superword import _core
from superword.errors import CorpusError

__all__ = ["STANDARD_INPUT", "RawPath", "Source", "find_sources", "is_parquet"]

STANDARD_INPUT = "standard input"
KNOWN = ".jsonl and .txt files (also as .gz, .zst or .bz2) and .parquet files"


@dataclass(frozen=True)
class RawPath(os.PathLike[str]):
    """A path or URL exactly as given; `pathlib.Path` would collapse the slashes of `https://`."""

    name: str

    def __fspath__(self) -> str:
        """Return the path or URL."""
        return self.name


@dataclass(frozen=True)
class Source:
    """One thing to read.

    Attributes:
        name: Its path, or what messages call it.
        open: Opens it, as a binary file.
        is_rereadable: Whether the core can read it by itself, as often as it likes.
    """

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    is_rereadable: bool = False


def is_parquet(name: str) -> bool:
    """Say whether a name is that of a table in Parquet's format."""
    return name.lower().endswith(".parquet")


def find_sources(paths: Iterable[str]) -> list[Source]:
    """List what the paths name, in their order; folders and globs sorted.

    Raises:
        CorpusError: If there is nothing, or something of an unknown format.
        FileNotFoundError: If a path names nothing.
    """
    sources = [source for path in paths for source in sources_of(path)]
    if not sources:
        raise CorpusError("no files to read; name at least one")
    return sources


def sources_of(path: str) -> Iterator[Source]:
    """Yield what one path names."""
    if "\n" in path or "\0" in path:
        raise CorpusError("a string is a path; to read a text, pass it in a list: [text]")
    if path == "-":
        # Not closed: it is the process's.
        # Unbuffered: a buffered read goes on after Ctrl-C until it has all it was asked for.
        yield Source(STANDARD_INPUT, lambda: nullcontext(unbuffered(sys.stdin.buffer)))
    elif "://" in path:
        yield from url_sources(path)
    elif os.path.isdir(path):
        yield from map(file_source, folder_files(path))
    elif os.path.exists(path) or not glob.has_magic(path):
        os.stat(path)  # The system says best what is wrong with it.
        yield file_source(path)
    else:
        found = [name for name in glob.glob(path, recursive=True) if not os.path.isdir(name)]
        if not found:
            raise CorpusError("no file matches; check the pattern and the folder", file=path)
        yield from map(file_source, sorted(found))


def folder_files(path: str) -> list[str]:
    """List the files of known formats in a folder and in those inside it, hidden ones apart."""
    found = [
        str(file)
        for file in sorted(Path(path).rglob("*"))
        if not any(part.startswith(".") for part in file.relative_to(path).parts)
        and is_known(file.name)
        and file.is_file()
    ]
    if not found:
        raise CorpusError(f"nothing to read in the folder; superword reads {KNOWN}", file=path)
    return found


def is_known(name: str) -> bool:
    """Say whether a file's name says what is in it."""
    return is_parquet(name) or _core.is_known_name(name)


def file_source(path: str) -> Source:
    """The source that is a file, a pipe with a name, or a device."""
    is_file = os.path.isfile(path)
    if is_file and not is_known(path):
        raise CorpusError(
            f"cannot tell from its name what the file holds; superword reads {KNOWN}: rename it, "
            "or pass it on standard input",
            file=path,
        )
    return Source(path, lambda: open(path, "rb"), is_file and not is_parquet(path))


def url_sources(url: str) -> Iterator[Source]:
    """Yield what a URL names, through fsspec."""
    try:
        import fsspec
    except ImportError:
        message = "URLs are read through fsspec; pip install fsspec"
        raise CorpusError(message, file=url) from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as missing:
        raise CorpusError(f"fsspec cannot open it: {missing}", file=url) from None
    except ValueError as refused:
        raise CorpusError(f"fsspec does not know how to open it: {refused}", file=url) from None
    # In a web address, a question mark starts the query.
    is_web = url.lower().startswith(("http://", "https://"))
    if not is_web and glob.has_magic(path):
        found = sorted(system.glob(path))
    elif not is_web and system.isdir(path):
        found = sorted(name for name in system.find(path) if is_known(name))
    else:
        found = [path]
    if not found:
        raise CorpusError(f"nothing to read there; superword reads {KNOWN}", file=url)
    for name in found:
        shown = name.split("?")[0].split("#")[0] if is_web else name
        yield Source(shown, opener(system, name))


def opener(system: Any, name: str) -> Callable[[], AbstractContextManager[IO[bytes]]]:
    """A function that opens a file of one of fsspec's file systems."""
    return lambda: system.open(name, "rb")


def unbuffered(file: BinaryIO) -> BinaryIO:
    """What a buffered file reads from, if there is such a thing."""
    raw: BinaryIO = getattr(file, "raw", file)
    return raw
