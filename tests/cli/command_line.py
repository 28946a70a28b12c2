"""Runs commands in the process of the test: to start one takes most of a second."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

from typer.testing import CliRunner

from superword.cli import app

COMMAND = Path(sys.executable).parent / "superword"


def run_command(*arguments: str | Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Return what a command prints. One that reads standard input is a process of its own."""
    if text:
        return subprocess.run([COMMAND, *arguments], input=text, capture_output=True)
    with warnings.catch_warnings():
        # In tests, warnings are errors.
        warnings.simplefilter("default")
        done = CliRunner().invoke(app, list(map(str, arguments)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(
        arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes
    )
