"""Check a built documentation site: `python scripts/check_site.py target/site`.

Links and anchors lead somewhere, the navigation has every page, pages load nothing from elsewhere,
and no Markdown is left as it was written.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

__all__ = ["Page", "check_site"]

BASE = "http://site.invalid/"
# Pages of their own, which the theme does not make.
OWN_PAGES = ("playground/live/", "results/report.html")
# Lists and tables that GitHub shows and the site's Markdown takes for text, as do long fences.
LEFT_OVER = re.compile(r"^\s*(?:[-*] \S|\d+\. \S|\|.*\|\s*$|```|#+ )", re.MULTILINE)


class Page(HTMLParser):
    """What a page links to, loads and shows.

    Attributes:
        anchors: The ids of its elements.
        links: The addresses of its links.
        navigation: Those of them that are in the navigation.
        loaded: The addresses of its pictures, scripts and style sheets.
        paragraphs: The text of its paragraphs, without code.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.navigation: set[str] = set()
        self.loaded: set[str] = set()
        self.paragraphs: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element."""
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.anchors.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
            if "nav" in self.open:
                self.navigation.add(found["href"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.loaded.add(found["href"])
        if tag in ("img", "script", "source", "iframe") and "src" in found:
            self.loaded.add(found["src"])
        if tag in ("nav", "code", "p"):
            self.open.append(tag)
        if tag == "p":
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag)]

    def handle_data(self, data: str) -> None:
        """Add text to a paragraph."""
        if "p" in self.open and "code" not in self.open:
            self.paragraphs[-1] += data


def check_site(site: Path) -> list[str]:
    """Return what is wrong with a site, a sentence for each fault."""
    pages = {
        BASE + path.relative_to(site).as_posix(): Page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    faults = []
    for address, page in pages.items():
        name = address.removeprefix(BASE)
        if name.startswith(OWN_PAGES) or name == "404.html":
            continue
        for target in sorted(page.links | page.loaded):
            faults += [f"{name}: {fault}" for fault in check_target(target, address, site, pages)]
        for target in sorted(page.loaded):
            if not urljoin(address, target).startswith(BASE):
                faults.append(f"{name} loads {target} from elsewhere")
        for paragraph in page.paragraphs:
            if LEFT_OVER.search(paragraph):
                faults.append(f"{name}: a list or a table is shown as text: {paragraph[:80]!r}")
    home = pages[f"{BASE}index.html"]
    listed = {resolve(target, f"{BASE}index.html") for target in home.navigation}
    for address in pages.keys() - listed:
        name = address.removeprefix(BASE)
        if not name.startswith(OWN_PAGES) and name not in ("index.html", "404.html"):
            faults.append(f"{name} is not in the navigation")
    return faults


def resolve(target: str, page: str) -> str:
    """Return the address of the file that a link leads to."""
    address = urldefrag(urljoin(page, target)).url
    return address + "index.html" if address.endswith("/") else address


def check_target(target: str, page: str, site: Path, pages: dict[str, Page]) -> list[str]:
    """Return what is wrong with a link of a page."""
    if not urljoin(page, target).startswith(BASE):
        return []
    address = resolve(target, page)
    anchor = unquote(urldefrag(target).fragment)
    if not (site / unquote(address.removeprefix(BASE))).is_file():
        return [f"{target} leads nowhere"]
    # `__` begins the names that the theme's own scripts use.
    if anchor and not anchor.startswith("__") and anchor not in pages[address].anchors:
        return [f"{target} leads to a page without that place"]
    return []


if __name__ == "__main__":
    faults = check_site(Path(sys.argv[1]))
    if faults:
        sys.exit("\n".join(faults))
