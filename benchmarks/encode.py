"""Measure the speed of encoding, and compare it with that of other plain-BPE encoders.

    python benchmarks/encode.py --repeats 5

A BoundlessBPE and a plain BPE of 131,072 tokens are trained on the training corpus; the peers use
the plain one. Every run is a separate process, pinned to one core. The encoders alternate, and the
best of several runs counts. The texts are the two halves of the evaluation corpus; encoders.py
describes the three speeds. All plain BPEs must give the same ids in every run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import results
import superword
from harness import WORK, Figures, prepare_corpus, read_evaluation_texts, write_once
from train import PYTHON, install_peers

# The Python interpreter, the name of the encoder, and its model.
Encoder = tuple[Path | str, str, Path]

# A slower encoder, in MB/s, is run only once.
MIN_SPEED = 5
VOCAB_SIZE = 131_072
SPEEDS = ["first", "unseen", "seen"]
PEERS = {
    "gigatoken": "plain.tokenizer.json",
    "fastokens": "plain.tokenizer.json",
    "tiktoken": "plain.tiktoken",
    "tokenizers": "plain.tokenizer.json",
}


def prepare_halves() -> tuple[Path, Path]:
    """Return the evaluation corpus as two lists of texts."""

    def write(path: Path) -> None:
        texts = read_evaluation_texts()
        half = len(texts) // 2
        chosen = texts[:half] if path.name.startswith("eval-0") else texts[half:]
        path.write_text(json.dumps(chosen), encoding="utf-8")

    return write_once("eval-0.json", write), write_once("eval-1.json", write)


def prepare_models(megabytes: int) -> tuple[Path, Path]:
    """Train both models, and export the plain one in the formats of the peers."""
    text = prepare_corpus(megabytes)

    def train(path: Path, **options: Any) -> None:
        superword.train(text, VOCAB_SIZE, pattern="gpt4o", **options).save(path)

    boundless = write_once(
        f"encode-{megabytes}.json", lambda path: train(path, max_superwords=None)
    )
    plain = write_once(
        f"encode-plain-{megabytes}.json",
        lambda path: train(path, supermerges=False, deletion=None),
    )
    tok = superword.load(plain)
    superword.export(tok, WORK / "plain.tokenizer.json", "tokenizer.json")
    superword.export(tok, WORK / "plain.tiktoken", "tiktoken")
    return boundless, plain


def start_encoder(
    python: Path | str, name: str, model: Path, cores: int = 1
) -> subprocess.Popen[str]:
    """Start an encoder on a number of cores, with as many threads."""
    script = Path(__file__).with_name("encoders.py")
    command = [str(python), str(script), name, str(model), *map(str, prepare_halves()), str(cores)]
    limits = {"RAYON_NUM_THREADS": str(cores), "TOKENIZERS_PARALLELISM": str(cores > 1).lower()}
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | limits,
        preexec_fn=lambda: os.sched_setaffinity(0, range(cores)),
    )


def wait_for_figures(process: subprocess.Popen[str]) -> Figures:
    """Wait for an encoder, and return its figures."""
    output, _ = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"{process.args!r} failed")
    figures: Figures = json.loads(output.strip().splitlines()[-1])
    return figures


def combine_runs(runs: Sequence[Figures]) -> Figures:
    """Return the best speeds of several runs, which must give the same ids."""
    if any(figures["sha256"] != runs[0]["sha256"] for figures in runs):
        raise SystemExit("two runs gave different ids")
    speeds = {speed: max(figures[speed] for figures in runs) for speed in SPEEDS}
    return {**runs[0], **speeds, "load": min(figures["load"] for figures in runs)}


def measure_speeds(encoders: Mapping[str, Encoder], repeats: int) -> dict[str, Figures]:
    """Return the best speeds of encoders; they alternate, so that machine noise hits all alike."""
    runs: dict[str, list[Figures]] = {name: [] for name in encoders}
    for turn in range(repeats):
        for name, encoder in encoders.items():
            if turn == 0 or runs[name][0]["seen"] > MIN_SPEED:
                runs[name].append(wait_for_figures(start_encoder(*encoder)))
    return {name: combine_runs(found) for name, found in runs.items()}


def measure_scaling(model: Path, repeats: int) -> dict[str, float]:
    """Return the speed on seen text of one thread, two threads, and two concurrent processes."""

    def measure(cores: int) -> float:
        processes = (
            start_encoder(sys.executable, "superword", model, cores) for _ in range(repeats)
        )
        return max(float(wait_for_figures(process)["seen"]) for process in processes)

    one, threads = measure(1), measure(2)
    pairs = []
    for _ in range(repeats):
        started = [start_encoder(sys.executable, "superword", model) for _ in range(2)]
        for core, process in enumerate(started):
            os.sched_setaffinity(process.pid, {core})
        pairs.append(sum(wait_for_figures(process)["seen"] for process in started))
    return {"one": one, "two threads": threads, "two processes": max(pairs)}


def time_first_sentence(model: Path) -> float:
    """Return the seconds to load a model and encode a sentence, in a separate process."""
    code = (
        "import sys, time, superword; start = time.perf_counter();"
        "superword.load(sys.argv[1]).encode('The first sentence.');"
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
    ordinary = "\n".join(json.loads(prepare_halves()[0].read_text(encoding="utf-8")))
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
    options = parser.parse_args()
    versions = install_peers(["numpy", *PEERS])
    boundless, plain = prepare_models(options.size)
    encoders: dict[str, Encoder] = {
        "superword, BoundlessBPE": (sys.executable, "superword", boundless),
        "superword, plain BPE": (sys.executable, "superword", plain),
    }
    for name, file in PEERS.items():
        encoders[f"{name} {versions[name]}"] = (PYTHON, name, WORK / file)
    measured = measure_speeds(encoders, options.repeats)
    plain_ids = {str(f["sha256"]) for n, f in measured.items() if n != "superword, BoundlessBPE"}
    if len(plain_ids) > 1:
        raise SystemExit("the plain BPEs give different ids")
    rows: list[list[object]] = [["encoder", *SPEEDS, "load, s", "GB"]]
    for name, found in measured.items():
        speeds = [f"{found[speed]:.0f}" for speed in SPEEDS]
        rows.append([name, *speeds, f"{found['load']:.2f}", f"{found['gigabytes']:.2f}"])
    gain = measure_scaling(boundless, options.repeats)
    sentence = min(time_first_sentence(boundless) for _ in range(options.repeats))
    slow = time_hostile(boundless)
    ratios: list[list[object]] = [["10 MB of", "seconds", "/ ordinary text"]]
    for name, seconds in slow.items():
        ratios.append([name, f"{seconds:.2f}", f"{seconds / slow['ordinary text']:.1f}"])
    results.save(
        "encode",
        "Encoding, one thread, vocabulary 131,072",
        {
            "peers": versions,
            "speeds": measured,
            "scaling": gain,
            "first_sentence": sentence,
            "hostile": slow,
        },
        [
            f"MB of text per second, best of {options.repeats} processes: on a first pass, then on "
            "unseen text, then on text seen before. All plain BPEs gave the same ids.",
            results.format_table(rows),
            f"Seen text: one thread {gain['one']:.0f} MB/s, two threads "
            f"{gain['two threads']:.0f}, two concurrent processes {gain['two processes']:.0f}. "
            f"Loading the model and encoding a first sentence: {sentence:.2f} s.",
            results.format_table(ratios),
        ],
    )


if __name__ == "__main__":
    main()
