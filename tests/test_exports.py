"""`__all__` lists exactly the public names."""

from __future__ import annotations

import ast
import importlib.resources
import re
from pathlib import Path

import pytest

import superword


def test_public_names_are_what_type_checkers_see() -> None:
    [block] = [
        each
        for each in ast.parse(Path(superword.__file__).read_text("utf-8")).body
        if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"
    ]
    typed = {
        alias.name: getattr(importlib.import_module(f"{each.module}"), alias.name)
        for each in block.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    assert sorted(typed) == superword.__all__
    assert {name: getattr(superword, name) for name in typed} == typed


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'superword' has no attribute 'tokenize'"):
        getattr(superword, "tokenize")  # noqa: B009


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
