"""Errors and warnings of commands, as sentences."""

from __future__ import annotations

import warnings

import pytest
import typer

from superword.commands.messages import errors_as_sentences
from superword.errors import CorpusError


@pytest.mark.parametrize(
    ("error", "sentence", "code"),
    [
        (CorpusError("no text"), "superword: no text\n", 1),
        (ValueError("no sense"), "superword: no sense\n", 1),
        (FileNotFoundError(2, "no such file", "a.txt"), "superword: a.txt: no such file\n", 1),
        (KeyboardInterrupt(), "superword: interrupted\n", 130),
    ],
)
def test_warnings_before_an_error_are_printed_first(
    error: BaseException, sentence: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended, errors_as_sentences():
        warnings.warn("3 lines were skipped", stacklevel=1)
        warnings.warn("3 lines were skipped", stacklevel=1)
        raise error
    assert ended.value.exit_code == code
    assert capsys.readouterr().err == f"superword: 3 lines were skipped\n{sentence}"


def test_warnings_before_an_error_that_is_a_bug_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ZeroDivisionError), errors_as_sentences():
        warnings.warn("3 lines were skipped", stacklevel=1)
        raise ZeroDivisionError
    assert capsys.readouterr().err == "superword: 3 lines were skipped\n"


def test_warnings_alone_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with errors_as_sentences():
        warnings.warn("first", stacklevel=1)
        warnings.warn("second", stacklevel=1)
    assert capsys.readouterr().err == "superword: first\nsuperword: second\n"
