"""Files of bits per byte: what is written is read, and what is damaged is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import superword
from superword.errors import ModelFormatError
from superword.evaluation import (
    BitsPerByte,
    Window,
    bits_per_byte,
    load_bits_per_byte,
    save_bits_per_byte,
)


def score_text(rows: list[Any], nats: float = 3.7) -> BitsPerByte:
    """Score rows with a model that gives each token the same bits."""

    def score(windows: list[Window]) -> list[Any]:
        return [np.full(len(ids) - first, -nats) for ids, first in windows]

    tok = superword.train(["to be"], 256, special_tokens=["<|end|>"])
    return bits_per_byte(score, rows, tokenizer=tok, name="naïve \x9b")


@pytest.mark.parametrize(
    "rows", [["to", "", "naïve"], [{"text": "to", "source": "é"}, {"text": "b", "source": "a"}]]
)
def test_a_file_has_all_of_the_result(tmp_path: Path, rows: list[Any]) -> None:
    results = [score_text(rows), score_text(rows, 1 / 3)]
    save_bits_per_byte(results, tmp_path / "bits.json")
    loaded = load_bits_per_byte(tmp_path / "bits.json")
    assert loaded == results
    for one, other in zip(results, loaded, strict=True):
        assert one.as_json() == other.as_json()
        for name in ("document_bytes", "document_tokens", "document_bits", "document_sources"):
            assert np.array_equal(getattr(one, name), getattr(other, name))
    plain = json.loads((tmp_path / "bits.json").read_text())
    assert plain["version"] == superword.__version__
    assert plain["results"][0]["settings"] == {
        "model": None,
        "dtype": None,
        "tokenizer": "superword",
        "end_of_text": 256,
        "context": 2048,
        "stride": 1024,
    }


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a missing value": lambda plain: plain["results"][0].pop("document_bits"),
    "no results": lambda plain: plain.pop("results"),
    "results of another kind": lambda plain: plain.update(results=5),
    "another setting": lambda plain: plain["results"][0]["settings"].update(more=1),
    "a document too few": lambda plain: plain["results"][0]["document_bits"].pop(),
    "a source too few": lambda plain: plain["results"][0].update(document_sources=["a"]),
    "a negative value": lambda plain: plain["results"][0].update(document_bits=[-1, 2]),
    "an infinite value": lambda plain: plain["results"][0].update(document_bits=[float("inf"), 2]),
    "a value of another kind": lambda plain: plain["results"][0].update(document_bits=["a", {}]),
    "a value too large": lambda plain: plain["results"][0].update(document_bytes=[2**70, 2]),
    "rows": lambda plain: plain["results"][0].update(document_bits=[[1, 2], [3, 4]]),
    "no bytes": lambda plain: plain["results"][0].update(document_bytes=[0, 0]),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_file_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bits.json"
    save_bits_per_byte([score_text(["to", "be"])], path)
    plain = json.loads(path.read_text())
    DAMAGES[name](plain)
    path.write_text(json.dumps(plain))
    with pytest.raises(ModelFormatError, match=r"bits\.json: damaged: "):
        load_bits_per_byte(path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "superword"}'])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "bits.json").write_text(content)
    with pytest.raises(ModelFormatError, match=r"bits\.json: "):
        load_bits_per_byte(tmp_path / "bits.json")
