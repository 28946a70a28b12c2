"""What holds for every command: JSON, examples in the help, `--output`, sizes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main
from typer.testing import CliRunner

import superword
from superword.cli import app
from superword.commands.json_output import dump_json
from superword.evaluation import Window, bits_per_byte, save_bits_per_byte
from superword.version import find_version

ROOT = Path(__file__).parent.parent.parent
GROUP: Any = typer.main.get_command(app)
COMMANDS: dict[str, click.Command] = GROUP.commands
# Escapes of terminals, invisible characters, and a lone C1 control, all in text that tokens span.
HOSTILE = "to be\x9b2J or\x7f not\u202e to\u2028be \x1b[31m"
DOCUMENTS = [HOSTILE * 3, "to be or not to be", "to be", "or not"]
PLAIN: dict[str, Any] = {"supermerges": False, "deletion": None}
KINDS: dict[str, Callable[[], superword.Tokenizer]] = {
    "bpe": lambda: superword.train(DOCUMENTS, 265, **PLAIN),
    "picky": lambda: superword.train(DOCUMENTS, 265, supermerges=False, deletion="pair"),
    "boundless": lambda: superword.train(DOCUMENTS, 265, special_tokens=["<\x9bs>"]),
    "superbpe": lambda: superword.train(DOCUMENTS, 265, transition=262, **PLAIN),
    "extended": lambda: superword.extend(
        superword.train(DOCUMENTS, 262, **PLAIN), DOCUMENTS[1:] * 5, 1
    ),
    "pruned": lambda: (
        superword.prune(
            superword.train(DOCUMENTS, 265, special_tokens=["<\x9bs>"]), DOCUMENTS, to=260
        ).tokenizer
    ),
}
PRINTING = ["pretokenize", "inspect", "explain", "evaluate"]
OF_ALL_KINDS = ["inspect", "encode", "decode", "explain", "export", "prune", "evaluate", "compare"]
# Commands, with the files in the folder of the test.
ARGUMENTS: dict[str, list[str]] = {
    "pretokenize": [HOSTILE],
    "train": ["corpus.jsonl", "-o", "new.json", "--vocab-size", "262"],
    "count": ["corpus.jsonl", "-o", "counts"],
    "merge-counts": ["counted", "-o", "both"],
    "inspect": ["model.json"],
    "encode": ["model.json", HOSTILE],
    "decode": ["model.json", *map(str, HOSTILE.encode())],
    "explain": ["model.json", HOSTILE],
    "export": ["model.json", "-o", "tokenizer.json", "--approximate"],
    "extend": ["model.json", "corpus.jsonl", "-o", "new.json", "--add", "1"],
    "prune": ["model.json", "corpus.jsonl", "-o", "pruned", "--to", "260"],
    "evaluate": ["model.json", "--corpus", "corpus.jsonl"],
    "compare": ["model.json", "--corpus", "corpus.jsonl", "--text", HOSTILE],
    "bpb": ["bits.json", "bits.json"],
    "reproduce": [
        *("--config", "paper.toml", "--train", "corpus.jsonl", "--eval", "corpus.jsonl"),
        *("-o", "results", "--vocab-sizes", "260"),
    ],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working directory with a corpus and what else the commands read."""
    monkeypatch.chdir(tmp_path)
    rows = [json.dumps({"text": text, "source": "here"}) + "\n" for text in DOCUMENTS]
    Path("corpus.jsonl").write_text("".join(rows))
    Path("paper.toml").write_text("baselines = []\ntransition = 0\n")
    bits = bits_per_byte(score, DOCUMENTS, tokenizer=KINDS["boundless"](), name=HOSTILE)
    save_bits_per_byte([bits], "bits.json")
    return tmp_path


def score(windows: Sequence[Window]) -> list[list[float]]:
    """Give each token the probability 1 / e."""
    return [[-1.0] * (len(ids) - first) for ids, first in windows]


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


def test_every_command_is_here() -> None:
    # It serves until it is interrupted, and has tests of its own.
    assert list(COMMANDS) == [*ARGUMENTS, "playground"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, "boundless") for name in ARGUMENTS]
    + [(name, kind) for name in OF_ALL_KINDS for kind in KINDS if kind != "boundless"]
    + [("extend", kind) for kind in ("bpe", "extended")],
)
def test_every_command_prints_json_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    if name in ("count", "merge-counts"):
        pytest.importorskip("pyarrow")
        superword.count(DOCUMENTS, "counted")
    if name == "reproduce":
        pytest.importorskip("matplotlib")
        # Drawing takes most of the time.
        monkeypatch.setattr("superword.reproduction.outputs.render_figure", lambda *_: b"<svg/>")
    KINDS[kind]().save("model.json")
    done = invoke(name, *ARGUMENTS[name], "--json")
    assert done.exit_code == 0, done.stderr
    json.loads(done.stdout)
    assert [c for c in done.stdout if not c.isprintable() and c != "\n"] == []


