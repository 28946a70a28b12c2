"""Every stage ends as done, whatever ends it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import superword
from superword.counts import count
from superword.evaluation import Ours, evaluate
from superword.tokens import encode_corpus
from superword.training.progress import json_lines, show_progress

Report = tuple[str, int, int | None]
NOVELS = list(superword.sample())[:12]
PLAIN: dict[str, Any] = {"supermerges": False, "deletion": None}
KINDS: dict[str, dict[str, Any]] = {
    "BPE": PLAIN,
    "PickyBPE": {"supermerges": False, "deletion": "pair"},
    "BoundlessBPE": {},
    "SuperBPE": {**PLAIN, "pattern": "gpt4o", "transition": 400},
}


@pytest.fixture(params=["list", "jsonl", "jsonl.zst"])
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "list":
        return NOVELS
    lines = "".join(json.dumps({"text": text}) + "\n" for text in NOVELS).encode()
    if request.param == "jsonl.zst":
        lines = pytest.importorskip("zstandard").compress(lines)
    path = tmp_path / f"novels.{request.param}"
    path.write_bytes(lines)
    return path


def check(work: Callable[..., object]) -> list[str]:
    """Check that each stage ends with a report that all is done, and return the stages."""
    told: list[Report] = []
    work(progress=lambda *report: told.append(report))
    stages = [(stage, list(reports)) for stage, reports in groupby(told, lambda each: each[0])]
    assert stages
    for stage, reports in stages:
        _, done, total = reports[-1]
        assert done == total and done > 0, (stage, reports[-1])
    return [stage for stage, _ in stages]


@pytest.mark.parametrize("limit", [None, 50_000])
@pytest.mark.parametrize("kind", KINDS)
def test_stages_of_training_end_as_done(corpus: Any, kind: str, limit: int | None) -> None:
    options: dict[str, Any] = {**KINDS[kind], "max_bytes": limit}
    check(lambda progress: superword.train(corpus, 500, progress=progress, **options))


def test_a_vocabulary_that_is_never_reached_ends_as_done() -> None:
    with pytest.warns(UserWarning, match="the corpus has pairs for"):
        check(lambda progress: superword.train(["to be", "to be"], 300, progress=progress))


@pytest.mark.parametrize("limit", [None, 50_000])
def test_stages_of_other_work_end_as_done(corpus: Any, tmp_path: Path, limit: int | None) -> None:
    bpe = superword.train(NOVELS, 400, pattern="gpt4o", **PLAIN)
    same: dict[str, Any] = {"max_bytes": limit}
    path = tmp_path / "bpe.json"
    bpe.save(path)
    check(lambda progress: superword.extend(path, corpus, add=20, progress=progress, **same))
    stages = check(lambda progress: evaluate(Ours(bpe), corpus, progress=progress, **same))
    assert stages == ["evaluate", "instability"]
    check(lambda progress: encode_corpus(bpe, corpus, tmp_path / "a.npy", progress=progress))


def test_counting_ends_as_done(tmp_path: Path) -> None:
    path = tmp_path / "novels.txt"
    path.write_text("\n".join(NOVELS))
    check(lambda progress: count([path], tmp_path / "counts", progress=progress))


def test_json_lines_have_the_end_of_each_stage(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(json_lines()) as report:
        assert report is not None
        for done in range(0, 94):
            report("count", done, 100)
        report("merges", 5, 100)
        report("merges", 10, 100)
        report("fragments", 7, 9)
        report("supermerges", 100, 100)
        report("supermerges", 100, 100)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["stage"], line["done"], line["total"]) for line in lines] == [
        ("count", 0, 100),
        ("count", 93, 93),
        ("merges", 5, 100),
        ("merges", 10, 10),
        ("fragments", 7, 9),
        ("fragments", 7, 7),
        ("supermerges", 100, 100),
    ]


def test_bars_end_at_a_hundred_percent(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = partial(Console, force_terminal=True, width=80)
    monkeypatch.setattr("rich.console.Console", terminal)
    with show_progress(True) as report:
        assert report is not None
        report("count", 10, 100)
        report("merges", 93, 100)
        report("fragments", 0, None)
        report("merges", 97, 100)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capfd.readouterr().err)
    bars = [line for line in re.split(r"[\r\n]+", plain) if "%" in line][-4:]
    assert [line.split("  ")[0] for line in bars] == [
        "counting pretokens",
        "learning merges",
        "counting fragments",
        "learning merges",
    ]
    assert all("100%" in line for line in bars), bars


def test_work_that_fails_is_not_said_to_be_done() -> None:
    told: list[Report] = []
    with (
        pytest.raises(ValueError, match="stop"),
        show_progress(lambda *each: told.append(each)) as report,
    ):
        assert report is not None
        report("count", 10, 100)
        raise ValueError("stop")
    assert told == [("count", 10, 100)]
