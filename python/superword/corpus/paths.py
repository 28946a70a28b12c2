"""The sources that a path names: a file, a folder, a glob, a URL, standard input."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Literal, TypeAlias

from superword import _core
from superword.corpus.remote import find_file_system, open_remote, raise_remote_errors
from superword.errors import CorpusError

__all__ = [
    "STANDARD_INPUT",
    "RawPath",
    "Source",
    "TableFormat",
    "find_sources",
    "find_table_format",
    "names_a_file",
]

STANDARD_INPUT = "standard input"
# Longer texts are not looked up as paths.
LONGEST_PATH = 1024
KNOWN = ".jsonl and .txt files (also as .gz, .zst or .bz2) and .parquet files"
NAMED = f"{KNOWN}; .csv files and .json arrays if they are named"

TableFormat: TypeAlias = Literal["parquet", "csv", "json"]
TABLE_FORMATS: dict[str, TableFormat] = {".parquet": "parquet", ".csv": "csv", ".json": "json"}


@dataclass(frozen=True)
class RawPath(os.PathLike[str]):
    """A path or a URL exactly as typed; a `Path` would drop the second slash of `https://`."""

    name: str

    def __fspath__(self) -> str:
        """Return the path as typed."""
        return self.name


@dataclass(frozen=True)
class Source:
    """One file or stream to read.

    Attributes:
        name: Its path, or its name in messages.
        open: Opens it as a binary file.
        is_rereadable: Whether the core can open it by name, any number of times.
    """

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    is_rereadable: bool = False


def find_table_format(name: str) -> TableFormat | None:
    """Return the format of a file that Python reads, by its name; None for other files.

    Example:
        >>> find_table_format("a.parquet"), find_table_format("b.CSV"), find_table_format("c.txt")
        ('parquet', 'csv', None)
    """
    suffix = os.path.splitext(name.lower())[1]
    return TABLE_FORMATS.get(suffix)


def names_a_file(text: str) -> bool:
    """Return whether a text is the name of a file, or the path of a folder."""
    if len(text) > LONGEST_PATH or "\n" in text or "\0" in text:
        return False
    try:
        return os.path.isfile(text) or (os.sep in text and os.path.isdir(text))
    except (OSError, ValueError):
        return False


def find_sources(paths: Iterable[str]) -> list[Source]:
    """Return the sources that paths name, in their order; folders and globs are sorted.

    Raises:
        CorpusError: If there is none, or one of an unknown format.
        FileNotFoundError: If a path does not exist.
    """
    sources = [source for path in paths for source in expand_path(path)]
    if not sources:
        raise CorpusError("no files to read; name at least one")
    return sources


def expand_path(path: str) -> Iterator[Source]:
    """Yield the sources that one path names."""
    if "\n" in path or "\0" in path:
        raise CorpusError("a string is a path; to read a text, pass it in a list: [text]")
    if path == "-":
        # Not closed: it belongs to the process. Unbuffered: after Ctrl-C, a buffered read would
        # go on until its buffer is full.
        raw = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        yield Source(STANDARD_INPUT, lambda: nullcontext(raw))
    elif "://" in path:
        yield from expand_url(path)
    elif os.path.isdir(path):
        yield from map(file_source, list_folder(path))
    elif os.path.exists(path) or not glob.has_magic(path):
        os.stat(path)  # Raises the system's own error if the path does not exist.
        yield file_source(path)
    else:
        names = [name for name in glob.glob(path, recursive=True) if not os.path.isdir(name)]
        if not names:
            raise CorpusError("no file matches; check the pattern and the folder", file=path)
        yield from map(file_source, sorted(names))


def list_folder(path: str) -> list[str]:
    """Return the files of known formats in a folder and its subfolders, except hidden ones."""
    names = [
        str(file)
        for file in sorted(Path(path).rglob("*"))
        if not any(part.startswith(".") for part in file.relative_to(path).parts)
        and is_known(file.name)
        and file.is_file()
    ]
    if not names:
        raise CorpusError(f"nothing to read in the folder; superword reads {NAMED}", file=path)
    return names


def check_name(path: str) -> None:
    """Reject a file whose name is not UTF-8.

    Raises:
        CorpusError: If it is such a file.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        message = "the name is not UTF-8; rename the file, or pass it on standard input"
        raise CorpusError(message, file=ascii(path)) from None


def is_known(name: str) -> bool:
    """Return whether a file in a folder is read, by its name.

    CSV and JSON files are not: beside a corpus, they often hold something else. A name may have
    bytes that are not UTF-8.
    """
    name = name.encode(errors="replace").decode()
    return find_table_format(name) == "parquet" or _core.is_supported_name(name)


def file_source(path: str) -> Source:
    """Return the source for a file, a named pipe, or a device."""
    check_name(path)
    is_file = os.path.isfile(path)
    is_table = find_table_format(path) is not None
    if is_file and not is_table and not _core.is_supported_name(path):
        raise CorpusError(
            f"the name does not tell the format; superword reads {NAMED}: rename it, "
            "or pass it on standard input",
            file=path,
        )
    return Source(path, lambda: open(path, "rb"), is_file and not is_table)


def expand_url(url: str) -> Iterator[Source]:
    """Yield the sources that a URL names, through fsspec."""
    system, path = find_file_system(url)
    # In a web address, a question mark starts the query and is no wildcard.
    is_web = url.lower().startswith(("http://", "https://"))
    with raise_remote_errors(url):
        if not is_web and glob.has_magic(path):
            names = sorted(system.glob(path))
        elif not is_web and system.isdir(path):
            names = sorted(name for name in system.find(path) if is_known(name))
        else:
            names = [path]
    if not names:
        raise CorpusError(f"nothing to read there; superword reads {NAMED}", file=url)
    for name in names:
        shown = name.split("?")[0].split("#")[0] if is_web else name
        url_of_file = shown if is_web else system.unstrip_protocol(name)
        yield Source(shown, partial(open_remote, system, name, url_of_file))
