"""A model depends only on the documents and the configuration: its file always has the same bytes.

It does not depend on threads, the order of documents, or the number and formats of files.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
import zstandard

import superword
from superword.corpus import CorpusLike

VOCAB_SIZE = 2000
SEPARATOR = "\n<|document|>\n"


@pytest.fixture(scope="module")
def documents() -> list[str]:
    """Return some 300 kB of six novels."""
    documents = list(superword.sample())[::10]
    assert 250_000 < sum(len(document.encode()) for document in documents) < 350_000
    return documents


@pytest.fixture(scope="module")
def file(documents: list[str]) -> bytes:
    """Return the model of the documents, trained on one thread."""
    return superword.train(documents, VOCAB_SIZE, threads=1, max_superwords=0.2)._model.to_json()


def trained(corpus: CorpusLike, **options: object) -> bytes:
    return superword.train(corpus, VOCAB_SIZE, max_superwords=0.2, **options)._model.to_json()  # type: ignore[arg-type]


def test_the_model_is_full_and_has_rules_of_every_kind(file: bytes) -> None:
    tok = superword.Tokenizer._from_json(file)
    kinds = [rule.kind for rule in tok.rules]
    assert tok.vocab_size == VOCAB_SIZE
    assert kinds.count("supermerge") > 200
    assert kinds.count("delete") > 10


@pytest.mark.parametrize("threads", [2, 8, None])
def test_threads_change_nothing(documents: list[str], file: bytes, threads: int | None) -> None:
    assert trained(documents, threads=threads) == file


def test_the_order_of_documents_changes_nothing(documents: list[str], file: bytes) -> None:
    for seed in range(3):
        shuffled = Random(seed).sample(documents, len(documents))
        assert trained(shuffled, threads=2) == file, f"seed {seed}"


def test_earlier_training_changes_nothing(documents: list[str], file: bytes) -> None:
    superword.train(documents[:3], 300, pattern="gpt2")
    assert trained(documents) == file


def test_a_memory_limit_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With many threads, each has so little memory that all spill their counts."""
    limited = {"threads": 128, "memory_limit": "256MB"}
    documents = list(superword.sample())
    assert trained(documents, **limited) == trained(documents)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="TMPDIR"):
        trained(documents, **limited)


def test_one_huge_document_may_come_in_pieces(tmp_path: Path) -> None:
    # The novels have an empty line between paragraphs. Text is not split there.
    text = "".join(superword.sample()).replace("\n\n", "\n")
    assert len(re.findall(r"[!-~]\n[A-Za-z]", text)) > 1000
    path = tmp_path / "huge.txt"
    path.write_text(text, encoding="utf-8", newline="")
    in_pieces = superword.train(path, VOCAB_SIZE, threads=2, max_superwords=0.2)
    assert in_pieces.training.documents == 1
    assert trained([text], threads=2) == in_pieces._model.to_json()
    # A custom eligibility may match anything, so text must not be split.
    same = rf"{superword.patterns.ELIGIBLE}|[^\s\S]"
    whole = superword.train(path, VOCAB_SIZE, eligible=same, max_superwords=0.2)
    assert list(whole.rules) == list(in_pieces.rules)


def json_lines(documents: list[str]) -> bytes:
    return "".join(json.dumps({"text": text}) + "\n" for text in documents).encode()


def text_file(documents: list[str]) -> bytes:
    return SEPARATOR.join(documents).encode()


FORMATS: dict[str, Callable[[list[str]], bytes]] = {
    "jsonl": json_lines,
    "jsonl.zst": lambda documents: zstandard.compress(json_lines(documents)),
    "jsonl.gz": lambda documents: gzip.compress(json_lines(documents)),
    "txt": text_file,
    "txt.gz": lambda documents: gzip.compress(text_file(documents)),
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_one_file_or_several_of_any_format_change_nothing(
    documents: list[str], file: bytes, tmp_path: Path, suffix: str
) -> None:
    one = tmp_path / f"one.{suffix}"
    one.write_bytes(FORMATS[suffix](documents))
    assert trained(one, separator=SEPARATOR, threads=2) == file
    several = tmp_path / "several"
    several.mkdir()
    for part in range(3):
        (several / f"{part}.{suffix}").write_bytes(FORMATS[suffix](documents[part::3]))
    assert trained(several, separator=SEPARATOR, threads=3) == file
    assert trained(str(several / "*"), separator=SEPARATOR, threads=1) == file


def test_a_table_changes_nothing(documents: list[str], file: bytes, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "novels.parquet"
    parquet.write_table(pyarrow.table({"body": documents}), path, row_group_size=7)
    assert trained(path, column="body") == file


def test_files_of_several_formats_at_once_change_nothing(
    documents: list[str], file: bytes, tmp_path: Path
) -> None:
    paths = []
    for part, suffix in enumerate(FORMATS):
        paths.append(tmp_path / f"{part}.{suffix}")
        paths[-1].write_bytes(FORMATS[suffix](documents[part :: len(FORMATS)]))
    assert trained(paths, separator=SEPARATOR) == file


def test_an_iterator_that_yields_once_changes_nothing(documents: list[str], file: bytes) -> None:
    def yields() -> Iterator[dict[str, str]]:
        for document in documents:
            yield {"text": document}

    assert trained(yields()) == file


def test_counting_everything_anew_finds_nothing_and_changes_nothing(
    documents: list[str], file: bytes
) -> None:
    assert trained(documents, verify_every=50) == file


@pytest.mark.parametrize("deletion", ["bytes", "pair", None])
@pytest.mark.parametrize("supermerges", [True, False])
def test_truncation_gives_the_file_of_training_at_that_size(
    documents: list[str], tmp_path: Path, supermerges: bool, deletion: str | None
) -> None:
    def train(vocab_size: int) -> superword.Tokenizer:
        return superword.train(
            documents[::3],
            vocab_size,
            supermerges=supermerges,
            deletion=deletion,  # type: ignore[arg-type]
            tau=0.7,
            special_tokens=["<|end|>"],
        )

    largest = train(VOCAB_SIZE)
    for size in (256, 257, 300, 511, 1000, 1999, 2000):
        largest.truncate(size).save(tmp_path / "truncated.json")
        train(size).save(tmp_path / "trained.json")
        truncated = (tmp_path / "truncated.json").read_bytes()
        assert truncated == (tmp_path / "trained.json").read_bytes(), size


def test_a_saved_model_is_loaded_unchanged(file: bytes, tmp_path: Path) -> None:
    tok = superword.Tokenizer._from_json(file)
    tok.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == file
    assert superword.load(tmp_path / "model.json") == tok
