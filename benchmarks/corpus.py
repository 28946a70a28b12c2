"""Measure how fast a corpus is read, in every format, in a pass that only counts documents.

    python benchmarks/corpus.py

The input is the first 100 MB of the training corpus, rewritten in each format. For input that can
be read only once, the time includes spooling.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import zstandard

import results
from benchmark_text import parse_options, read_documents
from harness import time_best
from superword.corpus import open_corpus

SIZE = 100_000_000


def take_documents(size: int) -> list[str]:
    """Read documents of the training corpus until they have this many bytes."""
    documents = []
    for text in read_documents("corpus"):
        documents.append(text)
        size -= len(text.encode())
        if size <= 0:
            break
    return documents


def write_formats(folder: Path, documents: list[str], *, ascii: bool = True) -> dict[str, Any]:
    """Write the documents in every format; return the corpora by the format's name.

    `ascii` escapes characters beyond ASCII in JSON, as most writers do by default.
    """
    objects = (json.dumps({"text": text}, ensure_ascii=ascii) for text in documents)
    lines = "".join(line + "\n" for line in objects).encode()
    (folder / "a.jsonl").write_bytes(lines)
    (folder / "a.jsonl.zst").write_bytes(zstandard.compress(lines))
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines, 6))
    (folder / "a.jsonl.bz2").write_bytes(bz2.compress(lines))
    (folder / "a.txt").write_bytes("\0".join(documents).encode())
    pyarrow.parquet.write_table(
        pyarrow.table({"text": documents}), folder / "a.parquet", row_group_size=2000
    )
    files = ["a.jsonl", "a.jsonl.zst", "a.jsonl.gz", "a.jsonl.bz2", "a.txt", "a.parquet"]
    return {name.removeprefix("a"): folder / name for name in files} | {"list of str": documents}


def measure(corpus: Any, expected: tuple[int, int, int], threads: int, repeats: int) -> float:
    """Return the speed of opening and reading a corpus, in MB of text per second."""

    def count() -> None:
        found = tuple(open_corpus(corpus, separator="\0").count(threads).values())
        if found != expected:
            raise SystemExit(f"{corpus!s:.50}: read {found} instead of {expected}")

    return expected[1] / time_best(repeats, count)[0] / 1e6


def main() -> None:
    """Measure and write `results/corpus`."""
    parser = argparse.ArgumentParser(description="Measure how fast a corpus is read.")
    parser.add_argument("--size", type=int, default=SIZE, help="bytes of text")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    options = parse_options(parser)
    documents = take_documents(options.size)
    expected = (len(documents), sum(len(text.encode()) for text in documents), 0)
    rows: list[list[object]] = [["input", "1 thread", "2 threads"]]
    speeds = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, corpus in write_formats(Path(folder), documents).items():
            one, two = (measure(corpus, expected, t, options.repeats) for t in (1, 2))
            speeds[name] = {"1 thread": one, "2 threads": two}
            rows.append([name, f"{one:.0f}", f"{two:.0f}"])
    section = f"MB of text per second, {expected[1]:,} bytes.\n\n{results.format_table(rows)}"
    results.save("corpus", "Reading a corpus", {"MB/s": speeds}, [section])


if __name__ == "__main__":
    main()
