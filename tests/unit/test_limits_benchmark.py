"""The benchmark of limits adds up what Callgrind counts, and says what the figures say."""

from __future__ import annotations

import dataclasses
import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DUMP = """\
desc: LL cache: 2097152 B, 64 B, 16-way associative
desc: Trigger: Client Request: encode seen
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim
fn=(1) main
0 1 2 3
totals: 1000 300 200 9 90 80 1 20 30 100 7 10 2
"""


@pytest.fixture
def stage_figures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("stage_figures")


def test_a_dump_of_callgrind_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    counts = importlib.import_module("stage_counts").read_dump(DUMP)
    assert counts == {"encode seen": {"instructions": 1000, "misses": 51, "mispredicted": 9}}


def test_each_stage_is_said_to_have_the_limit_that_it_has(stage_figures: ModuleType) -> None:
    names = [field.name for field in dataclasses.fields(stage_figures.StageFigures)]
    for stage, remedy in stage_figures.REMEDIES.items():
        for rate, chosen in ((1.5, remedy.misses), (2.5, remedy.instructions)):
            figures = dict.fromkeys(names, 0.1) | {"instructions_per_cycle": rate}
            found = stage_figures.StageFigures(**figures)
            sentence = stage_figures.describe_limit(stage, found)
            assert chosen in sentence
            assert f"{rate} instructions a cycle" in sentence


def test_the_sentences_of_the_results_agree_with_the_figures(stage_figures: ModuleType) -> None:
    results = ROOT / "benchmarks/results"
    stored = json.loads((results / "limits.json").read_text())["stages"]
    page = (results / "limits.md").read_text()
    assert stored.keys() == stage_figures.REMEDIES.keys()
    for stage, figures in stored.items():
        found = stage_figures.StageFigures(**figures)
        assert f"- **{stage}**: {stage_figures.describe_limit(stage, found)}\n" in page
