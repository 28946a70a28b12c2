"""A model is the same from input that can be read only once as from files, whatever its kind."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import superword
from superword import Tokenizer

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.filterwarnings("ignore:the corpus has pairs")

Keeping = Callable[[int], AbstractContextManager[None]]
PATTERNS = ["boundless", "gpt2", "gpt4", "gpt4o", "punct", r"\p{L}+|\p{N}{1,2}|[^\p{L}\p{N}]+"]
KINDS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "PickyBPE": {"supermerges": False, "tau": 0.6},
    "BoundlessBPE": {"tau": 0.6},
    "BoundlessBPE, deletion by pair": {"deletion": "pair"},
    "SuperBPE": {"transition": 290, "supermerges": False, "deletion": None},
    "portable": {"profile": "portable", "transition": 290},
    "extended by merges": {"kind": "merges"},
    "extended by superwords": {"kind": "superwords"},
    "extended by both": {"kind": "both"},
}
WORDS = [" to", " be", "or", " not", "\n\n", "\n ", " 11", "é", "'s", ".", "語", "<|end|>", "  "]


def make_documents(draw: Random) -> list[str]:
    """Return a few megabytes of documents. Some of them are empty, and some are large."""
    sizes = [0, 3, *draw.choices([10, 1000, 50_000, 400_000], [10, 10, 3, 1], k=12)]
    documents = ["".join(draw.choices(WORDS, k=size)) for size in sizes]
    documents.append("".join(draw.choices(WORDS, k=1000)) * draw.choice([1, 1000]))
    draw.shuffle(documents)
    return documents


def train(corpus: Any, kind: str, pattern: str, **options: Any) -> bytes:
    """Return the file of a model of this kind."""
    if not kind.startswith("extended"):
        if kind != "portable":
            options["pattern"] = pattern
        tok = superword.train(corpus, 330, **KINDS[kind], **options)
    else:
        tok = superword.extend(make_base(pattern), corpus, 40, **KINDS[kind], **options)
    return tok._model.to_json()


def make_base(pattern: str) -> Tokenizer:
    return superword.train(
        ["".join(Random(1).choices(WORDS, k=400))],
        290,
        pattern=pattern,
        supermerges=False,
        deletion=None,
        special_tokens=["<|end|>"],
    )


def open_all(rows: list[dict[str, Any]], folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield the same rows as every kind of input."""
    yield "iterator", iter(rows)
    yield "generator", (row for row in rows)
    table = folder / "rows.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), table, row_group_size=5)
    yield "table", table
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    yield "standard input", lines
    (folder / "half.jsonl").write_bytes(lines[: lines.index(b"\n") + 1])
    rest = folder / "rest.csv"
    with rest.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["text", "of"])
        writer.writeheader()
        writer.writerows(rows[1:])
    yield "table after a file", [folder / "half.jsonl", rest]


# Shrinking would take long.
@settings(max_examples=8, phases=[Phase.generate])
@given(
    st.integers(0, 2**32),
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(PATTERNS),
    st.sampled_from([0, 1_500_000, 2**26]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([None, "256MB"]),
    st.booleans(),
)
def test_input_that_can_be_read_only_once_gives_the_model_of_a_file(
    keeping: Keeping,
    seed: int,
    kind: str,
    pattern: str,
    memory: int,
    threads: int,
    memory_limit: str | None,
    is_weighted: bool,
) -> None:
    draw = Random(seed)
    rows = [{"text": text, "of": draw.choice("abc")} for text in make_documents(draw)]
    rows += [{"text": "to be", "of": each} for each in "abc"]
    options: dict[str, Any] = {"threads": threads, "memory_limit": memory_limit}
    if is_weighted:
        options |= {"weights": {"a": 3, "b": 0, "c": 1}, "weight_column": "of"}
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        path = Path(name, "rows.jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        expected = train(path, kind, pattern, **options)
        assert train(rows, kind, pattern, **options) == expected, "list"
        for each, corpus in open_all(rows, Path(name)):
            if isinstance(corpus, bytes):
                patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(corpus)))
                corpus = "-"
            with keeping(memory):
                assert train(corpus, kind, pattern, **options) == expected, each
