"""Measure the memory of training, counting and encoding hostile files under a memory limit.

    python benchmarks/memory_limit.py

Each case runs in a process of its own. Its largest resident memory, with the interpreter and all
libraries, is compared with the limit. A case may end with an error that names the limit; it must
not exceed it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import results
from benchmark_text import find_work_folder, parse_options
from superword import _core
from superword.sizes import parse_size
from trainers import peak_gigabytes

LIMITS = ("512MB", "1GB", "2GB")
# As in `memory_budget.rs`.
OVERHEAD, BYTES_PER_CELL = 96_000_000, 30
LINE_MEGABYTES = 2000
# A case that takes more is ended.
MOST_GIGABYTES = 5.0
MEGABYTE = 1_000_000
# Of 32 bytes, 26 are letters and 6 are spaces.
LETTERS = bytes(b"abcdefghijklmnopqrstuvwxyz      "[byte % 32] for byte in range(256))
OPEN, CLOSE = b'{"text": "', b'"}\n'
JOBS: dict[str, dict[str, Any]] = {
    "train, BPE": {"pattern": "gpt4o", "supermerges": False, "deletion": None},
    "train, BoundlessBPE": {},
    "train, SuperBPE": {
        "pattern": "gpt4o",
        "supermerges": False,
        "deletion": None,
        "transition": 2000,
    },
    "count": {},
    "encode": {},
}


def random_words(megabytes: int) -> Iterator[bytes]:
    """Yield words that never repeat."""
    for _ in range(megabytes):
        yield os.urandom(MEGABYTE).translate(LETTERS)


def random_lines(megabytes: int) -> Iterator[bytes]:
    """Yield JSON lines of a megabyte, of words that never repeat."""
    for words in random_words(megabytes):
        yield OPEN + words + CLOSE


def one_line(megabytes: int) -> Iterator[bytes]:
    """Yield one JSON line of one letter."""
    yield OPEN
    for _ in range(megabytes):
        yield b"a" * MEGABYTE
    yield CLOSE


def learnable_words(limit: int) -> Iterator[bytes]:
    """Yield as many distinct words as learning merges on them just fits the limit."""
    bytes_left = (limit - OVERHEAD) // BYTES_PER_CELL * 5 // 6
    while bytes_left > 0:
        yield from random_lines(1)
        bytes_left -= MEGABYTE


def largest_document(limit: int, job: str) -> Iterator[bytes]:
    """Yield one line that is just not refused, of short words."""
    shares = _core.ENCODED_DOCUMENTS_PER_LIMIT if job == "encode" else _core.DOCUMENTS_PER_LIMIT
    words = b" ab a b" * (limit // shares // 7 - 10)
    for _ in range(3):
        yield OPEN + words + CLOSE


def short_lines(megabytes: int) -> Iterator[bytes]:
    """Yield short JSON lines."""
    line = OPEN + b"a" + CLOSE
    for _ in range(megabytes):
        yield line * (MEGABYTE // len(line))


def write_plain(path: Path, parts: Iterator[bytes]) -> None:
    """Write a file."""
    with path.open("wb") as file:
        file.writelines(parts)


def write_zstd(path: Path, parts: Iterator[bytes], window_log: int = 0) -> None:
    """Write one frame; a larger window than usual is stated in its header."""
    import zstandard

    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=window_log)
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    with path.open("wb") as file, compressor.stream_writer(file) as frame:
        for part in parts:
            frame.write(part)


def write_bomb(path: Path, compress: Callable[[bytes], bytes], gigabytes: int) -> None:
    """Write one JSON line of this many gigabytes, as many small frames."""
    letters = compress(b"a" * (100 * MEGABYTE))
    with path.open("wb") as file:
        file.write(compress(OPEN))
        for _ in range(gigabytes * 10):
            file.write(letters)
        file.write(compress(CLOSE))


def write_table(path: Path, words: int, rows: int) -> None:
    """Write a table of one row group: one text of this many megabytes, again and again."""
    import pyarrow
    import pyarrow.parquet

    text = b"".join(random_words(words)).decode()
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * rows, "int32"), [text])
    table = pyarrow.table({"text": column})
    pyarrow.parquet.write_table(table, path, compression="zstd", row_group_size=rows)


def write_input(kind: str, path: Path, size: int, limit: int, job: str) -> None:
    """Write a hostile file of this many megabytes of text, or of more, or one for a limit."""
    import zstandard

    frame = zstandard.ZstdCompressor(level=1).compress
    writers: dict[str, Callable[[], None]] = {
        "words that never repeat": lambda: write_plain(path, random_lines(size)),
        "one line": lambda: write_plain(path, one_line(LINE_MEGABYTES)),
        "one text file": lambda: write_plain(path, random_words(size)),
        "zstd, a line of 100 GB": lambda: write_bomb(path, frame, 100),
        "gzip, a line of 100 GB": lambda: write_bomb(path, gzip.compress, 100),
        "zstd, short lines": lambda: write_zstd(path, short_lines(size)),
        "zstd, a window of 2 GB": lambda: write_zstd(path, random_lines(size), 31),
        "Parquet, one text 20 times": lambda: write_table(path, 20, 20),
        "words that just fit": lambda: write_plain(path, learnable_words(limit)),
        "documents that just fit": lambda: write_plain(path, largest_document(limit, job)),
    }
    writers[kind]()


INPUTS = {
    "words that never repeat": "words.jsonl",
    "one line": "line.jsonl",
    "one text file": "text.txt",
    "zstd, a line of 100 GB": "line.jsonl.zst",
    "gzip, a line of 100 GB": "line.jsonl.gz",
    "zstd, short lines": "short.jsonl.zst",
    "zstd, a window of 2 GB": "window.jsonl.zst",
    "Parquet, one text 20 times": "texts.parquet",
    "words that just fit": "fitting.jsonl",
    "documents that just fit": "document.jsonl",
}


def run_job(job: str, text: Path, limit: str, folder: Path) -> dict[str, object]:
    """Run a job in this process, and return its outcome and the peak of its memory."""
    import superword

    options: dict[str, Any] = {"memory_limit": limit, "threads": 2}
    outcome = "done"
    try:
        if job == "count":
            superword.count(text, folder / "counts", **options)
        elif job == "encode":
            tok = superword.load(folder / "model.json")
            superword.encode_corpus(tok, text, folder / "tokens.npy", **options)
        else:
            superword.train(text, 4000, **JOBS[job], **options)
    except (MemoryError, superword.SuperwordError) as error:
        outcome = f"{type(error).__name__}: {error}".replace(str(text.parent) + os.sep, "")
    return {"outcome": outcome, "gigabytes": peak_gigabytes()}


def run_in_child(job: str, text: Path, limit: str, folder: Path) -> dict[str, Any]:
    """Run a job in another process; end it if it takes far too much memory."""
    command = [sys.executable, __file__, "--run", json.dumps([job, str(text), limit, str(folder)])]
    environment = {**os.environ, "TMPDIR": str(folder)}
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    status = Path(f"/proc/{child.pid}/status")
    while child.poll() is None:
        found = re.search(r"VmHWM:\s+(\d+)", status.read_text() if status.exists() else "")
        if found and int(found[1]) * 1024 / 1e9 > MOST_GIGABYTES:
            child.kill()
            child.communicate()
            return {"outcome": "ended", "gigabytes": MOST_GIGABYTES, "seconds": 0.0}
        time.sleep(0.05)
    said = child.communicate()[0].strip().splitlines()
    figures = json.loads(said[-1]) if said else {"outcome": "crashed", "gigabytes": 0.0}
    return {**figures, "seconds": time.monotonic() - start}


def main() -> None:
    """Measure and write `results/memory_limit`."""
    parser = argparse.ArgumentParser(description="Measure memory under a limit.")
    parser.add_argument(
        "--size",
        type=int,
        default=100,
        metavar="MB",
        help="text of each file that is read to its end",
    )
    parser.add_argument("--limits", default=",".join(LIMITS))
    parser.add_argument("--jobs", default="", help="only jobs whose name contains this")
    parser.add_argument("--inputs", default="", help="only inputs whose name contains this")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    options = parse_options(parser)
    if options.run:
        job, text, limit, folder = json.loads(options.run)
        print(json.dumps(run_job(job, Path(text), limit, Path(folder))))
        return
    measure(options)


def measure(options: argparse.Namespace) -> None:
    """Run all cases, and save the figures."""
    import superword

    limits = options.limits.split(",")
    cases: list[dict[str, Any]] = []
    work = find_work_folder()
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as name:
        folder = Path(name)
        superword.train(superword.sample(), 4000).save(folder / "model.json")
        for kind, file in INPUTS.items():
            if options.inputs not in kind:
                continue
            for job in (job for job in JOBS if options.jobs in job):
                for limit in limits:
                    given = parse_size(limit)
                    if "just fit" in kind or not (folder / file).exists():
                        write_input(kind, folder / file, options.size, given, job)
                    figures = run_in_child(job, folder / file, limit, folder)
                    case = {"input": kind, "job": job, "limit": limit, **figures}
                    case["share"] = figures["gigabytes"] * 1e9 / given
                    cases.append(case)
                    print(json.dumps(case), file=sys.stderr, flush=True)
                    remove_outputs(folder)
            (folder / file).unlink(missing_ok=True)
    save(cases, limits, options.size)


def remove_outputs(folder: Path) -> None:
    """Remove what a job has written."""
    import shutil

    shutil.rmtree(folder / "counts", ignore_errors=True)
    for path in folder.glob("tokens*"):
        path.unlink()


def save(cases: list[dict[str, Any]], limits: list[str], size: int) -> None:
    """Write the figures and a table: the share of each limit, and whether the job was refused."""
    rows: list[list[object]] = [["input", "job", *limits]]
    for kind, job in dict.fromkeys((case["input"], case["job"]) for case in cases):
        row: list[object] = [kind, job]
        for case in cases:
            if (case["input"], case["job"]) == (kind, job):
                refused = "" if case["outcome"] == "done" else ", refused"
                row.append(f"{case['share']:.0%}{refused}")
        rows.append(row)
    largest = max(case["share"] for case in cases)
    results.save(
        "memory_limit",
        "Memory of hostile files under a limit",
        {"megabytes": size, "cases": cases, "largest_share": largest},
        [
            f"A line of {LINE_MEGABYTES:,} MB, {size:,} MB of other text, two threads. The largest "
            "resident memory of the process as a share of `memory_limit`; Python, numpy and "
            "pyarrow are included. Refused means an error that names the limit and what exceeds "
            f"it. Target: at most 110%. The largest is {largest:.0%}.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
