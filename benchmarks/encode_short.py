"""Measure the time to encode a short text from Python, beside other encoders.

    python benchmarks/encode_short.py --repeats 3

The texts are the first 100 and 2,000 characters of prose and of code, from the evaluation corpus.
short_texts.py times the call that a user would write, on text that the encoder has seen before.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import results
from benchmark_text import parse_options
from encode_runs import BOUNDLESS, PLAIN, line_up, start_script, wait_for_figures
from harness import Figures, read_evaluation_texts, write_once
from languages import find_language

SIZES = [100, 2000]


def choose_texts() -> dict[str, str]:
    """Return texts by name: the middle of the first long documents."""
    texts = {}
    for language in ("English", "code"):
        whole = next(
            text
            for text in read_evaluation_texts()
            if len(text) > 4 * max(SIZES) and find_language(text) == language
        )
        start = len(whole) // 2
        for size in SIZES:
            texts[f"{size:,} characters of {language}"] = whole[start : start + size]
    return texts


def main() -> None:
    """Measure and write `results/encode_short`."""
    parser = argparse.ArgumentParser(description="Measure the encoding of short texts.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="training text")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (default: 3)")
    options = parse_options(parser)
    encoders, versions = line_up(options.size)
    ours = {name: encoders[name] for name in (BOUNDLESS, PLAIN)}
    for name, encoder in list(ours.items()):
        ours[f"{name}, array"] = encoder._replace(name="superword array")
    encoders = ours | encoders

    def write(path: Path) -> None:
        path.write_text(json.dumps(choose_texts()), encoding="utf-8")

    texts = write_once("short-texts.json", write)
    runs: dict[str, list[Figures]] = {name: [] for name in encoders}
    for _ in range(options.repeats):
        for name, encoder in encoders.items():
            runs[name].append(wait_for_figures(start_script("short_texts.py", encoder, texts)))
    labels = list(json.loads(texts.read_text(encoding="utf-8")))
    times = {
        name: {label: min(run["texts"][label]["microseconds"] for run in found) for label in labels}
        for name, found in runs.items()
    }
    rows: list[list[object]] = [["encoder", "returns", *labels]]
    for name, found in times.items():
        returns = runs[name][0]["returns"]
        rows.append([name, returns, *(f"{found[label]:.2f}" for label in labels)])
    gigatoken = next(found for name, found in times.items() if name.startswith("gigatoken"))
    for name in ours:
        ratios = (f"{times[name][label] / gigatoken[label]:.2f}" for label in labels)
        rows.append([f"{name} / gigatoken", "", *ratios])
    results.save(
        "encode_short",
        "Encoding short texts from Python, vocabulary 131,072",
        {"microseconds": times},
        [
            f"Microseconds for one call, text seen before, best of {options.repeats} processes. "
            "A list holds integers of Python, which take longer to make than an array; "
            "`encode_to_numpy` gives an array.",
            results.format_table(rows),
        ],
        peers=versions,
    )


if __name__ == "__main__":
    main()
