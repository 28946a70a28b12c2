"""The pages of the documentation site: files of the repository, with links that work there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

__all__ = ["FOLDERS", "REPOSITORY", "link_docs", "read_pages", "rewrite_links"]

ROOT = Path(__file__).parent.parent
REPOSITORY = "https://github.com/superword/superword"
# Files outside `docs` that are pages of the site.
PAPERS = {
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "docs/results/README.md": "results/index.md",
}
# Folders whose pages, or files, are at another place on the site.
FOLDERS = {
    "benchmarks/results": "benchmarks",
    "docs/pictures": "pictures",
    "docs/results": "results",
    "experiments/language_model/results": "language-model-results",
    "python/superword/playground/site": "playground/live",
}
LINK = re.compile(r"\]\(([^)\s]+)\)")
# On the site, `[guide.md](guide.md)` is "guide".
FILE_NAME = re.compile(r"\[([a-z-]+)\.md\]\(")
CODE = re.compile(r"`[^`]+`")
FENCE = re.compile(r"^ *```")


def find_address(path: str) -> str | None:
    """Return where a file of the repository is on the site, or None.

    Example:
        >>> find_address("docs/guide.md"), find_address("benchmarks/results/encode.md")
        ('guide.md', 'benchmarks/encode.md')
    """
    if path in PAPERS:
        return PAPERS[path]
    parent, name = os.path.split(path)
    if parent == "docs" and name.endswith(".md"):
        return name
    for folder, address in FOLDERS.items():
        if path.startswith(f"{folder}/"):
            return address + path.removeprefix(folder)
    return None


def rewrite_link(target: str, page: str) -> str:
    """Return a link of a file of the repository as a link of its page on the site.

    Raises:
        ValueError: If it leads nowhere.
    """
    place, hash_sign, anchor = target.partition("#")
    if not place or re.match(r"[a-z]+:", place):
        return target
    path = os.path.normpath(PurePosixPath(page).parent / place)
    if not (ROOT / path).exists():
        raise ValueError(f"{page} links to {target}, which is not there")
    is_folder = (ROOT / path).is_dir()
    address, own = None if is_folder else find_address(path), find_address(page)
    if address is None or own is None:
        view = "tree" if is_folder else "blob"
        return f"{REPOSITORY}/{view}/main/{path}{hash_sign}{anchor}"
    return os.path.relpath(address, PurePosixPath(own).parent) + hash_sign + anchor


def rewrite_links(text: str, page: str) -> str:
    """Return the text of a file of the repository as that of its page: links, and code fences."""
    lines = text.split("\n")
    is_code = False
    for i, line in enumerate(lines):
        if FENCE.match(line):
            is_code = not is_code
            if is_code and line.endswith("python") and lines[i + 1].lstrip().startswith(">>>"):
                lines[i] = line.removesuffix("python") + "pycon"
        elif not is_code:
            line = FILE_NAME.sub(r"[\1](", line)
            if line.startswith("|"):
                # Here, a bar in code needs no backslash, and would show it.
                line = CODE.sub(lambda code: code[0].replace(r"\|", "|"), line)
            lines[i] = LINK.sub(lambda link: f"]({rewrite_link(link[1], page)})", line)
    return "\n".join(lines)


def link_docs(text: str, address: str) -> str:
    """Return a generated page with a link wherever it names a file of `docs`.

    Example:
        >>> link_docs("docs/scale.md explains it.", "api/spark.md")
        '[scale](../scale.md) explains it.'
    """

    def link(match: re.Match[str]) -> str:
        target = os.path.relpath(match[1], PurePosixPath(address).parent)
        return f"[{match[1].removesuffix('.md')}]({target}{match[2] or ''})"

    return re.sub(r"(?<![\w/])docs/([\w-]+\.md)(#[\w-]+)?", link, text)


def read_pages() -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each page that is a file of the repository."""
    results = [f"{folder}/**/*.md" for folder in FOLDERS]
    for pattern in ("*.md", "docs/*.md", *results):
        for file in sorted(ROOT.glob(pattern)):
            path = file.relative_to(ROOT).as_posix()
            address = find_address(path)
            if address is not None:
                text = rewrite_links(file.read_text("utf-8"), path)
                if not text.startswith("# "):
                    title = file.stem.replace("-", " ").capitalize()
                    text = f"# {title}\n\n{text}"
                yield address, text
