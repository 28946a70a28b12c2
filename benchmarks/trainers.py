"""Run one trainer in this process, and print seconds, memory and tokens as JSON.

    python benchmarks/trainers.py NAME CORPUS '{"pattern": ..., "output": ...}'

This imports only the trainer that it runs, so it also runs in the environment of the peers. Each
`prepare_*` function does what is not timed (imports, data in memory) and returns the timed part.
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


def prepare_superword(path: str, options: Options) -> Training:
    """Train and save a model, from the `path`, a `list` of its documents, or an `iterator`."""
    import superword

    sources: dict[str, Callable[[], Any]] = {
        "path": lambda: Path(path),
        "list": lambda: list(read_texts(path)),
        "iterator": lambda: read_texts(path),
    }
    corpus = sources[options.pop("source", "path")]()
    output, vocab_size = options.pop("output"), options.pop("vocab_size", VOCAB_SIZE)

    def train() -> Result:
        stages = StageTimer()
        tok = superword.train(corpus, vocab_size, progress=stages, **options)
        tok.save(output)
        return {"tokens": tok.vocab_size, "begins": stages.begins}

    return train


def prepare_superword_in_memory(path: str, options: Options) -> Training:
    """Train and save a model, from documents that the core already holds."""
    from superword import CorpusOptions, Resources, Tokenizer, TrainingConfig, _core
    from superword.corpus.documents import Input

    documents = [Input(documents=read_texts(path))]
    corpus = _core.Corpus.inputs(documents, [], CorpusOptions(), once=False, memory=2**62)
    output, threads = options.pop("output"), options.pop("threads")
    parameters = TrainingConfig(**{"vocab_size": VOCAB_SIZE, **options})

    def train() -> Result:
        stages = StageTimer()
        model = _core.train(corpus, parameters, (), Resources(threads=threads), stages)
        Tokenizer._of(model).save(output)
        return {"tokens": model.vocab_size, "begins": stages.begins}

    return train


class StageTimer:
    """A progress callback that notes when each stage of training began, in seconds."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.begins: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Note the start of a stage at its first call."""
        self.begins.setdefault(stage, time.perf_counter() - self.start)


def prepare_gigatoken(path: str, options: Options) -> Training:
    """Train gigatoken with its own reader and the pattern of GPT-2, the only one it supports."""
    import gigatoken

    def train() -> Result:
        source = gigatoken.JsonlFileSource([path])
        vocab_size = options.get("vocab_size", VOCAB_SIZE)
        vocabulary, merges = gigatoken.train_bpe(source, vocab_size, [])
        save_merges(options, merges)
        return {"tokens": len(vocabulary)}

    return train


def prepare_rustbpe(path: str, options: Options) -> Training:
    """Train rustbpe from an iterator, the only input it supports."""
    import rustbpe

    def train() -> Result:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(read_texts(path), VOCAB_SIZE, pattern=options["regex"])
        return {"tokens": len(tokenizer.get_mergeable_ranks())}

    return train


def prepare_tokenizers(path: str, options: Options) -> Training:
    """Train Hugging Face's BPE on bytes, as the paper's baselines; in batches, as in its guide."""
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
        tokenizer.train_from_iterator(split_batches(read_texts(path)), trainer)
        if "merges" in options:
            save_merges(options, read_merges(tokenizer.to_str()))
        return {"tokens": tokenizer.get_vocab_size()}

    return train


def read_merges(model: str) -> Iterator[Pair]:
    """Yield the merges of a byte-level `tokenizer.json`, which spells each byte as a character."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable}
    byte_of |= {chr(256 + at): byte for at, byte in enumerate(others)}
    for left, right in json.loads(model)["model"]["merges"]:
        yield bytes(map(byte_of.__getitem__, left)), bytes(map(byte_of.__getitem__, right))


def save_merges(options: Options, merges: Iterable[Pair]) -> None:
    """Write merges to the file that the options name, if any."""
    if "merges" in options:
        pairs = [[left.hex(), right.hex()] for left, right in merges]
        Path(options["merges"]).write_text(json.dumps(pairs))


def read_texts(path: str) -> Iterator[str]:
    """Yield the documents of a file of JSON lines."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def split_batches(documents: Iterator[str]) -> Iterator[list[str]]:
    """Yield the documents in batches of a thousand."""
    while batch := list(islice(documents, 1000)):
        yield batch


def peak_gigabytes() -> float:
    """Return the peak of resident memory.

    Linux passes `ru_maxrss` on through exec, so it may be that of the parent process. VmHWM is not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024 / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


TRAINERS: dict[str, Callable[[str, Options], Training]] = {
    "superword": prepare_superword,
    "superword_in_memory": prepare_superword_in_memory,
    "gigatoken": prepare_gigatoken,
    "rustbpe": prepare_rustbpe,
    "tokenizers": prepare_tokenizers,
}


def main() -> None:
    """Run and time the trainer named on the command line."""
    name, path, options = sys.argv[1:]
    train = TRAINERS[name](path, json.loads(options))
    start = time.perf_counter()
    result = train()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "gigabytes": peak_gigabytes(), **result}))


if __name__ == "__main__":
    main()
