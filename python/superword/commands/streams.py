"""Standard output and standard error: closed, full, or not in UTF-8."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from superword.commands.messages import describe_os_error, print_and_exit
from superword.printable import escape_controls

__all__ = ["CommandGroup", "prepare_streams"]

# What a shell reports for a process that nobody reads from: 128 and the number of SIGPIPE.
BROKEN_PIPE_STATUS = 141

# Wrong options and arguments.
UsageError: type[Any] = typer.BadParameter.__bases__[0]


class CommandGroup(TyperGroup):
    """All commands. What cannot be printed ends each of them in a sentence, or silently."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command."""
        prepare_streams()
        return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the options before the command, of which --help and --version print."""
        with failed_output_as_sentences():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Read the options of the command and run it."""
        with failed_output_as_sentences():
            return super().invoke(ctx)


@contextmanager
def failed_output_as_sentences() -> Iterator[None]:
    """Exit with a sentence if standard output fails, and silently if nobody reads it."""
    try:
        try:
            yield
        finally:
            # Later, Python would print a traceback.
            sys.stdout.flush()
    except BrokenPipeError:
        raise typer.Exit(BROKEN_PIPE_STATUS) from None
    except OSError as error:
        raise print_and_exit(describe_os_error(error)) from None
    except UsageError as error:
        error.message = escape_controls(error.message)
        raise


class StandardOutput(io.FileIO):
    """Standard output. The first error names it; what is written after that is dropped."""

    has_failed = False

    def write(self, data: Any, /) -> int:
        """Write some bytes and return their number."""
        if self.has_failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self.has_failed = True
            error.filename = "standard output"
            raise


def prepare_streams() -> None:
    r"""Let characters that an output cannot encode be escaped, and errors name standard output.

    A closed standard output is an error for those who write to it. A closed standard error is not.
    """
    if sys.stdout is None:
        # Nothing can be written to what is open for reading.
        raw = StandardOutput(os.open(os.devnull, os.O_RDONLY), "w", closefd=False)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace")
    elif isinstance(sys.stdout, io.TextIOWrapper):
        name_standard_output(sys.stdout)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="backslashreplace")
    elif isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")


def name_standard_output(stream: io.TextIOWrapper) -> None:
    """Replace standard output by a stream whose errors name it, if it is a file or a pipe."""
    is_unbuffered = isinstance(stream.buffer, io.FileIO)
    if not isinstance(getattr(stream.buffer, "raw", stream.buffer), io.FileIO):
        stream.reconfigure(errors="backslashreplace")
        return
    stream.flush()
    raw = StandardOutput(stream.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        raw if is_unbuffered else io.BufferedWriter(raw),
        stream.encoding,
        "backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=is_unbuffered,
    )
