"""What commands print: sentences on standard error, texts on standard output.

Control characters of tokens, names and messages are escaped.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import typer

from superword.errors import SuperwordError
from superword.printable import escape_controls

__all__ = [
    "describe_os_error",
    "errors_as_sentences",
    "print_and_exit",
    "print_message",
    "print_text",
]


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Print warnings and errors to standard error, one sentence each, and exit on errors."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield
            finally:
                print_warnings(caught)
    except (SuperwordError, ValueError, MemoryError) as error:
        raise print_and_exit(str(error)) from None
    except RecursionError:
        raise print_and_exit("a file or an argument is nested too deeply") from None
    except BrokenPipeError:
        raise  # Nobody reads what is printed: the command line ends silently.
    except OSError as error:
        raise print_and_exit(describe_os_error(error)) from None
    except KeyboardInterrupt:
        raise print_and_exit("interrupted", code=130) from None


def describe_os_error(error: OSError) -> str:
    """Return an error of the system as a sentence.

    Example:
        >>> describe_os_error(FileNotFoundError(2, "No such file or directory", "model.json"))
        'model.json: No such file or directory'
    """
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}"


def print_warnings(caught: Iterable[warnings.WarningMessage]) -> None:
    """Print each warning once, also if it is given for each of several tokenizers."""
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        print_message(f"superword: {message}")


def print_and_exit(sentence: str, code: int = 1) -> typer.Exit:
    """Print why the command stops, and return the exception that ends it."""
    print_message(f"superword: {sentence}")
    return typer.Exit(code)


def print_message(message: str) -> None:
    """Print a message to standard error."""
    sys.stderr.write(f"{escape_controls(message)}\n")
    sys.stderr.flush()


def print_text(text: str) -> None:
    """Print a text to standard output."""
    sys.stdout.write(escape_controls(text))
    sys.stdout.flush()
