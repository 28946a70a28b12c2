"""The sample tokenizers of the playground are those that their script trains."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from superword.playground.server import SITE

SCRIPT = Path(__file__).parents[3] / "scripts" / "playground_samples.py"


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("playground_samples", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_samples_are_what_their_script_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = load_script()
    monkeypatch.setattr(script, "SITE", tmp_path)
    script.main()
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert written == {path: (SITE / path).read_bytes() for path in written}
    listing = json.loads((SITE / "models.json").read_text())
    assert [SITE / model["url"] for model in listing["models"]] == sorted(
        (SITE / "samples").iterdir(), key=lambda path: path.stem != "bpe"
    )
