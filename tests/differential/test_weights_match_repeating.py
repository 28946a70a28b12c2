"""Weighted documents against documents repeated as often: the same model file, to the last byte."""

from __future__ import annotations

import csv
import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import superword
from superword import Tokenizer

PATTERNS = ["boundless", "gpt2", "gpt4o", "(?s).", "ab|.", " ?[a-z]+|.", "(?<=b)a+b?|.b"]
Row = dict[str, Any]
SOURCES = ["code", "novels", "web/a", "web/b"]


def random_rows(random: Random) -> list[Row]:
    """Return documents with their sources and weights."""
    letters = random.choice(["ab", "ab ", "ab '", "abc  ", "a ", "é a"])
    words = ["".join(random.choices("abc", k=random.randint(1, 5))) for _ in range(4)]
    texts = ["".join(random.choices(letters, k=random.randint(0, 40))) for _ in range(6)]
    texts += [" ".join(random.choices(words, k=random.randint(1, 25))) for _ in range(5)]
    chosen = [random.choice(SOURCES) for _ in texts]
    # Every source occurs.
    rows = [
        {"text": text, "source": source}
        for text, source in zip([*texts, *SOURCES], [*chosen, *SOURCES], strict=True)
    ]
    random.shuffle(rows)
    return rows


def random_weights(random: Random) -> dict[str, int]:
    weights = {name: random.choice([0, 1, 2, 3, 9]) for name in ("code", "web/*", "web/b")}
    return {**weights, "*": random.choice([1, 2])}


def find_weight(weights: dict[str, int], source: str) -> int:
    if source in weights:
        return weights[source]
    return weights["web/*"] if source.startswith("web/") else weights["*"]


def repeat(rows: list[Row], weights: dict[str, int]) -> list[str]:
    return [row["text"] for row in rows for _ in range(find_weight(weights, row["source"]))]


def train_bpe(corpus: Any, random: Random, **options: Any) -> Tokenizer:
    return superword.train(
        corpus, 300, supermerges=False, deletion=None, pattern=random.choice(PATTERNS), **options
    )


def train_any(corpus: Any, random: Random, **options: Any) -> Tokenizer:
    return superword.train(
        corpus,
        random.choice([257, 270, 5000]),
        pattern=random.choice(PATTERNS),
        eligible=random.choice([superword.patterns.ELIGIBLE, "(?s).*"]),
        supermerges=random.random() < 0.8,
        deletion=random.choice(["bytes", "pair", None]),
        tau=random.choice([0.3, 0.75, 0.9]),
        min_count=random.choice([1, 2, 3]),
        threads=random.choice([1, 3]),
        **options,
    )


def train_superbpe(corpus: Any, random: Random, **options: Any) -> Tokenizer:
    return superword.train(
        corpus, 290, supermerges=False, deletion=None, transition=262, min_count=1, **options
    )


def extend_any(corpus: Any, random: Random, **options: Any) -> Tokenizer:
    base = superword.train(["to be or not to be, aabb ab"], 262, min_count=1, supermerges=False)
    base = base.with_special_tokens(["<|end|>"])
    return superword.extend(base, corpus, random.choice([0, 3, 20]), min_count=1, **options)


def write_lines(rows: list[Row], folder: Path) -> Any:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_packed_lines(rows: list[Row], folder: Path) -> Any:
    path = folder / "rows.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return [path]


def write_csv(rows: list[Row], folder: Path) -> Any:
    path = folder / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "other"])
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_array(rows: list[Row], folder: Path) -> Any:
    path = folder / "rows.json"
    path.write_text(json.dumps(rows))
    return path


def write_parquet(rows: list[Row], folder: Path) -> Any:
    pa = pytest.importorskip("pyarrow")
    path = folder / "rows.parquet"
    pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(rows), path)
    return path


def write_mixed(rows: list[Row], folder: Path) -> Any:
    half = len(rows) // 2
    return [write_csv(rows[:half], folder), write_lines(rows[half:], folder)]


WRITERS: list[Callable[[list[Row], Path], Any]] = [
    lambda rows, folder: rows,
    lambda rows, folder: iter(rows),
    write_lines,
    write_packed_lines,
    write_csv,
    write_array,
    write_parquet,
    write_mixed,
]
TRAINERS = [train_bpe, train_any, train_any, train_superbpe, extend_any]


def run(act: Callable[[], Tokenizer]) -> bytes | str:
    """Return the file of a model, or why there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return act()._model.to_json()
        except superword.CorpusError as error:
            return str(error)


@pytest.mark.parametrize("trainer", TRAINERS)
@pytest.mark.parametrize("seed", range(12))
def test_weights_by_column_give_the_file_of_repeated_documents(
    tmp_path: Path, seed: int, trainer: Callable[..., Tokenizer]
) -> None:
    random = Random(seed)
    rows, weights = random_rows(random), random_weights(random)
    write = WRITERS[seed % len(WRITERS)]
    corpus = write(rows, tmp_path)
    wanted = run(lambda: trainer(repeat(rows, weights), Random(seed)))
    given = {"weights": weights, "weight_column": "source"}
    assert run(lambda: trainer(corpus, Random(seed), **given)) == wanted
    numbered = [{**row, "n": find_weight(weights, row["source"])} for row in rows]
    corpus = write(numbered, tmp_path)
    assert run(lambda: trainer(corpus, Random(seed), weight_column="n")) == wanted


@pytest.mark.parametrize("trainer", TRAINERS)
@pytest.mark.parametrize("seed", range(4))
def test_weights_by_file_give_the_file_of_repeated_documents(
    tmp_path: Path, seed: int, trainer: Callable[..., Tokenizer]
) -> None:
    random = Random(seed)
    rows, weights = random_rows(random), random_weights(random)
    separator = random.choice([None, "\0"])
    for source in SOURCES:
        folder = tmp_path / source.replace("/", "-")
        folder.mkdir()
        own = [row for row in rows if row["source"] == source and row["text"]]
        random.choice([write_lines, write_packed_lines, write_parquet])(own, folder)
        (folder / f"{source.replace('/', '-')}.txt").write_text(
            ("\0" if separator else "\n").join(row["text"] for row in own)
        )
    by_file = {
        f"*/{name.replace('/', '-')}/*" if name != "*" else "*": weight
        for name, weight in reversed(weights.items())
    }
    repeated: list[str] = []
    for source in SOURCES:
        texts = [row["text"] for row in rows if row["source"] == source and row["text"]]
        lines = texts if separator else ["\n".join(texts)]
        repeated += (texts + lines) * find_weight(weights, source)
    wanted = run(lambda: trainer(repeated, Random(seed)))
    # Longer names come first, for of several that match the first counts.
    by_file["*"] = by_file.pop("*")
    found = run(lambda: trainer(tmp_path, Random(seed), weights=by_file, separator=separator))
    assert found == wanted


@pytest.mark.parametrize("seed", range(8))
def test_counts_with_weights_give_the_file_of_repeated_documents(tmp_path: Path, seed: int) -> None:
    pytest.importorskip("pyarrow")
    random = Random(seed)
    rows, weights = random_rows(random), random_weights(random)
    shards = random.choice([1, 2, 3])
    folder = tmp_path / "corpus"
    folder.mkdir()
    for index in range(shards):
        part = folder / str(index)
        part.mkdir()
        random.choice([write_lines, write_parquet])(rows[index::shards], part)
    given: dict[str, Any] = {"weights": weights, "weight_column": "source"}
    supermerges = random.random() < 0.7
    settings: dict[str, Any] = {"pattern": random.choice(PATTERNS), "supermerges": supermerges}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        documents = repeat(rows, weights)
        wanted = superword.train(documents, 290, min_count=1, **settings)
        for index in range(shards):
            superword.count(folder, tmp_path / "counts", shard=(index, shards), **given, **settings)
        trained = superword.train_on_counts(
            tmp_path / "counts", 290, corpus=folder, min_count=1, **given, **settings
        )
    assert trained._model.to_json() == wanted._model.to_json()


def test_limits_count_each_document_once() -> None:
    rows: list[Row] = [{"text": f"to be {at} times", "n": at % 3} for at in range(9)]
    for limit in ({"max_documents": 5}, {"max_bytes": 13 * 5 + 3}):
        tok = superword.train(iter(rows), 258, weight_column="n", **limit)  # type: ignore[arg-type]
        kept = [row["text"] for row in rows[:5] for _ in range(row["n"])]
        assert tok._model.to_json() == superword.train(kept, 258)._model.to_json()
        assert tok.training.documents == 4


def test_large_documents_are_weighted_in_all_their_pieces(tmp_path: Path) -> None:
    text = "\n".join(superword.sample())
    assert len(text) > 2 << 20
    wanted = superword.train([text] * 3, 400)._model.to_json()
    (tmp_path / "a.txt").write_text(text)
    for corpus in (tmp_path / "a.txt", [{"text": text, "n": 3}], iter([{"text": text, "n": 3}])):
        given: dict[str, Any] = {"weights": "*=3"} if corpus == tmp_path / "a.txt" else {}
        given = given or {"weight_column": "n"}
        assert superword.train(corpus, 400, **given)._model.to_json() == wanted
