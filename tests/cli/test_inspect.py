"""`superword inspect`, through the installed command."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_command

from superword import Tokenizer, reference
from superword.tokenizer import Training, TrainingConfig

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    return run_command("inspect", *arguments)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = ["one of the end of the\n", "all of the", "café\n"]
    rules, _ = reference.train(documents, 300, tau=0.5)
    path = tmp_path_factory.mktemp("model") / "model.json"
    parameters = TrainingConfig(vocab_size=300, tau=0.5)
    training = Training(3, 40, 12, 8)
    Tokenizer._from_rules(rules, parameters, ["<|end|>"], training).save(path)
    return path


def test_a_model_is_shown_to_people(model: Path) -> None:
    shown = run(model).stdout.decode()
    for expected in ["256 bytes", "1 superwords", "␣of␣the", "<|end|>", "3 documents", "gpt4o"]:
        assert expected in shown


def test_a_model_is_shown_to_scripts(model: Path) -> None:
    found = json.loads(run("--json", "--top", "1", model).stdout)
    assert found["vocabulary"]["total"] == sum(
        found["vocabulary"][kind] for kind in ("bytes", "merged", "superwords")
    )
    assert found["top_superwords"][0]["token"] == " of the"
    assert found["parameters"]["vocab_size"] == 300
    assert found["special_tokens"] == {"<|end|>": found["vocabulary"]["total"]}
    assert found["deleted_count"] == found["rules"]["delete"] > 0
    assert len(found["deleted"]) == 1


def test_a_redirected_summary_is_not_wrapped(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = run(model).stdout.decode()
    found = json.loads(run("--json", model).stdout)
    assert found["fingerprint"] in shown
    assert "3 documents, 40 bytes, 12 pretokens, 8 of them distinct" in shown


def test_a_summary_is_printed_as_csv_and_markdown(model: Path) -> None:
    found = json.loads(run("--json", model).stdout)
    rows = list(csv.reader(io.StringIO(run("--csv", model).stdout.decode())))
    assert rows[0] == ["part", "name", "value"]
    assert ["vocabulary", "total", str(found["vocabulary"]["total"])] in rows
    top = found["top_superwords"][0]
    assert ["top_superwords", top["token"], str(top["count"])] in rows
    markdown = run("--markdown", model).stdout.decode()
    assert f"| ␣of␣the | {top['count']} | {top['id']} |" in markdown
    assert b"exclude each other" in run("--markdown", "--csv", model).stderr


def test_a_file_that_is_no_model_ends_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"model": "BPE"}')
    done = run(path)
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode().count("\n") == 1
    assert "not a superword model" in done.stderr.decode()


def test_a_missing_file_ends_in_one_sentence(tmp_path: Path) -> None:
    done = run(tmp_path / "missing.json")
    assert done.returncode == 1
    assert done.stderr.decode().endswith("missing.json: No such file or directory\n")


def test_a_model_is_shown_in_latex(model: Path) -> None:
    shown = run("--latex", model).stdout.decode()
    assert r"\textvisiblespace{}of\textvisiblespace{}the & " in shown
    assert r"\textless{}\textbar{}end\textbar{}\textgreater{}" in shown
    assert r"\rule{" in shown and "█" not in shown
