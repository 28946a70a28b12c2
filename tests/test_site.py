"""The documentation site: what goes into it, and what its check finds. `make docs` builds it."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import build_site
import check_site
import site_api
import site_commands
import site_docstrings
import site_pages
import superword
from superword.cli import app

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return dict(site_pages.read_pages())


@pytest.fixture(scope="module")
def api() -> dict[str, str]:
    return dict(site_api.write_api())


@pytest.fixture(scope="module")
def commands() -> dict[str, str]:
    return dict(site_commands.write_commands())


def show_help(*arguments: str) -> str:
    """Return what `superword ARGUMENTS --help` prints, on a wide terminal."""
    return CliRunner(env={"COLUMNS": "300"}).invoke(app, [*arguments, "--help"]).output


def list_navigation(entries: list[Any]) -> Iterator[str]:
    """Yield the addresses of the navigation."""
    for entry in entries:
        for value in [entry] if isinstance(entry, str) else entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from list_navigation(value)


def test_the_navigation_has_every_page_once(
    pages: dict[str, str], api: dict[str, str], commands: dict[str, str]
) -> None:
    titles = dict.fromkeys([*pages, *api, *commands], "title")
    config = build_site.expand_navigation(build_site.CONFIG.read_text("utf-8"), titles)
    found = list(list_navigation(tomllib.loads(config)["project"]["nav"]))
    found.remove(site_pages.REPOSITORY)
    assert sorted(found) == sorted(titles)


def test_every_markdown_file_of_docs_is_a_page(pages: dict[str, str]) -> None:
    files = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert {path.as_posix().replace("README.md", "index.md") for path in files} <= set(pages)


def test_links_to_other_files_lead_to_the_repository() -> None:
    text = "[a](../examples) [b](../pyproject.toml#L1) [c](../SECURITY.md#x) [d](guide.md) [e](#y)"
    assert site_pages.rewrite_links(text, "docs/scale.md") == (
        f"[a]({site_pages.REPOSITORY}/tree/main/examples) "
        f"[b]({site_pages.REPOSITORY}/blob/main/pyproject.toml#L1) "
        "[c](security.md#x) [d](guide.md) [e](#y)"
    )
    assert site_pages.rewrite_links(r"| `a\|b` |", "docs/scale.md") == "| `a|b` |"
    with pytest.raises(ValueError, match="nowhere.md, which is not there"):
        site_pages.rewrite_links("[a](nowhere.md)", "docs/scale.md")
    assert site_pages.rewrite_links("```\n[a](nowhere.md)\n```", "docs/scale.md").count("nowhere")


def test_every_command_has_a_page_with_every_option_that_its_help_shows(
    commands: dict[str, str],
) -> None:
    names = re.findall(r"^│ ([a-z][a-z-]+) ", show_help(), re.MULTILINE)
    assert len(names) > 10
    assert {f"commands/{name}.md" for name in names} == set(commands) - {"commands/index.md"}
    for name in names:
        rows = re.findall(r"^│[ *]*((?:--?[a-z][\w-]* +)+)", show_help(name), re.MULTILINE)
        options = {option for row in rows for option in row.split()}
        assert {"--help"} < options
        page = commands[f"commands/{name}.md"]
        assert not {option for option in options if f"`{option}" not in page}, name


def test_the_reference_has_every_public_name(api: dict[str, str]) -> None:
    main = "".join(
        api[f"api/{page}.md"] for page in ("functions", "tokenizer", "classes", "errors")
    )
    for name in superword.__all__:
        assert f"\n## {name} {{ #{name} }}\n" in main, name
    for module in site_api.PUBLIC_MODULES:
        if module != "superword.lm_eval":
            for name in importlib.import_module(module).__all__:
                assert f"# {name} {{ #{name} }}\n" in api[f"api/{module.split('.')[1]}.md"], name


def test_the_reference_shows_whole_signatures_and_docstrings(api: dict[str, str]) -> None:
    page = api["api/functions.md"]
    train = page.split("\n## train {")[1].split("\n## ")[0]
    for name in inspect.signature(superword.train).parameters:
        assert f"\n    {name}: " in train, name
    assert "`memory_limit`; the message says how much." in train
    assert "[`TrainingConfig`](classes.md#TrainingConfig)" in train
    assert ">>> tok = train(" in train
    assert not [address for address, text in api.items() if re.search(" at 0x|ForwardRef", text)]


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<a href='../there/'>", None),
        ("<a href='../there/#here'>", None),
        ("<a href='https://example.org/'>", None),
        ("<p><code>- item</code></p>", None),
        ("<a href='../gone/'>", "gone/ leads nowhere"),
        ("<a href='../there/#gone'>", "there/#gone leads to a page without that place"),
        ("<img src='../gone.png'>", "gone.png leads nowhere"),
        ("<script src='https://example.org/a.js'></script>", "a.js from elsewhere"),
        ("<link rel='stylesheet' href='//example.org/a.css'>", "a.css from elsewhere"),
        ("<p>Text:\n- item</p>", "shown as text"),
        ("<p>Text:\n| a | b |\n</p>", "shown as text"),
    ],
)
def test_the_check_finds_faults(tmp_path: Path, page: str, fault: str | None) -> None:
    pages = {
        "index.html": "<nav><a href='there/'></a><a href='page/'></a></nav>",
        "there/index.html": "<h2 id='here'></h2>",
        "page/index.html": page,
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    faults = check_site.check_site(tmp_path)
    assert len(faults) == (fault is not None)
    assert fault is None or fault in faults[0]


def test_the_check_finds_pages_that_are_not_in_the_navigation(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<a href='page/'>Not in the navigation.</a>")
    (tmp_path / "page").mkdir()
    (tmp_path / "page/index.html").write_text("")
    assert check_site.check_site(tmp_path) == ["page/index.html is not in the navigation"]


@pytest.mark.parametrize("module", [site_commands, site_docstrings, site_pages])
def test_examples_in_the_scripts(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
