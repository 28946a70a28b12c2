"""Build the documentation site into target/site.

Its pages are the Markdown files of the repository, the API reference from docstrings, and the
command reference from the options of each command. Then check_site.py follows all links.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from check_site import check_site
from site_api import write_api
from site_commands import write_commands
from site_pages import FOLDERS, read_pages
from superword.playground import find_models
from superword.playground.models import list_models
from superword.tokenizer import BUNDLED_MODELS

__all__ = ["expand_navigation", "write_pages"]

ROOT = Path(__file__).parent.parent
SITE = "python/superword/playground/site"
CONFIG = ROOT / "docs/site/zensical.toml"
STYLE = ROOT / "docs/site/style.css"


def write_pages(folder: Path) -> dict[str, str]:
    """Write the pages of the site, and the files beside them; return titles by address."""
    titles = {}
    for source, address in FOLDERS.items():
        shutil.copytree(ROOT / source, folder / address, ignore=shutil.ignore_patterns("*.md"))
    shutil.copy(STYLE, folder)
    add_models(folder / FOLDERS[SITE])
    for pages in (read_pages(), write_api(), write_commands()):
        for address, text in pages:
            path = folder / address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            titles[address] = text.partition("\n")[0].removeprefix("# ").replace("`", "")
    return titles


def add_models(folder: Path) -> None:
    """Let the playground in a folder open the models in the package."""
    models = find_models(sorted(BUNDLED_MODELS))
    listing = folder / "models.json"
    listing.write_bytes(list_models(models, listing.read_bytes()))
    (folder / "models").mkdir()
    for number, model in enumerate(models):
        (folder / "models" / str(number)).write_bytes(model.read())


def expand_navigation(config: str, titles: dict[str, str]) -> str:
    """Return the configuration with the pages of a folder in place of `FOLDER/*`."""

    def list_folder(match: re.Match[str]) -> str:
        return ", ".join(
            f"{{ {json.dumps(title, ensure_ascii=False)} = {json.dumps(address)} }}"
            for address, title in titles.items()
            if address.startswith(match[1])
        )

    return re.sub(r'"([\w-]+/)\*"', list_folder, config)


def main() -> None:
    """Build the site, check it, and put it in place of the last one."""
    project = ROOT / "target/site-build"
    shutil.rmtree(project, ignore_errors=True)
    titles = write_pages(project / "pages")
    config = project / CONFIG.name
    config.write_text(expand_navigation(CONFIG.read_text("utf-8"), titles), "utf-8")
    subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", config], check=True
    )
    faults = check_site(project / "site")
    if faults:
        sys.exit("\n".join(faults))
    site = ROOT / "target/site"
    shutil.rmtree(site, ignore_errors=True)
    (project / "site").rename(site)
    print(f"{site.relative_to(ROOT)}: python -m http.server --directory target/site shows it")


if __name__ == "__main__":
    main()
