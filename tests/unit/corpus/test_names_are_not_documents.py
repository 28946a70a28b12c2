"""Names of files are not taken for documents, nor a dictionary of splits for a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import CorpusError, Tokenizer
from superword.corpus import open_corpus
from superword.evaluation import Ours, evaluate

DOCUMENTS = ["to be or not to be", "to be"]
Use = Callable[[Any, Path], object]


def tokenizer() -> Tokenizer:
    return superword.train(DOCUMENTS, 258)


USES: dict[str, Use] = {
    "open_corpus": lambda corpus, _: open_corpus(corpus),
    "train": lambda corpus, _: superword.train(corpus, 257),
    "count": lambda corpus, folder: superword.count(corpus, folder / "counts"),
    "extend": lambda corpus, _: superword.extend(tokenizer(), corpus, 0),
    "encode_corpus": lambda corpus, folder: superword.encode_corpus(
        tokenizer(), corpus, folder / "ids.npy"
    ),
    "evaluate": lambda corpus, _: evaluate(Ours(tokenizer()), corpus),
}
use_everywhere = pytest.mark.parametrize("use", USES.values(), ids=USES)


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of two files, as `glob.glob` returns them."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b.jsonl"):
        Path(name).write_text('{"text": "to be or not to be to be"}\n')
    return ["a.jsonl", "b.jsonl"]


@use_everywhere
@pytest.mark.parametrize("kind", [list, tuple, iter, lambda names: (name for name in names)])
def test_names_of_files_are_refused_with_two_ways_out(
    use: Use, kind: Callable[[list[str]], Iterable[str]], names: list[str], tmp_path: Path
) -> None:
    message = r"'a\.jsonl' is the name of a file, .*\[Path\(name\) .*\{'text': 'a\.jsonl'\}"
    with pytest.raises(CorpusError, match=message):
        use(kind(names), tmp_path)


@use_everywhere
def test_both_ways_out_work(use: Use, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    use([Path(name) for name in names], tmp_path / "one")
    (tmp_path / "two").mkdir()
    use([{"text": name} for name in ["a.jsonl"] * 2], tmp_path / "two")


def test_a_name_after_a_document_is_refused_too(names: list[str]) -> None:
    with pytest.raises(CorpusError, match="is the name of a file"):
        open_corpus(["To be or not to be", *names])
    with pytest.raises(CorpusError, match="is the name of a file"):
        open_corpus(names, shard=(1, 2))


def test_paths_of_folders_are_names_too(names: list[str], tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    with pytest.raises(CorpusError, match="is the name of a file"):
        open_corpus([f"books{os.sep}"])
    assert open_corpus(["books"]).documents() == ["books"]


@pytest.mark.parametrize(
    "document", ["c.jsonl", "a.jsonl ", "a.jsonl\n", "", "x" * 100_000, "a\0.jsonl", "/" * 4096]
)
def test_other_strings_are_documents(document: str, names: list[str]) -> None:
    assert open_corpus([document, "b"]).documents() == [document, "b"]


def test_documents_are_read_no_further_than_needed(names: list[str]) -> None:
    taken: list[int] = []

    def documents() -> Iterator[str]:
        for at in range(100):
            taken.append(at)
            yield f"document {at}"

    assert len(open_corpus(documents(), max_documents=2).documents()) == 2
    assert len(taken) <= 3


class DatasetDict(dict[str, Any]):
    """As `datasets.DatasetDict`: a dictionary of splits."""


@use_everywhere
@pytest.mark.parametrize(
    ("names", "best"), [(["test", "train"], "train"), (["validation", "test"], "validation")]
)
def test_a_dictionary_of_splits_is_refused_with_the_one_to_take(
    use: Use, names: list[str], best: str, tmp_path: Path
) -> None:
    splits = DatasetDict({name: [{"text": "to be"}] for name in names})
    with pytest.raises(TypeError, match=rf"a DatasetDict is not .* corpus\['{best}'\]: it has '"):
        use(splits, tmp_path)
