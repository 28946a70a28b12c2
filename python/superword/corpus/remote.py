"""Files behind URLs, opened through fsspec; needs `superword[remote]`.

The file systems of fsspec raise whatever their network libraries raise. Here it becomes an error
with one sentence: what could not be read, and why.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import IO, Any, cast

from superword.errors import CorpusError, SuperwordError

__all__ = ["find_file_system", "open_remote", "raise_remote_errors"]

INSTALL = "pip install 'superword[remote]'"
# The URLs whose libraries `superword[remote]` installs.
BUNDLED = ("hf://", "http://", "https://")
LONGEST_REASON = 300


def find_file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path within it.

    Raises:
        CorpusError: If fsspec, or the library that it needs for this URL, is missing.
    """
    try:
        import fsspec
    except ImportError:
        raise CorpusError(f"URLs are read through fsspec; {INSTALL}", file=url) from None
    with raise_remote_errors(url):
        try:
            system, path = fsspec.core.url_to_fs(url)
        except ImportError as missing:
            remedy = f"; {INSTALL}" if url.lower().startswith(BUNDLED) else ""
            message = f"fsspec lacks a library for it: {describe(missing)}{remedy}"
            raise CorpusError(message, file=url) from None
        except ValueError as unknown:
            message = f"fsspec cannot open this kind of URL: {describe(unknown)}"
            raise CorpusError(message, file=url) from None
        return system, path


@contextmanager
def open_remote(system: Any, path: str, url: str) -> Iterator[IO[bytes]]:
    """Open a file of a file system; `url` names it in errors."""
    with raise_remote_errors(url):
        opened = system.open(path, "rb")
    with closing(opened):
        yield cast(IO[bytes], RemoteFile(opened, url))


class RemoteFile:
    """A file of fsspec. What its methods raise becomes a sentence."""

    def __init__(self, file: Any, url: str) -> None:
        self._file = file
        self._url = url

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the file; a method is watched."""
        value = getattr(self._file, name)
        return partial(self._watch, value) if callable(value) else value

    def _watch(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with raise_remote_errors(self._url):
            return method(*args, **kwargs)


@contextmanager
def raise_remote_errors(url: str) -> Iterator[None]:
    """Raise the errors of network libraries as `CorpusError`, or `FileNotFoundError`."""
    try:
        yield
    except (SuperwordError, MemoryError):
        raise
    except Exception as error:
        cause: BaseException = error
        while isinstance(cause, FileNotFoundError) and cause.__cause__ is not None:
            # fsspec takes every failure of a web server for a missing file.
            cause = cause.__cause__
        text, kind = describe(cause), type(cause).__name__
        if isinstance(cause, FileNotFoundError):
            # The message is often the path alone.
            is_path = text.partition("?")[0].strip("'\"/") in url
            reason = "not found; check the address" if is_path else f"not found ({text})"
            raise FileNotFoundError(errno.ENOENT, reason, url) from error
        reason = f"{kind}: {text}" if text else kind
        raise CorpusError(f"cannot be read ({reason})", file=url) from error


def describe(error: BaseException) -> str:
    r"""Return the message of an error on one line of limited length.

    Example:
        >>> describe(OSError("503 Server Error\n\n  try later\x1b"))
        '503 Server Error try later?'
    """
    text = " ".join(str(error).split())
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}..."
