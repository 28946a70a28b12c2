"""Give the links and pictures of README.md full addresses, because PyPI shows it without the files.

    python scripts/pypi_readme.py

It changes README.md, so it is for the checkout of a release: .github/workflows/release.yml.
"""

from __future__ import annotations

import re
from pathlib import Path

from site_pages import REPOSITORY

__all__ = ["link_fully"]

README = Path(__file__).parent.parent / "README.md"
PICTURES = REPOSITORY.replace("github.com", "raw.githubusercontent.com") + "/main/"
FILES = f"{REPOSITORY}/blob/main/"
PICTURE = re.compile(r'((?:src|srcset)=")(?!https:)')
LINK = re.compile(r"(?<=\]\()(?!https:|#)")


def link_fully(text: str) -> str:
    """Return Markdown with full addresses.

    Example:
        >>> print(link_fully('[guide](docs/guide.md) <img src="a.svg">'))  # doctest: +ELLIPSIS
        [guide](https://github.com/.../docs/guide.md) <img src="https://raw.../main/a.svg">
    """
    return LINK.sub(FILES, PICTURE.sub(rf"\g<1>{PICTURES}", text))


def main() -> None:
    """Rewrite the README."""
    README.write_text(link_fully(README.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
