"""Measure the speed of encoding by language, beside other plain-BPE encoders.

    python benchmarks/encode_languages.py --repeats 3

languages.py says how documents are chosen. Half of those of a language are the text that is seen,
the others the unseen text. The models and the runs are those of encode.py; the slow peers are left
out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import results
from benchmark_text import parse_options
from encode_runs import BOUNDLESS, PLAIN, Halves, line_up, measure_speeds
from harness import Figures, write_once
from languages import LANGUAGES, select_texts

PEERS = ["gigatoken", "fastokens"]
SPEEDS = ["unseen", "seen"]


def prepare_languages() -> dict[str, Halves]:
    """Write the texts of each language, and return their files."""
    whole = write_once(
        "languages.json",
        lambda path: path.write_text(json.dumps(select_texts()), encoding="utf-8"),
    )
    texts = json.loads(whole.read_text(encoding="utf-8"))
    files = {}
    for language in filter(texts.__contains__, LANGUAGES):

        def write(path: Path, halves: list[list[str]] = texts[language]) -> None:
            chosen = halves["-1.json" in path.name]
            path.write_text(json.dumps(chosen), encoding="utf-8")

        names = [f"language-{language}-{half}.json" for half in (0, 1)]
        files[language] = Halves(*(write_once(name, write) for name in names))
    return files


def count_bytes(path: Path) -> int:
    """Return the bytes of the texts in a file."""
    return sum(len(text.encode()) for text in json.loads(path.read_text(encoding="utf-8")))


def compare(measured: dict[str, Figures]) -> dict[str, dict[str, float]]:
    """Return our speeds as shares of those of the best peer."""
    ours = [BOUNDLESS, PLAIN]
    peers = [found for name, found in measured.items() if name not in ours]
    best = {speed: max(found[speed] for found in peers) for speed in SPEEDS}
    return {name: {speed: measured[name][speed] / best[speed] for speed in SPEEDS} for name in ours}


def main() -> None:
    """Measure and write `results/encode_languages`."""
    parser = argparse.ArgumentParser(description="Measure encoding by language.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="training text")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parse_options(parser)
    encoders, versions = line_up(options.size, PEERS)
    columns = [name.removeprefix("superword, ") for name in encoders]
    head = ["text", "MB", *columns, "best share"]
    tables: dict[str, list[list[object]]] = {speed: [list(head)] for speed in SPEEDS}
    figures = {}
    for language, texts in prepare_languages().items():
        measured = measure_speeds(encoders, texts, options.repeats)
        sizes = [count_bytes(texts.second), count_bytes(texts.first)]
        shares = compare(measured)
        figures[language] = {"bytes": sizes, "speeds": measured, "shares": shares}
        for speed, size in zip(SPEEDS, sizes, strict=True):
            speeds = [f"{found[speed]:.0f}" for found in measured.values()]
            share = max(ours[speed] for ours in shares.values())
            tables[speed].append([language, f"{size / 1e6:.2f}", *speeds, f"{share:.2f}"])
    results.save(
        "encode_languages",
        "Encoding by language, one thread, vocabulary 131,072",
        {"languages": figures},
        [
            f"MB of text per second, best of {options.repeats} processes, and the better of our "
            "two models as a share of the best peer. All plain BPEs gave the same ids. The models "
            "have learned from most of these documents; the encoders have not met them before.",
            f"Unseen text:\n\n{results.format_table(tables['unseen'])}",
            f"Text seen before:\n\n{results.format_table(tables['seen'])}",
        ],
        peers=versions,
    )


if __name__ == "__main__":
    main()
