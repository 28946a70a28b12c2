"""`superword pretokenize`, through the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([COMMAND, "pretokenize", *arguments], input=text, capture_output=True)


def test_each_pretoken_is_a_line() -> None:
    done = run("XMLHttp\nisn't")
    lines = done.stdout.decode().splitlines()
    assert [json.loads(line) for line in lines] == ["XMLHttp", "\n", "isn't"]


def test_standard_input_keeps_its_line_ends() -> None:
    done = run("--json", "--pattern", "gpt4", text="a\r\né 12345".encode())
    assert json.loads(done.stdout) == ["a", "\r\n", "é", " ", "123", "45"]


def test_a_malformed_regex_ends_in_one_sentence() -> None:
    done = run("--pattern", "a(b", "text")
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"superword: cannot read the regex at position 3: ")


def test_invalid_utf8_ends_in_one_sentence() -> None:
    done = run(text=b"ab\xff")
    assert done.returncode == 1
    assert b"standard input: byte 2 is not UTF-8" in done.stderr
    assert b"Traceback" not in done.stderr
