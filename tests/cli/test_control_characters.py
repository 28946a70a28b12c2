"""No control character of a token, a name or a message reaches the terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import superword
from superword.cli import app
from superword.evaluation import bits_per_byte, save_bits_per_byte
from superword.printable import escape_controls

# Clears the screen, as a two-byte and as a one-byte escape; then reverses the line.
EVIL = "\x1b[2J\x9b2J\u202e"
PACKAGE = Path(superword.__file__).parent
RUN = [sys.executable, "-c", "from superword.cli import app; app()"]
# Runs commands one after the other; a zero byte ends the output of each.
ON_TERMINAL = """
import json, os, sys
from superword.cli import app
for arguments in json.loads(sys.argv[1]):
    try:
        app(arguments)
    except SystemExit:
        pass
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(1, bytes(1))
"""
# What rich prints for colors and bars.
STYLES = re.compile(r"\x1b\[([0-9;]*m|\?25[lh]|2K|1A)")
MODEL = f"{EVIL}.json"
CORPUS = f"{EVIL}.jsonl"
BITS = f"bits{EVIL}.json"
COMMANDS = {
    "pretokenize": [EVIL],
    "pretokenize of a bad pattern": ["x", "--pattern", f"({EVIL}"],
    "train": [CORPUS, "-o", f"new{EVIL}.json", "--vocab-size", "262", "--special-token", EVIL],
    "count": [CORPUS, "-o", f"counts{EVIL}"],
    "merge-counts": [f"counts{EVIL}", "-o", "both"],
    "inspect": [MODEL],
    "inspect of csv": [MODEL, "--csv"],
    "inspect of markdown": [MODEL, "--markdown"],
    "inspect of latex": [MODEL, "--latex"],
    "inspect of a missing model": [f"missing{EVIL}"],
    "inspect of a corpus": [CORPUS],
    "inspect with an unknown option": [MODEL, f"--{EVIL}"],
    "inspect of two models": [MODEL, MODEL],
    "encode": [MODEL, EVIL],
    "encode to a file": [MODEL, CORPUS, "-o", f"{EVIL}.npy"],
    "encode with an unknown end": [MODEL, CORPUS, "-o", "a.npy", "--end-of-text", f"no{EVIL}"],
    "encode of a file name": [MODEL, MODEL],
    "decode": [MODEL, *map(str, EVIL.encode())],
    "decode of no id": [MODEL, EVIL],
    "explain": [MODEL, EVIL],
    "export": [MODEL, "-o", f"tokenizer{EVIL}.json", "--approximate"],
    "extend": [MODEL, CORPUS, "-o", f"new{EVIL}.json", "--add", "1"],
    "prune": [MODEL, CORPUS, "-o", f"pruned{EVIL}", "--to", "258", "--source", "source"],
    "evaluate": [MODEL, "--corpus", CORPUS, "--source", "source"],
    "evaluate as csv": [MODEL, "--corpus", CORPUS, "--source", "source", "--csv"],
    "evaluate as markdown": [MODEL, "--corpus", CORPUS, "--source", "source", "--markdown"],
    "evaluate without a column": [MODEL, "--corpus", CORPUS, "--source", EVIL],
    "compare": [MODEL, "--corpus", CORPUS, "--text", EVIL, "--name", EVIL],
    "compare of a corpus": [CORPUS, "--text", "to be"],
    "bpb": [BITS, BITS],
    "bpb as csv": [BITS, BITS, "--csv"],
    "bpb as markdown": [BITS, BITS, "--markdown"],
    "bpb as latex": [BITS, BITS, "--latex"],
    "bpb of a corpus": [CORPUS],
    "bpb of a missing model": [f"missing{EVIL}"],
    "reproduce": ["--config", f"missing{EVIL}"],
    "playground": [f"missing{EVIL}"],
    f"no{EVIL}": [],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model and a corpus whose names, tokens and sources are hostile."""
    path = tmp_path_factory.mktemp("hostile")
    texts = [f"to {EVIL} be " * 5, "to be or not to be", "to be"]
    tok = superword.train(texts, 265, special_tokens=[EVIL], supermerges=False, deletion=None)
    tok.save(path / MODEL)
    rows = [json.dumps({"text": text, "source": EVIL}) + "\n" for text in texts]
    (path / CORPUS).write_text("".join(rows))
    superword.count(texts, path / f"counts{EVIL}")
    bits = bits_per_byte(
        lambda windows: [[-1.0] * (len(ids) - first) for ids, first in windows],
        path / CORPUS,
        tokenizer=tok,
        name=EVIL,
    )
    save_bits_per_byte([bits], path / BITS)
    return path


@pytest.fixture(scope="module")
def on_terminal(folder: Path) -> dict[str, str]:
    """Return what each command prints to a terminal; all run in one process, to save starts."""
    terminal, other_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"}
    commands = [list_arguments(name) for name in COMMANDS]
    with subprocess.Popen(
        [sys.executable, "-W", "always", "-c", ON_TERMINAL, json.dumps(commands)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=other_end,
        stderr=other_end,
    ) as process:
        os.close(other_end)
        printed = b""
        while some := read_terminal(terminal):
            printed += some
        process.wait()
    os.close(terminal)
    *parts, rest = printed.decode().split("\0")
    assert rest == ""
    return dict(zip(COMMANDS, parts, strict=True))


def list_arguments(name: str) -> list[str]:
    """Return the command line of a case."""
    return [name.split(" ")[0], *COMMANDS[name]]


def read_terminal(terminal: int) -> bytes:
    """Return some bytes, or none at the end."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def find_controls(printed: str) -> list[str]:
    """Return the characters that should have been escaped."""
    rest = STYLES.sub("", printed)
    return [c for c in rest if c not in "\r\n\t" and escape_controls(c) != c]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.filterwarnings("default")
def test_commands_escape_control_characters(
    folder: Path, on_terminal: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = on_terminal[name]
    assert find_controls(printed) == [], printed
    assert EVIL not in printed
    assert "Traceback" not in printed
    if name == "decode":
        return
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, list_arguments(name))
    assert find_controls(done.output) == []
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_decode_to_a_pipe_gives_all_bytes(folder: Path) -> None:
    done = subprocess.run(
        [*RUN, "decode", MODEL, *map(str, EVIL.encode())], cwd=folder, capture_output=True
    )
    assert done.stdout == EVIL.encode()


def test_what_is_escaped() -> None:
    kept = "a\tb\n é\u00a0\u200d🙂"
    assert escape_controls(kept) == kept
    controls = "\0\r\x1b\x7f\x80\x9f\u202a\u202e\u2066\u2069\ud800\udfff"
    assert escape_controls(controls) == controls.encode("unicode_escape").decode()


def test_only_messages_and_consoles_print() -> None:
    printing = re.compile(r"(?<![\w.])(Console\(|typer\.echo\(|print\()")
    for path in sorted((PACKAGE / "commands").glob("*.py")):
        for line in path.read_text().splitlines():
            if path.name != "messages.py" and ">>>" not in line:
                assert not printing.search(line), f"{path.name}: {line}"
