"""`superword reproduce`, through the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_command

import superword

# The folders of files that are built in steps.
BUILT = ("models", "measurements")
COMMAND = Path(sys.executable).parent / "superword"


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    given = [COMMAND, "reproduce", *arguments, "--progress", "none"]
    return subprocess.run(given, capture_output=True, text=True, cwd=folder)


def run_without_drawing(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with empty figures, which take most of its time on a small corpus."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("superword.reproduction.outputs.render_figure", lambda *_: b"<svg></svg>")
        done = run_command("reproduce", *arguments, "--progress", "none")
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two corpora, and a configuration without baselines."""
    for name, text in zip(("train", "eval"), superword.sample(), strict=False):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"text": text[:20_000]}) + "\n")
    (tmp_path / "paper.toml").write_text('baselines = []\neval = "eval.jsonl"\n')
    return tmp_path


def test_a_second_run_reuses_the_first(folder: Path) -> None:
    arguments = ("--config", "paper.toml", "--train", "train.jsonl", "--out", "out")
    done = run_without_drawing(folder, *arguments, "--vocab-sizes", "300", "320")
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
    assert "BoundlessBPE (4o), cap 1/16" in done.stdout
    again = run_without_drawing(folder, *arguments, "--vocab-sizes", "300", "320")
    assert again.stderr == "out/report.html: the report\n"
    assert again.stdout == done.stdout


def test_an_error_is_one_sentence(folder: Path) -> None:
    done = run(folder, "--config", "paper.toml", "--out", "out")
    assert done.returncode == 1
    assert done.stderr == "superword: pass --train, or set train in the configuration file\n"
    done = run(folder, "--train", "none.jsonl", "--eval", "eval.jsonl", "--out", "out")
    assert done.returncode == 1
    assert done.stderr.endswith("none.jsonl: No such file or directory\n")


def test_lists_are_given_on_the_command_line(folder: Path) -> None:
    (folder / "paper.toml").write_text('baselines = []\neval = "eval.jsonl"\ntransition = 0\n')
    (folder / "mine.py").write_text("def share(measured, tok):\n    return measured.single_share\n")
    superword.train(["to be or not to be"], 258).save(folder / "own.json")
    arguments = ("--config", "paper.toml", "--train", "train.jsonl", "-o", "out", "--json")
    lists = (
        *("--vocab-sizes", "300", "--tau", "0.6", "0.7", "--min-count", "3"),
        *("--max-superwords", "none", "9", "--patterns", "gpt2", "--tokenizers", "own.json"),
        *("--metrics", "mine.py:share"),
    )
    done = run_without_drawing(folder, *arguments, *lists)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    verdicts = {"holds", "holds in a weaker form", "does not hold", "not run"}
    assert {claim["verdict"] for claim in found["claims"]} <= verdicts
    assert {claim["tokenizer"] for claim in found["capped_claims"]} == {"BoundlessBPE (4o), cap 9"}
    rows = json.loads((folder / "out/tables/metric-share.json").read_text())
    labels = [row["tokenizer"] for row in rows]
    added = ["cap 9", "tau 0.6", "tau 0.7", "min_count 3"]
    assert labels[-7:-3] == [f"BoundlessBPE (4o), {each}" for each in added]
    assert labels[-3:] == ["BPE (gpt2)", "BoundlessBPE (gpt2)", "own"]


def test_what_cannot_be_opened_is_refused_before_training(folder: Path) -> None:
    arguments = ("--config", "paper.toml", "--train", "train.jsonl", "-o", "out")
    done = run(folder, *arguments, "--tokenizers", "none.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("none.json: No such file or directory\n")
    done = run(folder, *arguments, "--metrics", "none.py:mine")
    assert done.stderr.startswith("superword: cannot import none.py: FileNotFoundError")
    assert not (folder / "out").exists()
    done = run(folder, *arguments, "--tau", "high")
    assert done.returncode == 2
