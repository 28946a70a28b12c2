"""Errors say what is wrong, and where."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import superword


def test_a_corpus_error_names_file_line_and_column() -> None:
    error = superword.CorpusError("not a string", file="a.jsonl", line=3, column="text")
    assert str(error) == "a.jsonl, line 3, column 'text': not a string"
    assert (error.file, error.line, error.column) == ("a.jsonl", 3, "text")


def test_an_unknown_token_error_reads_as_a_sentence() -> None:
    error = superword.UnknownTokenError("no token has the id 7")
    assert str(error) == "no token has the id 7"
    assert isinstance(error, KeyError)


def test_missing_fragments_name_the_cut(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    superword.count(["to be or not to be", "to be"], tmp_path)
    with pytest.raises(superword.MissingFragmentsError, match="are not counted yet") as caught:
        superword.train_on_counts(tmp_path, 259)
    assert caught.value.cut == tmp_path / "cut.json"
    assert caught.value.cut.exists()
    assert isinstance(caught.value, superword.CountsError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.cut) == (str(caught.value), caught.value.cut)
