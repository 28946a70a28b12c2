"""Run stages in this process, on one thread, and print the figures of each as JSON.

    python benchmarks/limit_stages.py KIND PROBES.so ARGUMENT...

`PROBES.so` is `probes.c`, compiled. Under Callgrind, each stage is a dump of its own.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

VOCAB_SIZE = 131_072


class Meter:
    """Measures stages: the time of the processor, and the memory that was not there before."""

    def __init__(self, library: str) -> None:
        self.probes = ctypes.CDLL(library)
        self.before = resident_bytes()
        self.stages: dict[str, dict[str, float]] = {}
        self.running: str | None = None

    def begin(self, stage: str, size: int) -> None:
        """End the running stage, and begin another on so many bytes of text."""
        self.end()
        self.running, self.size = stage, size
        self.probes.begin()
        self.start = time.process_time()

    def end(self) -> None:
        """End the running stage, if any."""
        if self.running is not None:
            seconds = time.process_time() - self.start
            self.probes.end(self.running.encode())
            memory = resident_bytes() - self.before
            figures = {"seconds": seconds, "bytes": self.size, "memory": memory}
            self.stages[self.running] = figures
            self.running = None


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    resident = next(line for line in lines if line.startswith("VmRSS:"))
    return int(resident.split()[1]) * 1024


def count_bytes(corpus: str) -> int:
    """Return the bytes of text in a corpus, and leave it in the page cache."""
    from superword.corpus import open_corpus

    return int(open_corpus(Path(corpus)).count(1)["bytes"])


def run_training(meter: Meter, corpus: str) -> None:
    """Train BoundlessBPE; the progress callback tells where its stages begin."""
    import superword

    size = count_bytes(corpus)

    def note(stage: str, done: int, total: int | None) -> None:
        if stage != meter.running:
            meter.begin(stage, size)

    meter.begin("count", size)
    superword.train(
        Path(corpus), VOCAB_SIZE, pattern="gpt4o", max_superwords=None, threads=1, progress=note
    )
    meter.end()


def run_encoding(meter: Meter, model: str, first: str, second: str) -> None:
    """Split, encode and decode texts; the encoder has seen the first ones, not the second."""
    import superword
    from superword._core import Pattern

    seen, unseen = (json.loads(Path(path).read_text(encoding="utf-8")) for path in (first, second))
    sizes = [sum(len(text.encode()) for text in texts) for texts in (seen, unseen)]
    pattern = Pattern("gpt4o")
    # Python keeps the UTF-8 of a text that was asked for.
    for text in [*seen, *unseen]:
        pattern.digest(text)
    meter.before = resident_bytes()
    meter.begin("pretokenize", sizes[0])
    for text in seen:
        pattern.digest(text)
    meter.end()
    tok = superword.load(model)
    for _ in range(2):
        found, _ = tok.encode_batch_to_numpy(seen, 1)
    ids = found.tolist()
    meter.begin("encode seen", sizes[0])
    tok.encode_batch_to_numpy(seen, 1)
    meter.begin("encode unseen", sizes[1])
    tok.encode_batch_to_numpy(unseen, 1)
    meter.begin("decode", sizes[0])
    tok.decode_bytes(ids)
    meter.end()


def run_reading(meter: Meter, *paths: str) -> None:
    """Read a corpus in several formats, and only count its documents."""
    from superword.corpus import open_corpus

    for path in paths:
        meter.begin("read " + "".join(Path(path).suffixes), count_bytes(path))
        open_corpus(Path(path)).count(1)
        meter.end()


KINDS: dict[str, Callable[..., None]] = {
    "training": run_training,
    "encoding": run_encoding,
    "reading": run_reading,
}


def main() -> None:
    """Run the stages of the kind named on the command line."""
    kind, library, *arguments = sys.argv[1:]
    meter = Meter(library)
    KINDS[kind](meter, *arguments)
    print(json.dumps(meter.stages))


if __name__ == "__main__":
    main()
