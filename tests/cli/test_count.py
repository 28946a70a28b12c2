"""`superword count`, `superword merge-counts` and `superword train --counts`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import superword

pytest.importorskip("pyarrow")

COMMAND = Path(sys.executable).parent / "superword"
DOCUMENTS = ["to be or not to be", "to be", "or not", "to see or to be"]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number, document in enumerate(DOCUMENTS):
        (folder / f"{number}.jsonl").write_text(json.dumps({"text": document}) + "\n")
    return folder


def test_counts_of_other_processes_give_the_model_of_the_corpus(
    corpus: Path, tmp_path: Path
) -> None:
    """Processes hash strings with different seeds; the sums must not depend on them."""
    counts, model = tmp_path / "counts", tmp_path / "model.json"
    for index in range(2):
        done = run("count", corpus, "-o", counts, "--shard", f"{index}/2", "--progress", "none")
        assert done.returncode == 0, done.stderr
    assert f"{counts}: 5 distinct pretokens in 2 documents of 20 bytes" in done.stderr
    train: list[str | Path] = [
        "train",
        "-o",
        model,
        "--vocab-size",
        "264",
        "--progress",
        "none",
        "--counts",
    ]
    done = run(*train, counts)
    first, following = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (0, "")
    assert first == f"{counts}/cut.json: the first pass is done; {model} is not written yet"
    assert f"next: superword count CORPUS -o {counts} --cut {counts}/cut.json" in following
    done = run(*train, counts, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found == {"output": None, "stage": "cut", "done": False, "cut": f"{counts}/cut.json"}
    assert not model.exists()
    for index in range(2):
        cut: list[str | Path] = [
            "--cut",
            counts / "cut.json",
            "--shard",
            f"{index}/2",
            "--progress",
            "none",
        ]
        assert run("count", corpus, "-o", counts, *cut).returncode == 0
    sums = tmp_path / "sums"
    done = run("merge-counts", counts, "-o", sums)
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) == 2
    for folder in (counts, sums):
        done = run(*train, folder)
        assert done.returncode == 0, done.stderr
        assert superword.load(model) == superword.train(DOCUMENTS, 264)
        model.unlink()
        done = run(*train, folder, "--json")
        assert json.loads(done.stdout)["done"] is True
        model.unlink()
    # Fragments of another cut are an error: whoever counted them expects a model now.
    done = run(*train, counts, "--min-pretoken-count", "2")
    (sentence,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert "the fragments were made with another cut; superword count" in sentence
    assert not model.exists()


SUPERBPE = ["--transition", "256", "--no-supermerges", "--deletion", "none"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "nothing to train on"),
        (["--master", "local"], "--master is for --engine spark"),
        (["{corpus}", "--min-pretoken-count", "2"], "--min-fragment-count are for"),
        (["{corpus}", "--counts", "c", "--max-bytes", "5"], "do not apply to counts"),
        (["--counts", "c", *SUPERBPE], "transition (SuperBPE) does not apply to counts"),
        (["{corpus}", "--engine", "spark", *SUPERBPE], "does not apply to Spark"),
        (["{corpus}", "--counts", "c", "--engine", "spark"], "either --counts or --engine spark"),
        (["{corpus}", "--on-error", "skip", "--engine", "spark"], "Spark cannot skip input"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    corpus: Path, tmp_path: Path, arguments: list[str], reason: str
) -> None:
    given = [argument.format(corpus=corpus) for argument in arguments]
    done = run("train", "-o", tmp_path / "model.json", "--vocab-size", "260", *given)
    (sentence,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert reason in sentence


@pytest.mark.parametrize("shard", ["1", "a/b", "4/4", "-1/2"])
def test_an_invalid_shard_is_rejected(corpus: Path, tmp_path: Path, shard: str) -> None:
    done = run("count", corpus, "-o", tmp_path / "counts", "--shard", shard)
    assert done.returncode == 1
    assert "a shard must be" in done.stderr
