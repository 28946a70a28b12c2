"""What a command says when it cannot do its job."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from superword.errors import SuperwordError

__all__ = ["errors_as_sentences"]


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Say on standard error what goes wrong, or what is warned of, in a sentence each."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    except (SuperwordError, ValueError, MemoryError) as refused:
        raise stopped(str(refused)) from None
    except OSError as refused:
        place = f"{refused.filename}: " if refused.filename else ""
        raise stopped(f"{place}{refused.strerror or refused}") from None
    except KeyboardInterrupt:
        raise stopped("interrupted", code=130) from None
    for warning in caught:
        typer.echo(f"superword: {warning.message}", err=True)


def stopped(sentence: str, code: int = 1) -> typer.Exit:
    """Say why the command stops."""
    typer.echo(f"superword: {sentence}", err=True)
    return typer.Exit(code)