def test_json_is_what_was_dumped() -> None:
    value = ["\x9b\x7f\u202e\U000e0001\ud800", {"é\x1b": 1.5}]
    for is_ascii in (False, True):
        text = dump_json(value, is_ascii=is_ascii)
        assert json.loads(text) == value
        assert text.replace("\n", "").isprintable()
    assert dump_json({"é": 1}, is_ascii=True).isascii()


def test_decode_writes_a_file(folder: Path) -> None:
    KINDS["boundless"]().save("model.json")
    done = invoke("decode", *ARGUMENTS["decode"], "-o", "text.txt", "--json")
    assert json.loads(done.stdout) == {"output": "text.txt", "bytes": len(HOSTILE.encode())}
    assert Path("text.txt").read_bytes() == HOSTILE.encode()
    done = invoke("decode", *ARGUMENTS["decode"], "-o", "none/text.txt")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no such folder" in done.stderr


@pytest.mark.parametrize("name", [name for name in ARGUMENTS if name not in PRINTING])
def test_a_command_that_writes_a_file_has_output(name: str) -> None:
    spellings = [each.opts for each in COMMANDS[name].params if each.name in ("output", "plot")]
    assert len(spellings) == 1
    assert spellings[0][:2] == ["--output", "-o"]


@pytest.mark.parametrize(("name", "old"), [("compare", "--plot"), ("reproduce", "--out")])
def test_earlier_spellings_of_output_still_work(name: str, old: str) -> None:
    assert old in [spelling for each in COMMANDS[name].params for spelling in each.opts]


@pytest.mark.parametrize("name", COMMANDS)
def test_bytes_are_taken_as_sizes(name: str) -> None:
    names = ("max_bytes", "memory_limit", "train_bytes", "eval_bytes")
    for each in COMMANDS[name].params:
        assert (each.metavar == "SIZE") == (each.name in names), each.name


def test_a_size_limits_the_text(folder: Path) -> None:
    Path("corpus.txt").write_text("to be\n" * 400)
    options = ["--separator", "\n", "--vocab-size", "257", "-o", "new.json", "--json"]
    done = invoke("train", "corpus.txt", "--max-bytes", "1.1kB", *options)
    assert json.loads(done.stdout)["bytes"] == 1100
    done = invoke("train", "corpus.txt", "--max-bytes", "1 parsec", *options)
    assert done.exit_code == 1
    assert "or like '1GB'" in done.stderr


@pytest.mark.parametrize("name", [None, *COMMANDS])
@pytest.mark.parametrize("width", [80, 120])
def test_help_has_examples_and_shortens_nothing(
    name: str | None, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", width)
    monkeypatch.setattr("typer.rich_utils.FORCE_TERMINAL", False)
    command: click.Command = COMMANDS[name] if name else GROUP
    done = invoke(*([name] if name else []), "--help")
    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert max(map(len, lines)) == width
    assert "…" not in done.stdout
    for each in command.params:
        if isinstance(each, click.Option):
            for spelling in (*each.opts, *each.secondary_opts):
                assert re.search(rf"{spelling}(?![\w-])", done.stdout), spelling
    example = f" superword {name or 'train'} "
    assert any(line.startswith(example) for line in lines if "Usage" not in line)
    # A paragraph breaks where the terminal's width requires it, and nowhere else.
    text = [line.strip() for line in lines[: next(i for i, x in enumerate(lines) if "╭" in x)]]
    for line, following in pairwise(text):
        if line and following:
            assert len(line) + 1 + len(following.split()[0]) > width - 2


def test_the_version_is_that_of_the_sources(tmp_path: Path) -> None:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert invoke("--version").stdout == f"superword {superword.__version__}\n"
    assert superword.__version__ == manifest["workspace"]["package"]["version"]
    (tmp_path / "crates" / "superword-python").mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text('[workspace.package]\nversion = "7.8.9"\n')
    assert find_version(tmp_path / "python" / "superword") == "7.8.9"
    assert "__version__" not in vars(superword), "reading it takes time, and is done when asked"
    with pytest.raises(AttributeError, match="no attribute 'versoin'"):
        superword.versoin  # type: ignore[attr-defined]  # noqa: B018


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "superword", "inspect"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith("Usage: superword inspect ")
