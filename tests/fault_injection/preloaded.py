"""A process that runs commands with faults: `faulty_calls.c` is preloaded into it.

Importing the package takes longer than most commands. So the process imports it once, and forks for
each command. The child sets the variables that `faulty_calls.c` reads, and runs the command. What
the child imported is imported for the next ones, too.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

SOURCE = Path(__file__).with_name("faulty_calls.c")
VARIABLES = ("FAULTS_FOLDER", "FAULTS_LOG", "FAULTS_AT")


class Done(NamedTuple):
    """How a command ended.

    Attributes:
        status: The exit status, or minus the signal that ended it.
        stderr: What it printed to standard error.
        calls: The calls that were counted, as "name path".
    """

    status: int
    stderr: str
    calls: list[str]


def compile_library(path: Path) -> None:
    """Compile the library to preload."""
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(path)]
    subprocess.run([*command, str(SOURCE), "-ldl"], check=True)


class Preloaded:
    """The process, and what it needs.

    Args:
        library: The library to preload.
        scratch: A folder for what commands print.
    """

    def __init__(self, library: Path, scratch: Path) -> None:
        self._scratch = scratch
        self._number = 0
        environment = {name: os.environ[name] for name in os.environ if name not in VARIABLES}
        # A thread that exists while forking is not in the child.
        environment |= {"LD_PRELOAD": str(library), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(library), str(scratch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment | {"HF_HUB_OFFLINE": "1", "MPLBACKEND": "agg"},
        )

    def start(
        self,
        command: Sequence[str],
        cwd: Path,
        *,
        folder: Path | None = None,
        fault: str | None = None,
        **environment: str,
    ) -> int:
        """Start a command and return its number.

        Args:
            command: The arguments of `superword`, or a name of `CALLS` and its arguments.
            cwd: The folder to run it in.
            folder: The folder whose calls are counted.
            fault: The fault and the number of the call, as in `FAULTS_AT`.
            environment: More variables of the environment.
        """
        self._number += 1
        log = self._scratch / f"{self._number}.log"
        variables = {"FAULTS_LOG": str(log), "FAULTS_FOLDER": str(folder or ""), **environment}
        if fault is not None:
            variables["FAULTS_AT"] = fault
        self._send([self._number, list(command), str(cwd), variables])
        return self._number

    def wait(self, number: int) -> Done:
        """Wait until a command has ended."""
        self._send([number])
        assert self._process.stdout
        status = json.loads(self._process.stdout.readline())
        log, printed = (self._scratch / f"{number}.{end}" for end in ("log", "stderr"))
        calls = log.read_text().splitlines() if log.exists() else []
        done = Done(status, printed.read_text(), calls)
        log.unlink(missing_ok=True)
        printed.unlink()
        return done

    def run(self, command: Sequence[str], cwd: Path, **how: Any) -> Done:
        """Run a command: `start`."""
        return self.wait(self.start(command, cwd, **how))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _send(self, request: object) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()


def serve(
    requests: IO[str], answers: IO[str], scratch: Path, read_faults: Callable[[], object]
) -> None:
    """Start the commands of requests, and answer with the status of those that are waited for."""
    children: dict[int, int] = {}
    imported = scratch / "imported"
    while line := requests.readline():
        match json.loads(line):
            case [number]:
                _, status = os.waitpid(children.pop(number), 0)
                import_modules(imported)
                answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
                answers.flush()
            case [number, command, cwd, variables]:
                child = os.fork()
                if not child:
                    printed = scratch / f"{number}.stderr"
                    run_child(command, cwd, printed, imported, variables, read_faults)
                children[number] = child


def import_modules(names: Path) -> None:
    """Import the modules that a child imported."""
    if names.exists():
        for name in names.read_text().split():
            with suppress(Exception):
                importlib.import_module(name)
        names.unlink()
        gc.freeze()  # What is imported is not looked through in each child.


def run_child(
    command: list[str],
    cwd: str,
    printed: Path,
    imported: Path,
    variables: dict[str, str],
    read_faults: Callable[[], object],
) -> None:
    """Run a command and exit."""
    os.chdir(cwd)
    errors = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.dup2(errors, 2)
    os.environ.update(variables)
    tempfile.tempdir = None  # It may be another one for this command.
    status, known = 0, set(sys.modules)
    read_faults()
    try:
        CALLS.get(command[0], run_command)(*command)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 70
    gc.collect()  # What is closed only now must not fail, nor write.
    if new := sys.modules.keys() - known:
        imported.write_text(" ".join(new))
    sys.stderr.flush()
    os._exit(status)


@cache
def commands() -> Any:
    """Return the command `superword`. Building it from its options takes long."""
    import typer

    from superword.cli import app

    return typer.main.get_command(app)


def run_command(*arguments: str) -> None:
    """Run a command of `superword`."""
    commands().main(list(arguments))


def save_model(_: str, model: str, output: str) -> None:
    """Save a model with `Tokenizer.save`."""
    import superword

    with sentences():
        superword.load(model).save(output)


def save_pretrained(_: str, model: str, output: str) -> None:
    """Save a tokenizer of transformers to a folder."""
    import superword
    from superword.transformers import SuperwordTokenizer

    core = superword.load(model)
    template = "{{ messages }}" if "<|old|>" in core.special_tokens else None
    tokenizer = SuperwordTokenizer(core, chat_template=template)
    with sentences():
        tokenizer.save_pretrained(output)


def save_measurement(_: str, model: str, corpus: str, output: str) -> None:
    """Measure a tokenizer and save the measurement."""
    import superword
    from superword.corpus import RawPath
    from superword.evaluation import evaluate

    measured = evaluate(superword.load(model), [RawPath(corpus)], threads=1)
    with sentences():
        measured.save(Path(output))


CALLS: dict[str, Callable[..., None]] = {
    "Tokenizer.save": save_model,
    "save_pretrained": save_pretrained,
    "Measurement.save": save_measurement,
}


def sentences() -> Any:
    """Print errors as commands do, and exit with their status."""
    from contextlib import contextmanager

    import typer

    from superword.commands.messages import errors_as_sentences

    @contextmanager
    def print_and_exit() -> Any:
        try:
            with errors_as_sentences():
                yield
        except typer.Exit as ended:
            sys.exit(ended.exit_code)

    return print_and_exit()


if __name__ == "__main__":
    commands()
    serve(sys.stdin, sys.stdout, Path(sys.argv[2]), ctypes.CDLL(sys.argv[1]).read_faults)
