"""What is loaded when the package is imported, and when the command line starts."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import superword
from superword.cli import COMMANDS
from superword.commands.on_demand import CommandOnDemand, join_lines

# Libraries that take long to import, and modules that only some of the package needs.
HEAVY = {
    *("aiohttp", "asyncio", "email", "fsspec", "http", "huggingface_hub", "jinja2", "matplotlib"),
    *("multiprocessing", "pandas", "pyarrow", "pyspark", "regex", "requests", "tiktoken"),
    *("tokenizers", "torch", "transformers", "webbrowser", "zstandard"),
}


def loaded_after(code: str) -> set[str]:
    """Run code in a new process, and return the modules that are loaded then."""
    code = f"import sys\n{code}\nprint('\\n'.join(['#', *sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("#\n")[2].split())


@pytest.fixture(scope="module")
def without() -> set[str]:
    """Return what is loaded without superword: an environment may load modules at the start."""
    return loaded_after("import importlib, typing")


def test_importing_the_package_loads_nothing_else(without: set[str]) -> None:
    assert loaded_after("import superword") - without == {"superword"}


def test_encoding_loads_neither_the_command_line_nor_optional_libraries(
    tmp_path: Path, without: set[str]
) -> None:
    superword.train(["to be or not to be"] * 3, 262).save(tmp_path / "model.json")
    path = str(tmp_path / "model.json")
    loaded = loaded_after(f"import superword; superword.load({path!r}).encode('to be')") - without
    assert "numpy" in loaded
    assert not loaded & {*HEAVY, "rich", "typer", "superword.evaluation", "superword.training"}


def test_the_help_loads_no_command_and_not_the_core(without: set[str]) -> None:
    code = "from superword.cli import app\napp(['--help'], standalone_mode=False)"
    loaded = loaded_after(code) - without
    assert "rich" in loaded
    assert not loaded & {*HEAVY, "numpy", "superword._core", "superword.tokenizer"}
    modules = {f"superword.commands.{name.replace('-', '_')}" for name in COMMANDS}
    assert not loaded & modules


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_its_docstring(name: str) -> None:
    command = CommandOnDemand(name)
    module = importlib.import_module(f"superword.commands.{command.module}")
    docstring = inspect.getdoc(getattr(module, f"{command.module}_command")) or ""
    assert command.help == command.command.help == join_lines(docstring)
