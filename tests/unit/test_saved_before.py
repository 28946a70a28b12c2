"""What an older version saved still opens, and means the same: tests/data/before/README.md."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import superword
from superword.evaluation import load_bits_per_byte

BEFORE = Path(__file__).parents[1] / "data" / "before"
IDS: dict[str, list[int]] = json.loads((BEFORE / "ids.json").read_text(encoding="utf-8"))


def test_a_pickled_tokenizer() -> None:
    tok = pickle.loads((BEFORE / "tokenizer.pickle").read_bytes())
    assert isinstance(tok, superword.Tokenizer)
    assert {text: tok.encode(text, allowed_special="all") for text in IDS} == IDS
    assert tok == superword.load(BEFORE / "transformers" / "superword.json")
    assert pickle.loads(pickle.dumps(tok)) == tok


def test_a_pickled_tiktoken_adapter() -> None:
    adapter = pickle.loads((BEFORE / "tiktoken.pickle").read_bytes())
    assert {text: adapter.encode(text, allowed_special="all") for text in IDS} == IDS
    assert pickle.loads(pickle.dumps(adapter)) == adapter


@pytest.mark.parametrize("trust_remote_code", [True, False])
def test_a_folder_of_transformers(trust_remote_code: bool) -> None:
    transformers = pytest.importorskip("transformers")
    import superword.transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(
        BEFORE / "transformers", trust_remote_code=trust_remote_code
    )
    assert {text: tokenizer(text)["input_ids"] for text in IDS} == IDS
    assert isinstance(tokenizer.core, superword.Tokenizer)
    assert type(tokenizer) is superword.transformers.SuperwordTokenizer


FILES = BEFORE / "0.1.0"
MODELS = sorted((FILES / "models").iterdir())
LINES = (FILES / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
DOCUMENTS = [json.loads(line)["text"] for line in LINES]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_model_file(path: Path, tmp_path: Path) -> None:
    expected = json.loads((FILES / "expected.json").read_bytes())[path.stem]
    tok = superword.load(path)
    ids = {text: tok.encode(text, allowed_special="all") for text in expected["ids"]}
    assert ids == expected["ids"]
    assert tok.fingerprint == expected["fingerprint"]
    tok.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_there_is_a_model_file_with_each_feature() -> None:
    files: list[dict[str, Any]] = [json.loads(path.read_bytes()) for path in MODELS]
    assert {file["version"] for file in files} == {1, 2}
    features = {name for file in files for name in file.get("requires", [])}
    assert features == {"added_tokens", "lookup_tokens", "pruned", "script_runs"}
    assert any("limits" in file for file in files)
    assert any("transition" in file["parameters"] for file in files)
    kinds = {rule[0] for file in files for rule in file["rules"]}
    assert kinds == {"merge", "supermerge", "delete"}


@pytest.mark.parametrize("name", ["tokens.npy", "ended.bin", "megatron.idx"])
def test_a_token_file_takes_more_documents(name: str, tmp_path: Path) -> None:
    tok = superword.load(FILES / "models/boundlessbpe.json")
    folder = shutil.copytree(FILES / "tokens", tmp_path / "tokens")
    end = "<|end|>" if name == "ended.bin" else None
    more = ["one of the stories"]
    superword.encode_corpus(tok, more, folder / name, append=True, end_of_text=end)
    superword.encode_corpus(tok, DOCUMENTS + more, tmp_path / name, end_of_text=end)
    for path in tmp_path.glob(f"{Path(name).stem}.*"):
        assert (folder / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_token_file_of_rows() -> None:
    table = pytest.importorskip("pyarrow.parquet").read_table(FILES / "tokens/rows.parquet")
    tok = superword.load(FILES / "models/boundlessbpe.json")
    assert [tok.decode(ids) for ids in table["ids"].to_pylist()] == DOCUMENTS
    assert table.schema.metadata[b"superword.fingerprint"] == tok.fingerprint.encode()


def test_a_folder_of_counts(tmp_path: Path) -> None:
    shutil.unpack_archive(FILES / "counts.zip", tmp_path / "counts")
    superword.train_on_counts(tmp_path / "counts", 264, min_count=1).save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == (FILES / "from_counts.json").read_bytes()


def test_a_result_in_bits_per_byte() -> None:
    [result] = load_bits_per_byte(FILES / "bits.json")
    assert result.document_bytes.tolist() == [len(text.encode()) for text in DOCUMENTS]
    assert np.allclose(result.document_bits, result.document_tokens * 2 / np.log(2))
