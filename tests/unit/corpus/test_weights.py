"""Errors in weights: what is wrong, where, and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import CorpusError, CorpusOptions, CountsError
from superword.evaluation import evaluate

ROWS = [{"text": "to be or not to be", "source": "code"}, {"text": "to be", "source": "web"}]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"code": -1}, "the weight of 'code' must be an integer from 0 on, not -1"),
        ({"code": 1.5}, "the weight of 'code' must be an integer from 0 on, not 1.5"),
        ({"code": True}, "the weight of 'code' must be an integer from 0 on, not True"),
        ({"code": 2**62}, "the weight of 'code' must be less than 2"),
        ({}, "weights name no source"),
        ("code", "weights must be like 'code=2,\\*=1', not 'code'"),
        ("=2", "weights must be like"),
        ("code=2,code=3", "weights name 'code' twice"),
        ("code=-1", "the weight of 'code' must be an integer from 0 on, not -1"),
        ("code=0.5,*=1", "the weight of 'code' must be an integer from 0 on, not '0.5'"),
    ],
)
def test_wrong_weights_are_rejected(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CorpusOptions(weights=weights)


def test_a_text_is_a_mapping() -> None:
    text, mapping = CorpusOptions(weights="a=b=2, *=1"), CorpusOptions(weights={"a=b": 2, "*": 1})
    assert text == mapping
    with pytest.raises(ValueError, match="must not be the column of the text, 'text'"):
        CorpusOptions(weights="*=1", weight_column="text")


def test_an_unknown_source_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "to be", "source": "code"}\n{"text": "or", "source": "web"}\n')
    given: dict[str, Any] = {"weights": {"code": 2}, "weight_column": "source", "on_error": "skip"}
    message = "column 'source': weights do not name the source \"web\"; add it, or '\\*=1'"
    with pytest.raises(CorpusError, match=f"rows.jsonl, line 2, {message}"):
        superword.train(path, 258, **given)
    with pytest.raises(CorpusError, match='weights do not name the source "web"'):
        superword.train(ROWS, 258, **given)
    with pytest.raises(CorpusError, match="rows.jsonl: weights do not name the file; add it"):
        superword.train(path, 258, weights={"code": 2})


def test_a_source_without_documents_is_named(tmp_path: Path) -> None:
    given: dict[str, Any] = {"weights": {"cdoe": 2, "*": 1}, "weight_column": "source"}
    message = "weights name the source .cdoe., which no document has; correct it"
    with pytest.raises(CorpusError, match=message):
        superword.train(ROWS, 258, **given)
    with pytest.raises(CorpusError, match=message):
        superword.extend(superword.train(ROWS, 256), ROWS, 1, **given)
    pytest.importorskip("pyarrow")
    with pytest.raises(CorpusError, match=message):
        superword.count(ROWS, tmp_path, **given)
    assert superword.train(ROWS, 258, max_documents=1, **given).training.documents == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"text": "a"}], "no such column to weight it by"),
        (["a"], "no such column to weight it by"),
        ([{"text": "a", "n": None}], "instead of a string or an integer"),
        ([{"text": "a", "n": 1.5}], "integer"),
        ([{"text": "a", "n": -1}], 'the weight "-1" is not an integer from 0 on'),
        ([{"text": "a", "n": "x"}], 'the weight "x" is not an integer from 0 on'),
    ],
)
def test_a_row_without_a_weight_is_rejected(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        superword.train(rows, 257, weight_column="n")
    if isinstance(rows[0], dict):
        path = tmp_path / "rows.jsonl"
        path.write_text(json.dumps(rows[0]) + "\n")
        with pytest.raises(CorpusError, match=f"rows.jsonl, line 1, column 'n': .*{message}"):
            superword.train(path, 257, weight_column="n")


def test_rows_without_a_source_may_be_skipped(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "to be"}\n{"text": "to be", "n": 2}\n')
    rows: list[dict[str, Any]] = [{"text": "to be"}, {"text": "to be", "n": 2}]
    for corpus in (path, rows):
        with pytest.warns(UserWarning, match="no such column to weight it by"):
            tok = superword.train(corpus, 257, weight_column="n", on_error="skip")
        assert tok.training.documents == 2


def test_files_and_columns_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("to be")
    with pytest.raises(CorpusError, match="a text file has no column to weight documents by"):
        superword.train(tmp_path, 257, weight_column="n")
    with pytest.raises(CorpusError, match="documents of an iterable have no file"):
        superword.train(ROWS, 257, weights="*=2")


def test_weights_that_are_all_zero_leave_no_text() -> None:
    with pytest.raises(CorpusError, match="holds no text"):
        superword.train(ROWS, 257, weights="*=0", weight_column="source")


def test_overflow_is_rejected(tmp_path: Path) -> None:
    given: dict[str, Any] = {"weights": f"*={2**61}", "weight_column": "source"}
    for rows in (ROWS[:1], [{"text": "", "source": "a"}] * 3):
        with pytest.raises(CorpusError, match="2\\^62 bytes or more, .* divide all weights"):
            superword.train(rows, 257, **given)
    large = superword.train(ROWS, 259, weights=f"*={2**57}", weight_column="source")
    once = superword.train(ROWS, 259)
    counts = [[rule.count or 0 for rule in tok.rules] for tok in (once, large)]
    assert counts[1] == [count * 2**57 for count in counts[0]]
    assert large.training.bytes == once.training.bytes * 2**57


def test_evaluating_and_encoding_refuse_weights(tmp_path: Path) -> None:
    tok = superword.train(ROWS, 257)
    options = CorpusOptions(weights="*=2", weight_column="source")
    with pytest.raises(ValueError, match="weights do not apply to evaluation"):
        evaluate(tok, ROWS, corpus_options=options)
    with pytest.raises(ValueError, match="weights do not apply to encoding"):
        superword.encode_corpus(tok, ROWS, tmp_path / "a.npy", corpus_options=options)


def test_counts_remember_their_weights(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.jsonl").write_text('{"text": "to be or not to be", "n": 2}\n')
    corpus, counts = tmp_path / "a.jsonl", tmp_path / "counts"
    superword.count(corpus, counts, weights="a=2")
    for given, shown in (({}, "no weights"), ({"weight_column": "n"}, "by the column 'n'")):
        with pytest.raises(CountsError, match=f"counted with weights 'a=2', not with .*{shown}"):
            superword.count(corpus, counts, **given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="weights do not apply to existing counts"):
        superword.train_on_counts(counts, 259, weights="a=2")
    with pytest.raises(superword.errors.MissingFragmentsError):
        superword.train_on_counts(counts, 259)
    with pytest.raises(CountsError, match="were counted with weights 'a=2'; count the fragments"):
        superword.count(corpus, counts, cut=counts / "cut.json", weights="a=3")
    superword.count(corpus, counts, cut=counts / "cut.json", weights="a=2")
    trained = superword.train_on_counts(counts, 259)
    assert trained == superword.train(["to be or not to be"] * 2, 259)
    plain = tmp_path / "plain"
    superword.count(corpus, plain)
    assert "weight" not in (plain / "pretokens-0-of-1.json").read_text()
    superword.merge_counts([counts, plain], tmp_path / "merged")
