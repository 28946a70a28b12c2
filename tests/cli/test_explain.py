"""`superword explain`, through the installed command."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_command

import superword

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str | Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return run_command("explain", *arguments, text=text)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.json"
    superword.train(["to be or not to be", "to be"], 259).save(path)
    return path


def test_each_rule_is_a_line(model: Path) -> None:
    assert run(model, "to be b").stdout.decode().splitlines() == [
        "bytes         t o | ␣ b e | ␣ b",
        "merge 0       t o | [␣b] e | [␣b]",
        "merge 1       t o | [␣be] | ␣b",
        "delete 2      t o | ␣be | [␣] [b]",
        "merge 3       [to] | ␣be | ␣ b",
        "supermerge 4  [to␣be] | ␣ b",
    ]


def test_steps_are_data_too(model: Path) -> None:
    steps = json.loads(run(model, "--json", text=b"to be").stdout)
    expected = superword.load(model).explain("to be")
    assert [(step["kind"], step["index"]) for step in steps] == [
        (None, None) if step.rule is None else (step.rule.kind, step.rule.index)
        for step in expected
    ]
    assert steps[0] == {
        "kind": None,
        "index": None,
        "units": [["t", "o"], [" ", "b", "e"]],
        "changes": [],
    }
    assert steps[-1]["units"] == [["to be"]]
    assert steps[-1]["changes"] == [{"unit": 0, "token": 0}]


def test_a_terminal_shows_colours(model: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    done = subprocess.run(
        [COMMAND, "explain", model, "to be"], stdin=theirs, stdout=theirs, env=environment
    )
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "\x1b[30;102m␣b\x1b[0m" in shown
    assert "\x1b[30;103mto␣be\x1b[0m" in shown
    assert "[␣b]" not in shown


def test_invalid_utf8_ends_in_one_sentence(model: Path) -> None:
    done = run(model, text=b"to\xff")
    assert done.returncode == 1
    assert done.stderr.startswith(b"superword: standard input: byte 2 is not UTF-8")


def test_nothing_has_no_steps(model: Path) -> None:
    assert run(model, "").stdout.decode().split() == ["bytes"]


def test_a_long_text_is_refused_unless_forced(model: Path) -> None:
    text = b"to be " * 700
    done = run(model, text=text)
    assert done.returncode == 1
    assert done.stdout == b""
    assert b"4,200 bytes" in done.stderr
    assert b"Give a shorter text, or --force" in done.stderr
    done = run(model, "--force", text=text)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    steps = json.loads(run(model, "--force", "--json", text=text).stdout)
    assert len(steps) == 5
    assert b"".join(token.encode() for unit in steps[-1]["units"] for token in unit) == text


def test_help_shows_examples() -> None:
    shown = " ".join(run("--help").stdout.decode().split())
    assert 'superword explain model.json "Tip of the hat" --json' in shown
