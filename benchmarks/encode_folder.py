"""Measure encoding a folder of `.jsonl.zst` to a `.bin` file, end to end, beside gigatoken.

    python benchmarks/encode_folder.py --repeats 3

The folder holds the start of the training corpus in files of about equal size. The time runs from
the model file on disk to the written ids, on two cores. The plain BPEs must write the same file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from itertools import islice
from pathlib import Path

import zstandard

import results
from benchmark_text import find_work_folder, parse_options, read_documents
from encode_runs import BOUNDLESS, line_up, start_script, wait_for_figures
from harness import Figures, choose_fastest

FILES = 8


def prepare_folder(megabytes: int) -> tuple[Path, int]:
    """Write the folder once; return it, and the bytes of its text."""
    folder = find_work_folder() / f"folder-{megabytes}"
    size_file = find_work_folder() / f"folder-{megabytes}.json"
    if not size_file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        documents, total = read_documents("corpus"), 0
        for number in range(FILES):
            lines, size = [], 0
            while size < megabytes * 1_000_000 / FILES and (taken := list(islice(documents, 1))):
                size += len(taken[0].encode())
                lines.append(json.dumps({"text": taken[0]}, ensure_ascii=False) + "\n")
            compressed = zstandard.compress("".join(lines).encode())
            (folder / f"{number}.jsonl.zst").write_bytes(compressed)
            total += size
        size_file.write_text(json.dumps(total), encoding="utf-8")
    return folder, int(json.loads(size_file.read_text(encoding="utf-8")))


def main() -> None:
    """Measure and write `results/encode_folder`."""
    parser = argparse.ArgumentParser(description="Measure the encoding of a folder.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="training text")
    parser.add_argument("--text", type=int, default=200, metavar="MB", help="text to encode")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parse_options(parser)
    encoders, versions = line_up(options.size, ["gigatoken"])
    folder, size = prepare_folder(options.text)
    runs: dict[str, list[Figures]] = {name: [] for name in encoders}
    for _ in range(options.repeats):
        for name, encoder in encoders.items():
            with tempfile.TemporaryDirectory(dir=find_work_folder()) as target:
                output = Path(target) / "ids.bin"
                script = "folder_encoders.py"
                started = start_script(script, encoder, folder, output, cores=2)
                runs[name].append(wait_for_figures(started))
    plain = {run["sha256"] for name, found in runs.items() if name != BOUNDLESS for run in found}
    if len(plain) > 1:
        raise SystemExit("the plain BPEs wrote different ids")
    measured = {name: choose_fastest(found) for name, found in runs.items()}
    rows: list[list[object]] = [["encoder", "seconds", "MB/s", "GB"]]
    for name, found in measured.items():
        speed = size / 1e6 / found["seconds"]
        rows.append([name, f"{found['seconds']:.2f}", f"{speed:.0f}", f"{found['gigabytes']:.2f}"])
    results.save(
        "encode_folder",
        "Encoding a folder of .jsonl.zst to a .bin file",
        {"bytes": size, "runs": measured},
        [
            f"{size:,} bytes of text in {FILES} files, two cores, from the model file on disk to "
            f"the written ids; best of {options.repeats} processes. The plain BPEs wrote the same "
            "file. superword also writes where each document ends.",
            results.format_table(rows),
        ],
        peers=versions,
    )


if __name__ == "__main__":
    main()
