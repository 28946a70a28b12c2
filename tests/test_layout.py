"""The package's folders are the stages of the pipeline, and import only earlier stages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import superword

ROOT = Path(superword.__file__).parent

# Each folder may import itself, the foundations, and the folders before it.
STAGES = [
    "corpus",
    "tokenizer",
    "interop",
    "training",
    "tokens",
    "counts",
    "spark",
    "integrations",
    "evaluation",
    "reproduction",
    "playground",
    "commands",
]
# Modules at the top that every stage may import. They import no stage.
FOUNDATIONS = [
    "_core",
    "atomic_files",
    "errors",
    "html_page",
    "keywords",
    "patterns",
    "printable",
    "json_files",
    "sizes",
    "tables",
    "version",
    "vocabularies",
]
# The other modules at the top: the package and the commands; and the specification in Python.
ENTRANCES = ["__init__", "__main__", "cli", "lm_eval"]
SPECIFICATION = "reference"
# One-line re-exports for import paths that users, saved folders and pickles know.
OLD_PATHS = ["datatrove", "exporting", "tiktoken_face", "transformers", "vllm"]


def sources() -> dict[str, ast.Module]:
    """The modules of the package by their dotted names below `superword`."""
    paths = {path.relative_to(ROOT).with_suffix(""): path for path in ROOT.rglob("*.py")}
    return {".".join(name.parts): ast.parse(path.read_text()) for name, path in paths.items()}


def imported(tree: ast.Module) -> Iterator[str]:
    """The names below `superword` that a module imports, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name.partition(".")[2] for name in names if name.startswith("superword."))


def test_the_top_level_shows_the_stages() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {
        "__pycache__",
        ".ruff_cache",
        ".mypy_cache",
    }
    assert folders <= {*STAGES, SPECIFICATION, "data"}
    assert len(folders) <= 14


def test_stages_import_only_earlier_ones() -> None:
    for name, tree in sources().items():
        stage = name.partition(".")[0]
        if stage in STAGES:
            allowed = {*STAGES[: STAGES.index(stage) + 1], *FOUNDATIONS}
            for other in imported(tree):
                assert other.partition(".")[0] in allowed, f"{name} imports superword.{other}"


def test_foundations_import_no_stage() -> None:
    modules = sources()
    for name in FOUNDATIONS[1:]:
        for other in imported(modules[name]):
            assert other.partition(".")[0] in FOUNDATIONS, f"{name} imports superword.{other}"


def test_other_modules_at_the_top_only_keep_old_import_paths() -> None:
    modules = {name: tree for name, tree in sources().items() if "." not in name}
    assert sorted(modules) == sorted([*FOUNDATIONS[1:], *ENTRANCES, *OLD_PATHS])
    for name in OLD_PATHS:
        kinds = [type(node) for node in modules[name].body]
        assert kinds == [ast.Expr, ast.ImportFrom, ast.Assign], name


def test_every_folder_has_a_guide_to_its_modules() -> None:
    modules = sources()
    for stage in [*STAGES, SPECIFICATION]:
        inside = [name for name in modules if name.startswith(f"{stage}.")]
        if inside and stage not in ("evaluation", "reproduction"):
            guide = re.findall(r"\w+", ast.get_docstring(modules[f"{stage}.__init__"]) or "")
            missing = {name.partition(".")[2] for name in inside} - {*guide, "__init__"}
            assert not missing, f"{stage}/__init__.py does not name {missing}"
