"""Outputs that are inputs, which writing would destroy."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from superword.corpus.documents import CorpusLike
from superword.corpus.paths import is_known

__all__ = ["reject_inputs", "split_paths"]


def reject_inputs(
    outputs: Iterable[str | os.PathLike[str]],
    *,
    corpus: Iterable[str | os.PathLike[str]] = (),
    files: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Reject outputs that are files that are read, also under another name; or one another.

    Args:
        outputs: The files or folders to write. They need not exist.
        corpus: Paths of documents: files, folders, globs; URLs are left out.
        files: Other files that are read, and folders with such files.

    Raises:
        ValueError: If an output is an input, or two outputs are one file.
    """
    paths = [Path(output) for output in outputs]
    for number, path in enumerate(paths):
        if os.path.realpath(path) in map(os.path.realpath, paths[:number]):
            raise ValueError(f"{path} is written twice; name another file for one of them")
    # Reading the names of a large corpus takes time.
    if not any(map(os.path.exists, paths)):
        return
    inputs = {identity for each in corpus for identity in identify_corpus(os.fspath(each))}
    inputs |= {identity for each in files for identity in identify_files(os.fspath(each))}
    for path in paths:
        if inputs.intersection(identify(path)):
            kind = "folder" if path.is_dir() else "file"
            raise ValueError(f"{path} is a {kind} that is read; name another one")


def split_paths(corpus: CorpusLike) -> tuple[CorpusLike, list[str]]:
    """Return the paths of a corpus, none if it is documents; and the corpus, still to be read.

    Example:
        >>> split_paths(Path(name) for name in ("a.jsonl", "b"))[1], split_paths(["to be"])[1]
        (['a.jsonl', 'b'], [])
    """
    if isinstance(corpus, (str, os.PathLike)):
        return corpus, [os.fspath(corpus)]
    if isinstance(corpus, Iterator):
        first = list(islice(corpus, 1))
        corpus = chain(first, corpus)
    else:
        first = list(islice(corpus, 1)) if isinstance(corpus, Sequence | Set) else []
    if not first or not isinstance(first[0], os.PathLike):
        return corpus, []
    paths: list[Any] = list(corpus)
    return paths, [os.fspath(path) for path in paths]


def identify(path: str | os.PathLike[str] | int) -> Iterator[tuple[int, int]]:
    """Yield the device and the number of a file or folder, which all its names and links share.

    Devices and pipes have no content that could be lost.
    """
    with suppress(OSError, ValueError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            yield status.st_dev, status.st_ino


def identify_corpus(path: str) -> Iterator[tuple[int, int]]:
    """Yield the identities of the files that a path of a corpus names, and of its folders."""
    if path == "-":
        # A file may be redirected to standard input.
        with suppress(OSError, ValueError, AttributeError):
            yield from identify(sys.stdin.fileno())
    elif os.path.isdir(path):
        for folder, _, names in os.walk(path):
            yield from identify(folder)
            for name in filter(is_known, names):
                yield from identify(os.path.join(folder, name))
    elif os.path.exists(path):
        yield from identify(path)
    elif "://" not in path and "\0" not in path:
        for name in glob.glob(path, recursive=True):
            yield from identify(name)


def identify_files(path: str) -> Iterator[tuple[int, int]]:
    """Yield the identity of a file, or of a folder and the files in it."""
    yield from identify(path)
    with suppress(OSError):
        for entry in os.scandir(path):
            yield from identify(entry.path)
