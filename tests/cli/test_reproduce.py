"""`superword reproduce`, through the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import superword

# The folders of files that are built in steps.
BUILT = ("models", "measurements")
COMMAND = Path(sys.executable).parent / "superword"


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    given = [COMMAND, "reproduce", *arguments, "--progress", "none"]
    return subprocess.run(given, capture_output=True, text=True, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two corpora, and a configuration without baselines."""
    for name, text in zip(("train", "eval"), superword.sample(), strict=False):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"text": text[:20_000]}) + "\n")
    (tmp_path / "paper.toml").write_text('baselines = []\neval = "eval.jsonl"\n')
    return tmp_path


def test_a_second_run_reuses_the_first(folder: Path) -> None:
    arguments = ("--config", "paper.toml", "--train", "train.jsonl", "--out", "out")
    done = run(folder, *arguments, "--vocab-sizes", "300", "320")
    assert done.returncode == 0, done.stderr
    assert "models/boundless-gpt4o-bytes-320.json" in done.stderr
    *steps, _ = done.stderr.splitlines()
    files = [path for path in (folder / "out").glob("*/*-*.json") if path.parent.name in BUILT]
    files += (folder / "out" / "curves").glob("*.json")
    count = len({*files})
    starts = [line.split(":")[0] for line in steps]
    assert starts == [f"step {number} of {count}" for number in range(1, count + 1)]
    assert "out/report.html: the report" in done.stderr
    assert done.stdout.count("not run") >= 5
    assert (folder / "out" / "report.html").read_text().startswith("<!doctype html>")
    assert (folder / "out" / "figures" / "figure-7-bytes-per-token.svg").exists()
    again = run(folder, *arguments, "--vocab-sizes", "300", "320")
    assert again.stderr == "out/report.html: the report\n"
    assert again.stdout == done.stdout


def test_an_error_is_one_sentence(folder: Path) -> None:
    done = run(folder, "--config", "paper.toml", "--out", "out")
    assert done.returncode == 1
    assert done.stderr == "superword: pass --train, or set train in the configuration file\n"
    done = run(folder, "--train", "none.jsonl", "--eval", "eval.jsonl", "--out", "out")
    assert done.returncode == 1
    assert done.stderr.endswith("none.jsonl: No such file or directory\n")
