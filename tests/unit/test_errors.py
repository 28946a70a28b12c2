"""Errors say what is wrong, and where."""

from __future__ import annotations

import superword


def test_a_corpus_error_names_file_line_and_column() -> None:
    error = superword.CorpusError("not a string", file="a.jsonl", line=3, column="text")
    assert str(error) == "a.jsonl, line 3, column 'text': not a string"
    assert (error.file, error.line, error.column) == ("a.jsonl", 3, "text")


def test_an_unknown_token_error_reads_as_a_sentence() -> None:
    error = superword.UnknownTokenError("no token has the id 7")
    assert str(error) == "no token has the id 7"
    assert isinstance(error, KeyError)
