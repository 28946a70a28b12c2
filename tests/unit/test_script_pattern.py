"""The pattern `gpt4o-scripts` in files, exports and tools, for every kind of model."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import ModelFormatError, PatternError, Tokenizer, TrainingConfig
from superword.evaluation import Ours, evaluate
from superword.patterns import (
    ELIGIBLE,
    SCRIPT_ELIGIBLE,
    SCRIPT_PATTERN,
    close_gaps,
    find_pattern_name,
)
from superword.tokenizer.inspection import inspect

pytestmark = pytest.mark.filterwarnings("ignore:the corpus has pairs")

PLAIN: dict[str, Any] = {"supermerges": False, "deletion": None}
KINDS: dict[str, dict[str, Any]] = {
    "BPE": PLAIN,
    "PickyBPE": {"supermerges": False, "tau": 0.6},
    "BoundlessBPE": {},
    "SuperBPE": {**PLAIN, "transition": 280},
    "SuperBPE by script": {**PLAIN, "transition": 280, "second_pattern": SCRIPT_PATTERN},
    "extended": PLAIN,
}
TEXT = (
    "Made in \u6771\u4eac 1\u0301, \u0e20\u0e32\u0e29\u0e32 and "
    "\u30b3\u30fc\u30d2\u30fc's \u0434\u0430"
)
DOCUMENTS = [TEXT, TEXT[8:] + " made", TEXT[:20] * 2]


@pytest.fixture(params=KINDS)
def tok(request: pytest.FixtureRequest) -> Tokenizer:
    pattern = "gpt4o" if request.param == "SuperBPE by script" else SCRIPT_PATTERN
    made = superword.train(DOCUMENTS, 290, pattern=pattern, **KINDS[request.param])
    return superword.extend(made, DOCUMENTS, 5) if request.param == "extended" else made


def test_a_saved_model_says_what_it_requires_and_is_the_same(
    tok: Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "model.json"
    tok.save(path)
    saved = json.loads(path.read_bytes())
    assert (saved["version"], saved["requires"]) == (2, ["script_runs"])
    for other in (superword.load(path), pickle.loads(pickle.dumps(tok))):
        assert other == tok
        assert other.encode(TEXT) == tok.encode(TEXT)
        assert other.decode(other.encode(TEXT)) == TEXT
    for text in (
        path.read_text().replace('["script_runs"]', "[]"),
        path.read_text().replace('["script_runs"]', '["script_runs","later"]'),
    ):
        path.write_text(text)
        with pytest.raises(ModelFormatError, match=r"script_runs must be listed|requires .later"):
            superword.load(path)


def test_other_models_are_written_as_before(tmp_path: Path) -> None:
    superword.train(DOCUMENTS, 290, max_superwords=None).save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_bytes())["version"] == 1


def test_a_text_in_pieces_has_the_ids_of_the_whole(tok: Tokenizer) -> None:
    for cut in range(len(TEXT)):
        stream = tok.encode_stream()
        ids = [*stream.feed(TEXT[:cut]), *stream.feed(TEXT[cut:]), *stream.finish()]
        assert ids == tok.encode(TEXT)


@pytest.mark.parametrize("form", ["tokenizer.json", "tiktoken"])
@pytest.mark.parametrize("approximate", [True, False])
def test_exports_are_refused_in_a_sentence(
    tok: Tokenizer, tmp_path: Path, form: Any, approximate: bool
) -> None:
    if tok.pattern != SCRIPT_PATTERN:  # SuperBPE: the pattern of its second stage decides.
        return
    with pytest.raises(ValueError, match=f"the pattern {SCRIPT_PATTERN} splits a text by") as error:
        superword.export(tok, tmp_path / "out", form, approximate=approximate)
    assert "approximate" not in str(error.value)
    with pytest.raises(AttributeError, match="splits by script, which no regex can do"):
        _ = tok.as_tiktoken()._pat_str
    assert tok.as_tiktoken().encode_ordinary(TEXT) == tok.encode_ordinary(TEXT)


def test_each_pattern_has_its_own_default_of_eligible() -> None:
    assert TrainingConfig().eligible == TrainingConfig(pattern="boundless").eligible == ELIGIBLE
    assert TrainingConfig(pattern=SCRIPT_PATTERN).eligible == SCRIPT_ELIGIBLE
    assert TrainingConfig(pattern=SCRIPT_PATTERN, eligible=ELIGIBLE).eligible == ELIGIBLE


def test_counts_give_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS * 3))
    superword.count(path, tmp_path / "counts", pattern=SCRIPT_PATTERN)
    with pytest.raises(superword.CountsError, match="fragments"):
        superword.train_on_counts(tmp_path / "counts", 290, pattern=SCRIPT_PATTERN)
    plain = superword.train_on_counts(tmp_path / "counts", 290, pattern=SCRIPT_PATTERN, **PLAIN)
    assert plain == superword.train(path, 290, pattern=SCRIPT_PATTERN, **PLAIN)


def test_tools_show_its_name() -> None:
    tok = superword.train(DOCUMENTS, 290, pattern=SCRIPT_PATTERN)
    assert inspect(tok).pattern == find_pattern_name(SCRIPT_PATTERN) == SCRIPT_PATTERN
    assert repr(tok).endswith("pattern 'gpt4o-scripts'>")
    assert evaluate(Ours(tok), DOCUMENTS).pattern == SCRIPT_PATTERN
    with pytest.raises(PatternError, match="no regex can do"):
        close_gaps(SCRIPT_PATTERN)


def test_transformers_opens_a_saved_folder_with_the_same_ids(
    tok: Tokenizer, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    module = pytest.importorskip("superword.transformers")
    module.SuperwordTokenizer(tok).save_pretrained(tmp_path)
    opened = transformers.AutoTokenizer.from_pretrained(tmp_path, trust_remote_code=True)
    assert opened(TEXT)["input_ids"] == tok.encode(TEXT)
    assert opened.decode(tok.encode(TEXT)) == TEXT
