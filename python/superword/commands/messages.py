"""Errors and warnings of commands, as sentences on standard error."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import typer

from superword.errors import SuperwordError

__all__ = ["errors_as_sentences", "print_and_exit"]


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
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise print_and_exit(f"{name}{error.strerror or error}") from None
    except KeyboardInterrupt:
        raise print_and_exit("interrupted", code=130) from None


def print_warnings(caught: Iterable[warnings.WarningMessage]) -> None:
    """Print each warning once, also if it is given for each of several tokenizers."""
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        typer.echo(f"superword: {message}", err=True)


def print_and_exit(sentence: str, code: int = 1) -> typer.Exit:
    """Print why the command stops, and return the exception that ends it."""
    typer.echo(f"superword: {sentence}", err=True)
    return typer.Exit(code)
