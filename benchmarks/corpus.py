"""How fast a corpus is read, in every format: one pass that only counts.

The first 100 MB of the training corpus, written anew in each format. What can be read only once
is timed with the time it takes to spool it.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import zstandard

import results
from superword.corpus import open_corpus

SIZE = 100_000_000


def read_documents(size: int) -> list[str]:
    """The first documents of the training corpus, of about as many bytes together."""
    documents = []
    with (results.SHARED / "corpus/train-0.jsonl.zst").open("rb") as packed:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
        for line in io.TextIOWrapper(unpacked, encoding="utf-8"):
            documents.append(json.loads(line)["text"])
            size -= len(documents[-1].encode())
            if size <= 0:
                break
    return documents


def write_formats(folder: Path, documents: list[str], *, ascii: bool = True) -> dict[str, Any]:
    """Write the documents in every format; returns what to open, by the format's name.

    JSON spells letters beyond ASCII as escapes, which is the default of most that write it, or not.
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
    """The speed of opening and reading once, in MB of text a second."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = open_corpus(corpus, separator="\0").count(threads)
        times.append(time.perf_counter() - start)
        if found != expected:
            raise SystemExit(f"{corpus!s:.50}: read {found} instead of {expected}")
    return expected[1] / min(times) / 1e6


def main() -> None:
    """Measure and write `results/corpus`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="bytes of text")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    documents = read_documents(arguments.size)
    expected = (len(documents), sum(len(text.encode()) for text in documents), 0)
    rows: list[list[object]] = [["input", "1 thread", "2 threads"]]
    speeds = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, corpus in write_formats(Path(folder), documents).items():
            one, two = (measure(corpus, expected, t, arguments.repeats) for t in (1, 2))
            speeds[name] = {"1 thread": one, "2 threads": two}
            rows.append([name, f"{one:.0f}", f"{two:.0f}"])
    section = f"MB of text a second, {expected[1]:,} bytes.\n\n{results.table(rows)}"
    results.save("corpus", "Reading a corpus", {"MB/s": speeds}, [section])


if __name__ == "__main__":
    main()
