"""engine.js, run by Node, gives the answers of the native core."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import Tokenizer
from superword.patterns import pretokenize

pytest_plugins = ["wasm_engine"]
pytestmark = pytest.mark.filterwarnings("ignore:the corpus has pairs")

KINDS = ["BPE", "BoundlessBPE", "SuperBPE", "pruned"]
TEXT = "All of the naïve 東京 cafés, of the world </script>"


@pytest.mark.parametrize("kind", KINDS)
def test_every_function(
    kind: str, train_kind: Callable[[str], Tokenizer], site: Path, tmp_path: Path
) -> None:
    tok = train_kind(kind)
    answers = call_engine(site, tok, tmp_path / "model.json")
    ids, offsets = tok.encode_with_offsets(TEXT)
    steps = tok.explain(TEXT)
    assert answers["summary"]["name"] == "model.json"
    assert answers["summary"]["fingerprint"] == tok.fingerprint
    assert answers["ids"] == ids
    assert answers["ends"] == [end for _, end in offsets.bytes]
    assert answers["pretokens"] == find_ends(TEXT, tok.parameters.pattern)
    assert bytes(answers["decoded"]) == TEXT.encode()
    assert bytes(answers["token"]["bytes"]) == tok.token_bytes(ids[0])
    assert bytes(answers["derivation"]) == tok.token_bytes(ids[0])
    assert answers["steps"]["count"] == len(steps) - 1
    assert answers["steps"]["rules"] == [s.rule.index if s.rule else -1 for s in steps[1:]]
    assert answers["first_step"]["ends"] == list(range(1, len(TEXT.encode()) + 1))
    assert answers["last_step"]["ends"] == answers["ends"]
    assert answers["other_text"]["ends"] == answers["other_text_again"]["ends"] == [1, 2]
    assert answers["other_model"] == len(TEXT.encode())
    prompt = tok.encode_stream().feed(TEXT)
    assert answers["stable"]["ids"][: answers["stable"]["stable_count"]] == prompt
    assert answers["stable"]["ids"] == ids
    for superword_ in answers["inspection"]["top_superwords"]:
        assert tok.token_id(bytes(superword_["token"])) == superword_["id"]
    assert base64.b64decode(answers["saved"]) == tok._model.to_json()
    trained = superword.train([TEXT, TEXT], 300, min_count=1)
    assert base64.b64decode(answers["trained"]) == trained._model.to_json()
    assert answers["stages"] == ["count", "merges", "fragments", "supermerges"]
    assert answers["still_works"] == len(trained.encode(TEXT))
    assert answers["failures"] == {
        "stopped": "interrupted",
        "thrown": "the page is gone",
        "nested": "the engine is training; report must not call it",
        "file": "a.json: it is neither a superword model, a tokenizer.json nor a tiktoken file",
        "id": answers["failures"]["id"],
        "memory": "the engine failed and must be opened again: out of memory (unreachable)",
        "lost": "the engine was lost; open it again",
        "freed": "no model has the handle 1",
    }
    assert answers["failures"]["id"].startswith("no token has the id 4000000")


def find_ends(text: str, pattern: str) -> list[int]:
    """Return the end of each pretoken in bytes."""
    ends = [0]
    for pretoken in pretokenize(text, pattern):
        ends.append(ends[-1] + len(pretoken.encode()))
    return ends[1:]


def call_engine(site: Path, tok: Tokenizer, path: Path) -> dict[str, Any]:
    """Return what `call_engine.mjs` prints."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    tok.save(path)
    script = Path(__file__).with_name("call_engine.mjs")
    command = [node, str(script), str(site), str(path), TEXT]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers
