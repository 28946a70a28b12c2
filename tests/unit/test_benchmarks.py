"""The benchmarks run on any text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks/corpus.py"


def run(work: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("pyarrow")
    pytest.importorskip("zstandard")
    environment = {**os.environ, "SUPERWORD_BENCH": str(work), **variables}
    command = [sys.executable, str(SCRIPT), "--size", "10", "--repeats", "1"]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_a_benchmark_takes_text_that_variables_name(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"text": f"text {name}"}) + "\n")
    paths = os.pathsep.join(str(tmp_path / f"{name}.jsonl") for name in ("a", "b"))
    done = run(tmp_path / "work", SUPERWORD_BENCH_TRAIN=paths)
    assert done.returncode == 0, done.stderr
    assert "12 bytes" in done.stdout
    # Not in benchmarks/results, which hold the results of the project's own corpus.
    [found] = (tmp_path / "work").glob("*/results/corpus.json")
    assert json.loads(found.read_text())["command"].startswith("SUPERWORD_BENCH_TRAIN=")


def test_a_benchmark_without_text_says_what_to_set(tmp_path: Path) -> None:
    done = run(tmp_path, SUPERWORD_SHARED=str(tmp_path), SUPERWORD_BENCH_TRAIN="")
    assert done.returncode == 1
    assert "set SUPERWORD_BENCH_TRAIN to text of your own" in done.stderr
    assert "Traceback" not in done.stderr
