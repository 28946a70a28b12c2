"""`evaluate`, against counting one by one."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import superword
from superword import CorpusError
from superword.evaluation import Measurement, Ours, SourceTotals, evaluate
from superword.evaluation.instability import Instability, Reservoir, measure_instability


@cache
def tok() -> Ours:
    return Ours(superword.train(list(superword.sample())[:30], 1000, pattern="gpt4o"), "ours")


@cache
def documents() -> list[str]:
    return [*list(superword.sample())[30:40], "", "naïve 日本語!"]


def test_numbers_match_counting() -> None:
    measured = evaluate(tok(), documents())
    model = tok().model
    encoded = [model.encode(text) for text in documents()]
    ids = [id for each in encoded for id in each]
    assert measured.tokens == len(ids)
    assert measured.bytes == sum(len(text.encode()) for text in documents())
    assert measured.documents == len(documents())
    assert measured.counts.tolist() == np.bincount(ids, minlength=1000).tolist()
    assert measured.altered == 0
    assert measured.alignment.superword_tokens == sum(map(model.is_superword, ids))
    pretokens = [each for text in documents() for each in superword.pretokenize(text, "gpt4o")]
    assert measured.alignment.pretokens == len(pretokens)
    summary = measured.summary()
    kinds = [summary[f"{kind}_tokens"] for kind in ("byte", "subword", "word", "superword")]
    assert sum(share for share in kinds if isinstance(share, float)) == pytest.approx(1)


def test_the_number_of_threads_and_batches_changes_nothing() -> None:
    whole = evaluate(tok(), documents() * 8, threads=3)
    alone = evaluate(tok(), documents() * 8, threads=1)
    assert whole == alone
    assert whole.counts.tolist() == alone.counts.tolist()


def test_a_corpus_without_text_is_refused() -> None:
    with pytest.raises(CorpusError, match="holds no text"):
        evaluate(tok(), ["", ""])


def test_sources_are_summed_up(tmp_path: Path) -> None:
    rows = [{"text": "to be", "source": "a"}, {"text": "or", "source": "b"}]
    rows += [{"text": "not to be", "source": "a"}]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    measured = evaluate(tok(), path)
    tokens = [len(tok().model.encode(str(row["text"]))) for row in rows]
    expected = {"a": SourceTotals(2, 14, tokens[0] + tokens[2]), "b": SourceTotals(1, 2, tokens[1])}
    assert measured.sources == expected
    assert evaluate(tok(), rows).sources == expected
    assert evaluate(tok(), path, max_documents=2).sources["a"] == SourceTotals(1, 5, tokens[0])
    assert evaluate(tok(), path, source="text").sources["or"].documents == 1
    assert measured.gini == pytest.approx(
        abs(expected["a"].tokens / 14 - tokens[1] / 2)
        / (2 * (expected["a"].tokens / 14 + tokens[1] / 2))
    )


@pytest.mark.parametrize(
    ("rows", "source", "reason"),
    [
        ([{"text": "to be"}], None, None),
        (["to be"], None, None),
        ([{"text": "to be"}], "source", "no such column"),
        (["to be"], "source", "only JSON lines, Parquet files and lists of rows have any"),
        ([{"text": "to", "source": "a"}], "sourec", "no such column"),
        ([{"text": "to", "source": "a"}, {"text": "be"}], None, "no such column"),
        ([{"text": "to", "source": 3}], None, "int"),
    ],
)
def test_sources_that_are_missing_are_said_where_they_were_asked_for(
    tmp_path: Path, rows: list[Any], source: str | None, reason: str | None
) -> None:
    path = tmp_path / ("rows.jsonl" if isinstance(rows[0], dict) else "a.txt")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for corpus in (rows, path):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert evaluate(tok(), corpus, source=source).sources == {}
        messages = [str(warning.message) for warning in caught]
        assert len(messages) == (reason is not None)
        for message, warning in zip(messages, caught, strict=True):
            assert message.startswith("nothing is reported by source: ")
            assert reason is not None
            assert reason in message or "number instead of a string" in message
            assert warning.filename == __file__


def test_sources_are_said_to_be_missing_if_input_was_skipped(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "to be", "source": "a"}\n{"text": 3, "source": "b"}\n')
    with pytest.warns(UserWarning, match="by source: some input was skipped"):
        with pytest.warns(UserWarning, match="skipped input that cannot be read"):
            assert evaluate(tok(), path, on_error="skip").sources == {}


def test_text_files_have_no_sources(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("to be")
    assert evaluate(tok(), tmp_path).sources == {}


def test_a_corpus_with_skipped_rows_has_no_sources(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "to be", "source": "a"}\n{"source": "b"}\n')
    with pytest.warns(UserWarning, match="skipped"):
        assert evaluate(tok(), path, on_error="skip").sources == {}


def test_measurements_are_saved_and_loaded(tmp_path: Path) -> None:
    measured = evaluate(tok(), [{"text": "to be or not to be", "source": "a"}])
    measured.save(tmp_path / "measured.json")
    loaded = Measurement.load(tmp_path / "measured.json")
    assert loaded == measured
    assert loaded.counts.tolist() == measured.counts.tolist()
    assert loaded.summary() == measured.summary()


def test_instability_is_what_encoding_every_prompt_gives() -> None:
    starts = range(0, 600, 60)
    texts = [text[at : at + 60] for text in documents() for at in starts if len(text) > 700]
    model = tok().model
    boundaries = unstable = 0
    for text in texts:
        pretokens = superword.pretokenize(text, "gpt4o")[:17]  # all boundaries are tried
        for at in range(1, len(pretokens)):
            prompt = model.encode("".join(pretokens[:at]))
            boundaries += 1
            unstable += model.encode("".join(pretokens))[: len(prompt)] != prompt
    short = ["".join(superword.pretokenize(text, "gpt4o")[:17]) for text in texts]
    assert unstable > 10
    assert measure_instability(tok(), "gpt4o", short) == Instability(boundaries, unstable)


def test_instability_by_hand() -> None:
    # One token: ` of the`, so the prompt ` of` ends within it.
    assert tok().model.tokens("end of the day") == ["end", " of the", " day"]
    assert measure_instability(tok(), "gpt4o", ["end of the day"]) == Instability(3, 1)


def test_a_reservoir_gives_each_document_the_same_chance() -> None:
    texts = [str(number) for number in range(40)]
    seen = np.zeros(40)
    for seed in range(400):
        reservoir = Reservoir(10, seed)
        reservoir.offer(texts[:15])
        reservoir.offer(texts[15:])
        assert len(set(reservoir.texts)) == 10
        seen[[int(text) for text in reservoir.texts]] += 1
    # 100 each; the standard deviation is 8.7.
    assert 60 < seen.min() and seen.max() < 140
