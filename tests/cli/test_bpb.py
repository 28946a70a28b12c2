"""`superword bpb` on results that were saved. Models in folders are in test_language_models."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import superword
from superword.cli import app
from superword.evaluation import (
    bits_per_byte,
    compare_bits_per_byte,
    load_bits_per_byte,
    save_bits_per_byte,
)

ROWS = [
    {"text": "to be or not to be", "source": "plays"},
    {"text": "naïve", "source": "words"},
    {"text": "to be", "source": "plays"},
    {"text": "", "source": "nothing"},
    {"text": "x", "source": "words"},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with the results of two models, and of one on other documents."""
    monkeypatch.chdir(tmp_path)
    tok = superword.train(["to be"], 256, special_tokens=["<|end|>"])
    for at, (name, rows) in enumerate((("a", ROWS), ("b", ROWS), ("other", ROWS[1:]))):
        noise = np.random.default_rng(at)

        def score(windows: list[Any], noise: np.random.Generator = noise) -> list[Any]:
            return [-noise.uniform(0, 5, len(ids) - first) for ids, first in windows]

        found = bits_per_byte(score, rows, tokenizer=tok, name=name, context=16)
        save_bits_per_byte([found], tmp_path / f"{name}.json")
    return tmp_path


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["bpb", *arguments])


def test_a_result_is_printed_by_source(folder: Path) -> None:
    done = invoke("a.json")
    (a,) = load_bits_per_byte("a.json")
    lines = done.stdout.splitlines()
    assert lines[0] == "a: 5 documents, 30 bytes; context 16 tokens, stride 8"
    assert lines[2].split() == ("documents bytes tokens bits bits per byte tokens per byte".split())
    assert [line.split()[0] for line in lines[3:]] == ["all", "plays", "words", "nothing"]
    assert lines[3].split()[1:4] == ["5", "30", "30"]
    assert lines[3].split()[-2:] == [f"{a.bits_per_byte:.4f}", "1.0000"]
    assert lines[-1].split()[1:] == ["1", "0", "0", "0", "-", "-"]


def test_two_results_are_compared(folder: Path) -> None:
    (a,), (b,) = load_bits_per_byte("a.json"), load_bits_per_byte("b.json")
    found = json.loads(invoke("a.json", "b.json", "--json").stdout)
    assert [model["name"] for model in found["models"]] == ["a", "b"]
    compared = compare_bits_per_byte(a, b)
    assert found["differences"] == [compared.as_json()]
    assert found["differences"][0]["low"] < found["differences"][0]["high"]
    shown = invoke("a.json", "b.json").stdout
    assert "b minus a; paired bootstrap over documents" in shown
    assert f"all               {compared.total.difference:+.4f}" in shown
    few = ["a.json", "b.json", "--json", "--samples", "20", "--seed"]
    found, other = (json.loads(invoke(*few, seed).stdout) for seed in ("0", "1"))
    assert other["differences"] != found["differences"]
    assert other["models"] == found["models"]


def test_results_are_joined_in_one_file(folder: Path) -> None:
    done = invoke("a.json", "b.json", "a.json", "-o", "all.json", "--json")
    assert done.exit_code == 0, done.stderr
    assert [each.name for each in load_bits_per_byte("all.json")] == ["a", "b", "a (2)"]
    again = json.loads(invoke("all.json", "--json").stdout)
    assert again == json.loads(done.stdout)
    assert len(again["differences"]) == 2


def test_tables_for_papers_and_spreadsheets(folder: Path) -> None:
    (a,), (b,) = load_bits_per_byte("a.json"), load_bits_per_byte("b.json")
    markdown = invoke("a.json", "b.json", "--markdown").stdout
    assert (
        f"| all | 5 | 30 | 30 | {a.total.bits:,.0f} | {a.bits_per_byte:.4f} | 1.0000 |" in markdown
    )
    latex = invoke("a.json", "b.json", "--latex").stdout
    assert latex.count(r"\begin{tabular}") == 3
    rows = list(csv.DictReader(io.StringIO(invoke("a.json", "b.json", "--csv").stdout)))
    assert [(row["model"], row["source"]) for row in rows] == [
        *(("a", ""), ("a", "plays"), ("a", "words"), ("a", "nothing")),
        *(("b", ""), ("b", "plays"), ("b", "words"), ("b", "nothing")),
    ]
    assert float(rows[4]["bits_per_byte"]) == b.bits_per_byte
    compared = compare_bits_per_byte(a, b)
    assert float(rows[4]["low"]) == compared.total.low
    assert float(rows[5]["difference"]) == compared.sources["plays"].difference
    assert (rows[0]["low"], rows[7]["low"], rows[7]["bits_per_byte"]) == ("", "", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a.json", "other.json"], "a and other were scored on different documents"),
        (["missing.json"], "missing.json: No such file or directory"),
        (["."], "nothing to score; pass --corpus"),
        ([".", "--corpus", "text.txt"], "not the folder of a model: it has no config.json"),
        (["a.json", "--json", "--csv"], "--json and --csv exclude each other"),
        (["a.json", "b.json", "--samples", "0"], "samples must be at least 1, not 0"),
        (["a.json", "-o", "none/b.json"], "none: no such folder"),
        (["text.txt"], "text.txt: not JSON, or damaged"),
    ],
)
def test_an_error_is_one_sentence(folder: Path, arguments: list[str], sentence: str) -> None:
    Path("text.txt").write_text("to be")
    done = invoke(*arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
