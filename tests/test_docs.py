"""The examples in the documentation give the results that it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import superword
from pypi_readme import link_fully

ROOT = Path(__file__).parent.parent
# They need libraries that are too large for the tests.
OPTIONAL = ["superword.integrations.lm_eval", "superword.lm_eval"]
MODULES = [module.name for module in pkgutil.walk_packages(superword.__path__, "superword.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    if name in OPTIONAL:
        pytest.importorskip(name, exc_type=ImportError)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_examples_in_docs(path: Path) -> None:
    assert doctest.testfile(str(path), module_relative=False).failed == 0


def test_the_readme_shows_the_results_of_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comment after an expression in the README is its value."""
    monkeypatch.chdir(tmp_path)  # It saves a model there.
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    namespace: dict[str, object] = {}
    checked = 0
    statement = ""
    for line in "".join(blocks).splitlines():
        if line.startswith("# "):
            shown = repr(eval(statement, namespace))
            assert shown == line[2:], statement
            checked += 1
        elif line:
            statement = line
            exec(line, namespace)
    assert checked == 8


DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def test_links_in_the_documentation_lead_somewhere() -> None:
    for path in DOCUMENTS:
        text = path.read_text()
        pictures = re.findall(r'(?:src|srcset)="([^"]+)"', text)
        for target in [*re.findall(r"\]\(([^)#]+)[^)]*\)", text), *pictures]:
            if not target.startswith("http"):
                assert (path.parent / target).exists(), f"{path.name}: {target}"


def list_anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub, and the site, give to the headings of a file."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_anchors_in_the_documentation_lead_to_headings() -> None:
    for path in DOCUMENTS:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)]+)\)", path.read_text()):
            if not target.startswith("http"):
                file = path.parent / target if target else path
                assert anchor in list_anchors(file), f"{path.name}: {target}#{anchor}"


def test_pypi_gets_the_readme_with_full_addresses() -> None:
    text = link_fully((ROOT / "README.md").read_text())
    targets = re.findall(r'\]\(([^)#]+)[^)]*\)|(?:src|srcset)="([^"]+)"', text)
    assert len(targets) > 40
    assert all((link or picture).startswith("https://") for link, picture in targets)
