"""What docs/limits.md states is what the code does."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import superword
from superword import CorpusError, ModelFormatError, PatternError, Tokenizer, _core, errors
from superword.corpus import parquet, rows
from superword.tokenizer import encoding

PAGE = (Path(__file__).parents[2] / "docs/limits.md").read_text(encoding="utf-8")
SOURCES = Path(__file__).parents[2] / "crates/superword-core/src"


def find_row(first: str) -> str:
    """Return the row of a table by its first cell."""
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| {first}")]
    return row


def read_constant(file: str, name: str) -> int:
    """Return a constant of the core: a number, or a shifted one."""
    source = (SOURCES / file).read_text(encoding="utf-8")
    found = re.search(rf"const {name}: \w+ = ([\d_]+)(?: << (\d+))?;", source)
    assert found, name
    return int(found[1]) << int(found[2] or 0)


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ("pretoken", _core.MAX_PRETOKEN_BYTES),
        ("document of a corpus", _core.MAX_DOCUMENT_BYTES),
        ("window of zstd", 2 ** read_constant("corpus/decompress.rs", "MAX_ZSTD_WINDOW_LOG")),
        ("field of a CSV file", rows.LONGEST_FIELD),
        ("distinct pretokens", 2**40 - 2),
        (
            "recorded documents of training",
            read_constant("platform/memory_budget.rs", "MAX_RECORD_SIZE"),
        ),
        ("`vocab_size`", 2**31 - 1),
        ("id", 2**32 - 1),
        ("regex", _core.BACKTRACK_LIMIT),
        ("threads", _core.MAX_THREADS),
        ("text to `explain`", encoding.MAX_EXPLAINED_BYTES),
    ],
)
def test_the_page_states_the_limits_of_the_code(row: str, value: int) -> None:
    assert f"{value:,}" in find_row(row)


def test_the_page_states_the_shares_of_the_memory_limit() -> None:
    assert f"The least is {_core.MIN_MEMORY_LIMIT:,} bytes" in PAGE
    assert f"may have a {_core.DOCUMENTS_PER_LIMIT}th of the limit" in PAGE
    assert f"and a {_core.ENCODED_DOCUMENTS_PER_LIMIT}nd in `encode_corpus`" in PAGE
    assert f"A row group of a Parquet file may have an {parquet.GROUPS_PER_LIMIT}th" in PAGE
    assert f"a text in it and a field of a CSV file a {rows.FIELDS_PER_LIMIT}th" in PAGE
    assert rows.FIELDS_PER_LIMIT == parquet.TEXTS_PER_LIMIT
    assert f"and a JSON array a {rows.ARRAYS_PER_LIMIT}th" in PAGE
    assert f"up to {_core.BYTES_PER_PRETOKEN_BYTE} bytes for each of its bytes" in PAGE
    measured = Path(__file__).parents[2] / "benchmarks/results/memory_limit.json"
    assert json.loads(measured.read_text(encoding="utf-8"))["largest_share"] <= 1.1


def test_the_page_states_the_bounds_of_the_caches() -> None:
    assert f"{_core.MAX_CACHE_BYTES >> 20} MiB a thread" in PAGE
    longest = read_constant("encode/pretoken/cache.rs", "MAX_CACHED_LEN")
    assert f"more than {longest} bytes are not kept" in PAGE
    assert f"the ids below {_core.KEPT_INTEGERS:,}" in PAGE
    assert f"{read_constant('corpus/spool.rs', 'SPOOL_MEMORY') >> 20} MiB in memory" in PAGE
    assert find_row("sets of special tokens").endswith(f"| {encoding.MAX_FINDERS} |")
    kept = superword.patterns.compile_pattern.cache_info().maxsize
    assert find_row("compiled patterns").endswith(f"| {kept} |")


def test_the_page_lists_every_exception() -> None:
    for name in errors.__all__:
        error = getattr(errors, name)
        if error.__base__ is errors.CountsError:
            continue
        also = [base.__name__ for base in error.__bases__ if base is not errors.SuperwordError]
        assert find_row(f"`{name}`").startswith(f"| `{name}` | `{also[0]}` |"), name


def test_the_table_of_hostile_texts_is_the_measured_one() -> None:
    measured = Path(__file__).parents[2] / "benchmarks/results/hostile_texts.json"
    figures = json.loads(measured.read_text(encoding="utf-8"))
    assert f"[{len(figures['cases'])} kinds of hostile text]" in PAGE
    for text, by_model in figures["cases"].items():
        largest = max(case["ratio"] for case in by_model.values())
        assert re.search(rf"\| {re.escape(text)} \| {largest:.1f} ", PAGE), text
        # Quadratic time would be 8 times.
        assert largest < 4, text


@pytest.fixture(scope="module")
def small() -> Tokenizer:
    return superword.train(["to be or not to be"] * 20, 260)


def test_a_field_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "LONGEST_FIELD", 10)
    path = tmp_path / "texts.csv"
    path.write_text("text\nto be\n" + "a" * 11 + "\n")
    with pytest.raises(CorpusError, match="row 2"):
        superword.train(path, 257)


@pytest.mark.parametrize("size", [255, 2**31, -1])
def test_a_vocabulary_beyond_the_limits_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="vocab_size must be"):
        superword.TrainingConfig(vocab_size=size)
    assert superword.TrainingConfig(vocab_size=2**31 - 1).vocab_size == 2**31 - 1


def test_ids_beyond_the_limit_are_refused(small: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(superword.UnknownTokenError):
        small.decode([2**32 - 1])
    with pytest.raises(superword.UnknownTokenError):
        small.decode([2**32])
    path = tmp_path / "model.json"
    small.save(path)
    path.write_text(path.read_text().replace("[259,", f"[{2**32},"))
    with pytest.raises(ModelFormatError):
        superword.load(path)


@pytest.mark.parametrize(
    "regex", ["(?:a{1000}){1000}", r"(?:\w{100}){300}", "(" * 1000 + ")" * 1000]
)
def test_a_regex_beyond_the_limit_is_refused(regex: str) -> None:
    with pytest.raises(PatternError):
        superword.TrainingConfig(pattern=regex)


def test_a_search_beyond_the_limit_is_refused() -> None:
    slow = superword.train(["cd"] * 2, 257, pattern="(?:(?=a)a|(?=a)a)+$b")
    with pytest.raises(PatternError, match=f"after {_core.BACKTRACK_LIMIT} steps"):
        slow.encode("a" * 60)


def test_a_text_beyond_the_limit_is_not_explained(small: Tokenizer) -> None:
    small.explain("a" * encoding.MAX_EXPLAINED_BYTES)
    with pytest.raises(ValueError, match="limit"):
        small.explain("a" * (encoding.MAX_EXPLAINED_BYTES + 1))


def test_special_tokens_may_be_many_and_long(small: Tokenizer) -> None:
    texts = [f"<|{number}|>" for number in range(10_000)] + ["a" * 100_000]
    made = small.with_special_tokens(texts)
    assert made.encode("<|9999|>" + "a" * 100_000, allowed_special="all") == [
        made.special_tokens["<|9999|>"],
        made.special_tokens["a" * 100_000],
    ]


def test_finders_of_special_tokens_are_bounded(small: Tokenizer) -> None:
    texts = [f"<|{number}|>" for number in range(100)]
    made = small.with_special_tokens(texts)
    for text in texts:
        assert made.encode_stream(allowed_special={text}).feed("to") is not None
    assert len(made._special_finders) <= encoding.MAX_FINDERS


def test_batches_of_tables_are_bounded() -> None:
    class Chunk:
        total_uncompressed_size = 2**20
        encodings = ("RLE_DICTIONARY",)

    assert parquet.choose_batch_rows([Chunk()], None) == parquet.BATCH_ROWS
    assert parquet.choose_batch_rows([Chunk()], 2**28) == 8
    assert parquet.choose_batch_rows([Chunk()], 2**20) == 1
    assert parquet.choose_batch_rows([], sys.maxsize) == parquet.BATCH_ROWS
