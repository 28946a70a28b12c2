"""One run of one trainer, in a process of its own: prints seconds, memory and tokens as JSON.

    python benchmarks/trainers.py NAME CORPUS.jsonl '{"pattern": ..., "output": ...}'

It imports nothing but the trainer that it runs, so it runs in the peers' environment too.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

VOCAB_SIZE = 131_072

Options = dict[str, Any]
Result = dict[str, Any]


def superword(path: str, options: Options) -> Result:
    """Ours, to a saved model."""
    import superword

    start = time.perf_counter()
    begins: dict[str, float] = {}

    def tell(stage: str, done: int, total: int | None) -> None:
        begins.setdefault(stage, time.perf_counter() - start)

    output = options.pop("output")
    tok = superword.train(Path(path), VOCAB_SIZE, progress=tell, **options)
    tok.save(output)
    return {"tokens": tok.vocab_size, "begins": begins}


def gigatoken(path: str, options: Options) -> Result:
    """Its own pattern, its own reader of JSON lines."""
    import gigatoken

    source = gigatoken.JsonlFileSource([path])
    vocabulary, _merges = gigatoken.train_bpe(source, VOCAB_SIZE, [])
    return {"tokens": len(vocabulary)}


def rustbpe(path: str, options: Options) -> Result:
    """From an iterator, the only way in."""
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(texts(path), VOCAB_SIZE, pattern=options["regex"])
    return {"tokens": len(tokenizer.get_mergeable_ranks())}


def tokenizers(path: str, options: Options) -> Result:
    """Hugging Face, byte level, as the paper's baselines."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(options["regex"]), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(path), trainer)
    return {"tokens": tokenizer.get_vocab_size()}


def texts(path: str) -> Iterator[str]:
    """The documents of a file of JSON lines."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


TRAINERS: dict[str, Callable[[str, Options], Result]] = {
    trainer.__name__: trainer for trainer in (superword, gigatoken, rustbpe, tokenizers)
}


def main() -> None:
    """Run and time the trainer that the command line names."""
    name, path, options = sys.argv[1:]
    start = time.perf_counter()
    result = TRAINERS[name](path, json.loads(options))
    seconds = time.perf_counter() - start
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps({"seconds": seconds, "gigabytes": gigabytes, **result}))


if __name__ == "__main__":
    main()
