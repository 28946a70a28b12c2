"""Measure the speed of encoding, and compare it with that of other plain-BPE encoders.

    python benchmarks/encode.py --repeats 5

A BoundlessBPE and a plain BPE of 131,072 tokens are trained on the training corpus; the peers use
the plain one. Every run is a separate process, pinned to one core. The encoders alternate, and the
best of several runs counts. The texts are the two halves of the evaluation corpus; encoders.py
describes the speeds. All plain BPEs must give the same ids in every run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import results
import superword
from benchmark_text import parse_options
from encode_runs import (
    BOUNDLESS,
    SPEEDS,
    Encoder,
    line_up,
    measure_speeds,
    prepare_halves,
    start_encoder,
    wait_for_figures,
)


def measure_scaling(encoder: Encoder, repeats: int) -> dict[str, float]:
    """Return the speed on seen text of one thread, two threads, and two concurrent processes."""
    texts = prepare_halves()

    def measure(cores: int) -> float:
        processes = (start_encoder(encoder, texts, cores) for _ in range(repeats))
        return max(float(wait_for_figures(process)["seen"]) for process in processes)

    one, threads = measure(1), measure(2)
    pairs = []
    for _ in range(repeats):
        started = [start_encoder(encoder, texts) for _ in range(2)]
        for core, process in enumerate(started):
            os.sched_setaffinity(process.pid, {core})
        pairs.append(sum(wait_for_figures(process)["seen"] for process in started))
    return {"one": one, "two threads": threads, "two processes": max(pairs)}


def time_first_sentence(model: Path) -> float:
    """Return the seconds to load a model and encode a sentence, in a separate process."""
    code = (
        "import sys, time; from superword import load; start = time.perf_counter();"
        "load(sys.argv[1]).encode('The first sentence.');"
        "print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", code, str(model)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def time_hostile(model: Path) -> dict[str, float]:
    """Return the seconds to encode 10 MB of pathological texts and of ordinary text."""
    tok = superword.load(model)
    size = 10_000_000
    longest = max(
        (id for id in range(tok.vocab_size) if tok.is_superword(id)),
        key=lambda id: len(tok.token_bytes(id)),
    )
    prefix = " ".join(tok.token_bytes(longest).decode().split(" ")[:-1])
    ordinary = "\n".join(json.loads(prepare_halves().first.read_text(encoding="utf-8")))
    texts = {
        "ordinary text": ordinary,
        "one letter": "a",
        "digits": "1234567890",
        "spaces": " ",
        "marks": "\u0301",
        " the the the": " the",
        "a superword's prefix": prefix,
        "punctuation": "!?",
    }
    taken = {}
    for name, text in texts.items():
        whole = (text * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")
        start = time.perf_counter()
        tok.encode_batch_to_numpy([whole], threads=1)
        taken[name] = time.perf_counter() - start
    start = time.perf_counter()
    tok.encode_bytes(os.urandom(size))
    return taken | {"random bytes": time.perf_counter() - start}


def main() -> None:
    """Measure and write `results/encode`."""
    parser = argparse.ArgumentParser(description="Measure encoding.")
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="training text")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    options = parse_options(parser)
    encoders, versions = line_up(options.size)
    measured = measure_speeds(encoders, prepare_halves(), options.repeats)
    rows: list[list[object]] = [["encoder", *SPEEDS, "load, s", "load and 10 KB, s", "GB"]]
    for name, found in measured.items():
        speeds = [f"{found[speed]:.0f}" for speed in SPEEDS]
        times = [f"{found[column]:.2f}" for column in ("load", "10 KB", "gigabytes")]
        rows.append([name, *speeds, *times])
    boundless = encoders[BOUNDLESS]
    gain = measure_scaling(boundless, options.repeats)
    sentence = min(time_first_sentence(boundless.model) for _ in range(options.repeats))
    slow = time_hostile(boundless.model)
    ratios: list[list[object]] = [["10 MB of", "seconds", "/ ordinary text"]]
    for name, seconds in slow.items():
        ratios.append([name, f"{seconds:.2f}", f"{seconds / slow['ordinary text']:.1f}"])
    share = gain["two threads"] / gain["two processes"]
    results.save(
        "encode",
        "Encoding, one thread, vocabulary 131,072",
        {
            "speeds": measured,
            "scaling": gain,
            "first_sentence": sentence,
            "hostile": slow,
        },
        [
            f"MB of text per second, best of {options.repeats} processes: on a first pass, from "
            "the model file on disk to the last id; then on unseen text, then on text seen before. "
            "Loading alone, and loading with 10 KB of text, in seconds. All plain BPEs gave the "
            "same ids.",
            results.format_table(rows),
            f"Seen text: one thread {gain['one']:.0f} MB/s, two threads "
            f"{gain['two threads']:.0f}, two concurrent processes {gain['two processes']:.0f}: "
            f"threads have {share:.2f} of the speed of processes. Loading the BoundlessBPE and "
            f"encoding a first sentence: {sentence:.3f} s.",
            results.format_table(ratios),
        ],
        peers=versions,
    )


if __name__ == "__main__":
    main()
