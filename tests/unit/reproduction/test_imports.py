"""`evaluation`, `reproduction` and `commands` import each other in one direction only."""

from __future__ import annotations

import re
from pathlib import Path

import superword

PACKAGE = Path(superword.__file__).parent


def find_imports(folder: str) -> set[str]:
    """Return the superword modules that the files of a folder import."""
    sources = (path.read_text() for path in (PACKAGE / folder).glob("*.py"))
    pattern = re.compile(r"^\s*(?:from|import) (superword[\w.]*)", re.MULTILINE)
    return {name for source in sources for name in pattern.findall(source)}


def test_evaluation_does_not_need_the_reproduction_or_the_commands() -> None:
    later = ("superword.reproduction", "superword.commands")
    assert not [name for name in find_imports("evaluation") if name.startswith(later)]


def test_the_reproduction_uses_public_names_of_the_evaluation() -> None:
    forbidden = ("superword.evaluation.", "superword.commands")
    assert not [name for name in find_imports("reproduction") if name.startswith(forbidden)]
