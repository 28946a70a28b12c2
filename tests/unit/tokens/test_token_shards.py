"""Token files for Megatron, `datasets` and datatrove; shards of a corpus, and appending."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import datasets
import fsspec
import numpy as np
import pytest
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor

import superword
from superword import CorpusError, Tokenizer, encode_corpus
from superword.datatrove import SuperwordEncoder
from superword.tokenizer import TrainingConfig

DOCUMENTS = ["", "to be or not to be", "", "café <|end|>", "or not\r\n", ""]
MORE = ["to be", "", "or not"]
FORMATS = ["npy", "bin", "parquet", "idx"]


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return superword.train(["to be or not to be", "to be"], 259, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def large(tok: Tokenizer) -> Tokenizer:
    special = [f"<{number}>" for number in range(2**16)]
    return Tokenizer._from_rules(list(tok.rules), TrainingConfig(vocab_size=259), special)


def read_megatron(path: Path) -> list[list[int]]:
    """Read an index and its tokens, as `megatron.core.datasets.indexed_dataset` describes them."""
    data = path.read_bytes()
    assert data[:9] == b"MMIDIDX\x00\x00"
    (version,) = struct.unpack_from("<Q", data, 9)
    (code,) = struct.unpack_from("<B", data, 17)
    (sequences,) = struct.unpack_from("<Q", data, 18)
    (bounds,) = struct.unpack_from("<Q", data, 26)
    assert version == 1
    dtype: np.dtype[Any] = np.dtype({4: "<i4", 8: "<u2"}[code])
    at = 34
    lengths = np.frombuffer(data, "<i4", sequences, at)
    at += lengths.nbytes
    pointers = np.frombuffer(data, "<i8", sequences, at)
    at += pointers.nbytes
    documents = np.frombuffer(data, "<i8", bounds, at)
    assert at + documents.nbytes == len(data)
    assert documents.tolist() == list(range(sequences + 1))
    tokens = path.with_suffix(".bin").read_bytes()
    assert sum(lengths) * dtype.itemsize == len(tokens)
    return [
        np.frombuffer(tokens, dtype, length, pointer).tolist()
        for length, pointer in zip(lengths.tolist(), pointers.tolist(), strict=True)
    ]


def read(path: Path) -> list[list[int]]:
    """Return the documents of a file of any format."""
    if path.suffix == ".idx":
        return read_megatron(path)
    if path.suffix == ".parquet":
        data = datasets.Dataset.from_parquet(str(path), cache_dir=str(path.parent / "cache"))
        return list(data["ids"])
    if path.suffix == ".npy":
        ids = np.load(path)
    else:
        ids = np.fromfile(path, json.loads(Path(f"{path}.json").read_text())["dtype"])
    offsets = np.load(path.with_suffix(".offsets.npy")).tolist()
    return [ids[a:b].tolist() for a, b in zip(offsets, offsets[1:], strict=False)]


def test_megatron_reads_an_index_and_tokens(tok: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokens.idx"
    encode_corpus(tok, DOCUMENTS, path)
    assert read_megatron(path) == [tok.encode_ordinary(text) for text in DOCUMENTS]
    about = json.loads((tmp_path / "tokens.bin.json").read_text())
    assert about["fingerprint"] == tok.fingerprint
    assert (about["dtype"], about["documents"]) == ("uint16", 6)
    encode_corpus(tok, DOCUMENTS, path, end_of_text="<|end|>")
    assert read_megatron(path) == [[*tok.encode_ordinary(text), 259] for text in DOCUMENTS]


def test_megatron_has_int32_for_many_ids(large: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokens.idx"
    encode_corpus(large, DOCUMENTS, path, end_of_text="<65535>")
    assert read_megatron(path)[0] == [259 + 65_535]
    assert (tmp_path / "tokens.bin").stat().st_size % 4 == 0


def test_many_documents_in_an_index(
    tok: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("superword.tokens.writers.CHUNK", 7)
    documents = [word for text in superword.sample() for word in text[:400].split()][:1000]
    encode_corpus(tok, documents, tmp_path / "tokens.idx")
    assert read_megatron(tmp_path / "tokens.idx") == [tok.encode(text) for text in documents]


def test_an_empty_index(tok: Tokenizer, tmp_path: Path) -> None:
    encode_corpus(tok, [], tmp_path / "tokens.idx")
    assert read_megatron(tmp_path / "tokens.idx") == []


def test_data_sets_open_tables(tok: Tokenizer, tmp_path: Path) -> None:
    encode_corpus(tok, DOCUMENTS, tmp_path / "tokens.parquet")
    data = datasets.Dataset.from_parquet(
        str(tmp_path / "tokens.parquet"), cache_dir=str(tmp_path / "cache")
    )
    assert data.features["ids"] == datasets.List(datasets.Value("int32"))
    assert data["ids"][1] == tok.encode(DOCUMENTS[1])


@pytest.mark.parametrize("format", FORMATS)
def test_documents_are_appended(tok: Tokenizer, tmp_path: Path, format: str) -> None:
    path = tmp_path / f"tokens.{format}"
    for documents in (DOCUMENTS, MORE, DOCUMENTS):
        encode_corpus(tok, documents, path, append=True)
    expected = [tok.encode_ordinary(text) for text in [*DOCUMENTS, *MORE, *DOCUMENTS]]
    assert read(path) == expected
    whole = tmp_path / f"whole.{format}"
    encode_corpus(tok, [*DOCUMENTS, *MORE, *DOCUMENTS], whole)
    if format != "parquet":
        assert whole.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("format", FORMATS)
def test_appending_with_another_model_is_refused(
    tok: Tokenizer, tmp_path: Path, format: str
) -> None:
    path = tmp_path / f"tokens.{format}"
    encode_corpus(tok, DOCUMENTS, path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    another = tok.truncate(258)
    with pytest.raises(ValueError, match=f"was written with the model {tok.fingerprint[:12]}"):
        encode_corpus(another, MORE, path, append=True)
    with pytest.raises(ValueError, match="has the end of text None, not 259"):
        encode_corpus(tok, MORE, path, append=True, end_of_text="<|end|>")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("format", ["npy", "bin", "idx"])
def test_appending_to_a_file_without_description_is_rejected(
    tok: Tokenizer, tmp_path: Path, format: str
) -> None:
    path = tmp_path / f"tokens.{format}"
    encode_corpus(tok, DOCUMENTS, path)
    for file in tmp_path.glob("*.json"):
        file.unlink()
    with pytest.raises(ValueError, match="an unknown model"):
        encode_corpus(tok, MORE, path, append=True)


def test_shards_are_every_nth_file(tok: Tokenizer, tmp_path: Path) -> None:
    for number in range(5):
        lines = [json.dumps({"text": f"{number} {line}"}) + "\n" for line in range(number)]
        (tmp_path / f"{number}.jsonl").write_text("".join(lines))
    shards = []
    for number in range(2):
        path = tmp_path / f"tokens-{number}.npy"
        encode_corpus(tok, tmp_path / "*.jsonl", path, shard=(number, 2))
        shards.append([tok.decode(ids) for ids in read(path)])
    assert [text[0] for text in shards[0]] == ["2"] * 2 + ["4"] * 4
    assert [text[0] for text in shards[1]] == ["1"] + ["3"] * 3
    with pytest.raises(CorpusError, match="6 shards need at least as many files, and there are 5"):
        encode_corpus(tok, tmp_path / "*.jsonl", tmp_path / "x.npy", shard=(0, 6))
    with pytest.raises(ValueError, match="shard 2 of 2 does not exist; the first is 0"):
        encode_corpus(tok, tmp_path / "*.jsonl", tmp_path / "x.npy", shard=(2, 2))


def test_shards_of_documents(tok: Tokenizer, tmp_path: Path) -> None:
    encode_corpus(tok, (str(n) for n in range(10)), tmp_path / "tokens.npy", shard=(1, 3))
    assert [tok.decode(ids) for ids in read(tmp_path / "tokens.npy")] == ["1", "4", "7"]


def test_a_step_of_datatrove(tok: Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "model.json")
    step = SuperwordEncoder(tmp_path / "model.json", tmp_path / "tokens", format=".idx")
    documents = [Document(text=text, id=str(n)) for n, text in enumerate(DOCUMENTS)]
    assert list(step.run(documents, rank=3)) == []
    expected = [tok.encode_ordinary(text) for text in DOCUMENTS]
    assert read_megatron(tmp_path / "tokens/00003.idx") == expected
    stats = step.stats.to_dict()["stats"]
    assert stats["tokens"]["total"] == sum(map(len, expected))


@pytest.mark.parametrize("format", FORMATS)
def test_a_step_of_datatrove_writes_to_a_url(
    tok: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.chdir(tmp_path)
    tok.save("model.json")
    documents = [Document(text=text, id=str(n)) for n, text in enumerate(DOCUMENTS)]
    url = f"memory://bucket/{format}"
    folders: list[Any] = ["local", url, (url, {})]
    for folder in folders:
        list(SuperwordEncoder("model.json", folder, format=f".{format}").run(documents, rank=3))
    written = {file.name: file.read_bytes() for file in Path("local").iterdir()}
    memory = fsspec.filesystem("memory")
    names = memory.find(f"/bucket/{format}")
    assert {Path(name).name: memory.cat_file(name) for name in names} == written
    with pytest.raises(ValueError, match="local folders only"):
        SuperwordEncoder("model.json", Path(url))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["local", "model.json"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_pipeline_of_datatrove(tok: Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "model.json")
    documents = [Document(text=text, id=text) for text in ("to be", "or not")]
    pipeline: list[Any] = [
        documents,
        SuperwordEncoder(tmp_path / "model.json", tmp_path / "tokens", end_of_text="<|end|>"),
    ]
    LocalPipelineExecutor(pipeline, tasks=1, logging_dir=str(tmp_path / "logs")).run()
    ids = np.fromfile(tmp_path / "tokens/00000.bin", "<u2")
    assert tok.decode(ids) == "to be<|end|>or not<|end|>"
