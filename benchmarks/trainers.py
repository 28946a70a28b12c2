"""One run of one trainer, in a process of its own: prints seconds, memory and tokens as JSON.

    python benchmarks/trainers.py NAME CORPUS '{"pattern": ..., "output": ...}'

It imports nothing but the trainer that it runs, so it runs in the peers' environment too. A trainer
here gets ready (imports, what is to be in memory) and returns the part that is timed.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

VOCAB_SIZE = 131_072

Options = dict[str, Any]
Result = dict[str, Any]
Training = Callable[[], Result]
Pair = tuple[bytes, bytes]


def superword(path: str, options: Options) -> Training:
    """Ours, to a saved model: from the `path`, a `list` of its documents, or an `iterator`."""
    import superword

    sources: dict[str, Callable[[], Any]] = {
        "path": lambda: Path(path),
        "list": lambda: list(texts(path)),
        "iterator": lambda: texts(path),
    }
    corpus = sources[options.pop("source", "path")]()
    output, vocab_size = options.pop("output"), options.pop("vocab_size", VOCAB_SIZE)

    def train() -> Result:
        stages = Stages()
        tok = superword.train(corpus, vocab_size, progress=stages, **options)
        tok.save(output)
        return {"tokens": tok.vocab_size, "begins": stages.begins}

    return train


def superword_in_memory(path: str, options: Options) -> Training:
    """Ours, from documents that the core itself holds already: no input at all is timed."""
    from superword import _core
    from superword.tokenizer import Parameters

    kind = _core.CorpusOptions(
        column="text", separator=None, skip=False, max_bytes=None, max_documents=None
    )
    spool = _core.Spool(kind, memory=2**62)
    spool.extend(texts(path))
    corpus = spool.finish()
    output, threads = options.pop("output"), options.pop("threads")
    parameters = Parameters(**{"vocab_size": VOCAB_SIZE, **options})

    def train() -> Result:
        stages = Stages()
        model = _core.train(corpus, parameters, (), (threads, None, None), stages)
        model.save(output)
        return {"tokens": model.vocab_size, "begins": stages.begins}

    return train


class Stages:
    """When each stage of a training began, in seconds since this was made."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.begins: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Note the time, as the trainer tells how far it is."""
        self.begins.setdefault(stage, time.perf_counter() - self.start)


def gigatoken(path: str, options: Options) -> Training:
    """With the pattern of GPT-2, the only one it trains with; its own reader of JSON lines."""
    import gigatoken

    def train() -> Result:
        source = gigatoken.JsonlFileSource([path])
        vocab_size = options.get("vocab_size", VOCAB_SIZE)
        vocabulary, merges = gigatoken.train_bpe(source, vocab_size, [])
        save_merges(options, merges)
        return {"tokens": len(vocabulary)}

    return train


def rustbpe(path: str, options: Options) -> Training:
    """From an iterator, the only way in."""
    import rustbpe

    def train() -> Result:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(texts(path), VOCAB_SIZE, pattern=options["regex"])
        return {"tokens": len(tokenizer.get_mergeable_ranks())}

    return train


def tokenizers(path: str, options: Options) -> Training:
    """Hugging Face, byte level, as the paper's baselines; from batches, as its guide does."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    def train() -> Result:
        tokenizer = Tokenizer(models.BPE())
        split = pre_tokenizers.Split(Regex(options["regex"]), "isolated")
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
        trainer = trainers.BpeTrainer(
            vocab_size=options.get("vocab_size", VOCAB_SIZE),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator(batches(texts(path)), trainer)
        if "merges" in options:
            save_merges(options, byte_level_merges(tokenizer.to_str()))
        return {"tokens": tokenizer.get_vocab_size()}

    return train


def byte_level_merges(model: str) -> Iterator[Pair]:
    """The merges of a byte-level `tokenizer.json`, where a letter stands for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable}
    byte_of |= {chr(256 + place): byte for place, byte in enumerate(others)}
    for left, right in json.loads(model)["model"]["merges"]:
        yield bytes(map(byte_of.__getitem__, left)), bytes(map(byte_of.__getitem__, right))


def save_merges(options: Options, merges: Iterable[Pair]) -> None:
    """Write merges to the file that the options name, if they do."""
    if "merges" in options:
        pairs = [[left.hex(), right.hex()] for left, right in merges]
        Path(options["merges"]).write_text(json.dumps(pairs))


def texts(path: str) -> Iterator[str]:
    """The documents of a file of JSON lines."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def batches(documents: Iterator[str]) -> Iterator[list[str]]:
    """The documents, a thousand at a time."""
    while batch := list(islice(documents, 1000)):
        yield batch


def peak_gigabytes() -> float:
    """The peak of resident memory.

    `ru_maxrss` alone would not do: Linux hands it on through exec, so a process that a larger one
    started would be said to be as large.
    """
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024 / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


TRAINERS: dict[str, Callable[[str, Options], Training]] = {
    trainer.__name__: trainer
    for trainer in (superword, superword_in_memory, gigatoken, rustbpe, tokenizers)
}


def main() -> None:
    """Run and time the trainer that the command line names."""
    name, path, options = sys.argv[1:]
    train = TRAINERS[name](path, json.loads(options))
    start = time.perf_counter()
    result = train()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "gigabytes": peak_gigabytes(), **result}))


if __name__ == "__main__":
    main()
