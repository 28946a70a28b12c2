"""How fast texts are encoded, beside plain-BPE encoders of the same size.

    python benchmarks/encode.py --repeats 5

A BoundlessBPE and a plain BPE of 131,072 tokens are trained on the training corpus; the peers get
the plain one. Every run is a process of its own, pinned to one core; they take turns, and the best
of several counts. The texts are the evaluation corpus in two halves: see encoders.py for the three
speeds. All plain BPEs must give the same ids, and every run of an encoder the same as the others.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

import results
import superword
from runs import WORK, corpus, written
from train import PYTHON, peers

Figures = dict[str, Any]
# The Python that runs it, its name, and its model.
Encoder = tuple[Path | str, str, Path]

# An encoder that is slower than so many MB/s is run once.
SLOW = 5
VOCAB_SIZE = 131_072
SPEEDS = ["first", "unseen", "seen"]
PEERS = {
    "gigatoken": "plain.tokenizer.json",
    "fastokens": "plain.tokenizer.json",
    "tiktoken": "plain.tiktoken",
    "tokenizers": "plain.tokenizer.json",
}


def halves() -> tuple[Path, Path]:
    """The evaluation corpus as two lists of texts."""

    def write(path: Path) -> None:
        with (results.SHARED / "corpus/eval.jsonl.zst").open("rb") as packed:
            unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
            lines = io.TextIOWrapper(unpacked, encoding="utf-8").readlines()
        texts = [json.loads(line)["text"] for line in lines]
        half = len(texts) // 2
        chosen = texts[:half] if path.name.startswith("eval-0") else texts[half:]
        path.write_text(json.dumps(chosen), encoding="utf-8")

    return written("eval-0.json", write), written("eval-1.json", write)


def models(megabytes: int) -> tuple[Path, Path]:
    """Our two models, and the plain one in the formats of the peers."""
    text = corpus(megabytes)

    def train(path: Path, **options: Any) -> None:
        superword.train(text, VOCAB_SIZE, pattern="gpt4o", **options).save(path)

    boundless = written(f"encode-{megabytes}.json", train)
    plain = written(
        f"encode-plain-{megabytes}.json",
        lambda path: train(path, supermerges=False, deletion=None),
    )
    tok = superword.load(plain)
    superword.export(tok, WORK / "plain.tokenizer.json", "tokenizer.json")
    superword.export(tok, WORK / "plain.tiktoken", "tiktoken")
    return boundless, plain


def run(python: Path | str, name: str, model: Path, cores: int = 1) -> subprocess.Popen[str]:
    """Start an encoder on so many cores, and as many threads."""
    script = Path(__file__).with_name("encoders.py")
    command = [str(python), str(script), name, str(model), *map(str, halves()), str(cores)]
    limits = {"RAYON_NUM_THREADS": str(cores), "TOKENIZERS_PARALLELISM": str(cores > 1).lower()}
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | limits,
        preexec_fn=lambda: os.sched_setaffinity(0, range(cores)),
    )


def finished(started: subprocess.Popen[str]) -> Figures:
    """The figures of an encoder that was started."""
    output, _ = started.communicate()
    if started.returncode != 0:
        raise SystemExit(f"{started.args!r} failed")
    figures: Figures = json.loads(output.strip().splitlines()[-1])
    return figures


def best(runs: Sequence[Figures]) -> Figures:
    """The best speeds of several runs, whose ids must be the same."""
    if any(figures["sha256"] != runs[0]["sha256"] for figures in runs):
        raise SystemExit("two runs gave different ids")
    speeds = {speed: max(figures[speed] for figures in runs) for speed in SPEEDS}
    return {**runs[0], **speeds, "load": min(figures["load"] for figures in runs)}


def in_turns(encoders: Mapping[str, Encoder], repeats: int) -> dict[str, Figures]:
    """The best speeds of encoders that run in turns, so that all meet the same good moments."""
    runs: dict[str, list[Figures]] = {name: [] for name in encoders}
    for turn in range(repeats):
        for name, encoder in encoders.items():
            if turn == 0 or runs[name][0]["seen"] > SLOW:
                runs[name].append(finished(run(*encoder)))
    return {name: best(found) for name, found in runs.items()}


def scaling(model: Path, repeats: int) -> dict[str, float]:
    """What two threads gain on seen text, and what two processes at once do, in one run."""
    one = max(finished(run(sys.executable, "superword", model))["seen"] for _ in range(repeats))
    threads = max(
        finished(run(sys.executable, "superword", model, 2))["seen"] for _ in range(repeats)
    )
    pairs = []
    for _ in range(repeats):
        started = [run(sys.executable, "superword", model) for _ in range(2)]
        for core, process in enumerate(started):
            os.sched_setaffinity(process.pid, {core})
        pairs.append(sum(finished(process)["seen"] for process in started))
    return {"one": one, "two threads": threads, "two processes": max(pairs)}


def first_sentence(model: Path) -> float:
    """Seconds to load a model and encode a sentence, in a process of its own."""
    code = (
        "import sys, time, superword; start = time.perf_counter();"
        "superword.load(sys.argv[1]).encode('The first sentence.');"
        "print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", code, str(model)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def hostile(model: Path) -> dict[str, float]:
    """Seconds to encode 10 MB of texts made to be slow, and of ordinary text."""
    tok = superword.load(model)
    size = 10_000_000
    longest = max(
        (id for id in range(tok.vocab_size) if tok.is_superword(id)),
        key=lambda id: len(tok.token_bytes(id)),
    )
    prefix = " ".join(tok.token_bytes(longest).decode().split(" ")[:-1])
    ordinary = "\n".join(json.loads(halves()[0].read_text(encoding="utf-8")))
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
    parser.add_argument("--size", type=int, default=1000, metavar="MB", help="of training text")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    options = parser.parse_args()
    versions = peers(["numpy", *PEERS])
    boundless, plain = models(options.size)
    encoders: dict[str, Encoder] = {
        "superword, BoundlessBPE": (sys.executable, "superword", boundless),
        "superword, plain BPE": (sys.executable, "superword", plain),
    }
    for name, file in PEERS.items():
        encoders[f"{name} {versions[name]}"] = (PYTHON, name, WORK / file)
    measured = in_turns(encoders, options.repeats)
    plain_ids = {str(f["sha256"]) for n, f in measured.items() if n != "superword, BoundlessBPE"}
    if len(plain_ids) > 1:
        raise SystemExit("the plain BPEs do not give the same ids")
    rows: list[list[object]] = [["encoder", *SPEEDS, "load, s", "GB"]]
    for name, found in measured.items():
        speeds = [f"{found[speed]:.0f}" for speed in SPEEDS]
        rows.append([name, *speeds, f"{found['load']:.2f}", f"{found['gigabytes']:.2f}"])
    gain = scaling(boundless, options.repeats)
    sentence = min(first_sentence(boundless) for _ in range(options.repeats))
    slow = hostile(boundless)
    ratios: list[list[object]] = [["10 MB of", "seconds", "of ordinary text"]]
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
            f"MB of text a second, best of {options.repeats} processes: on a first pass, on unseen "
            "text after it, and on text seen before. All plain BPEs gave the same ids.",
            results.table(rows),
            f"Seen text: one thread {gain['one']:.0f} MB/s, two threads "
            f"{gain['two threads']:.0f}, two processes at once {gain['two processes']:.0f}. "
            f"Loading the model and encoding a first sentence: {sentence:.2f} s.",
            results.table(ratios),
        ],
    )


if __name__ == "__main__":
    main()
