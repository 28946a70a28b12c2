"""`__all__` lists exactly the public names."""

from __future__ import annotations

import importlib.resources
import re
import types

import superword


def test_all_lists_the_public_names() -> None:
    public = {
        name
        for name, value in vars(superword).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert sorted(public) == superword.__all__


def test_every_error_is_a_superword_error() -> None:
    errors = importlib.import_module("superword.errors")
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), superword.SuperwordError)


def test_the_package_is_typed() -> None:
    assert "py.typed" in {item.name for item in importlib.resources.files(superword).iterdir()}


def test_the_reference_does_without_the_core() -> None:
    folder = importlib.resources.files(superword).joinpath("reference")
    sources = [item.read_text() for item in folder.iterdir() if item.name.endswith(".py")]
    imported = re.findall(r"^\s*(?:from|import) (\S+)", "\n".join(sources), re.MULTILINE)
    assert "regex" in imported
    others = [name for name in imported if name.startswith(("superword", "."))]
    assert all(name.startswith("superword.reference.") for name in others)
