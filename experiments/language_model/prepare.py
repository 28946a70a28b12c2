"""Train the tokenizers of an experiment, and encode its text with each.

    python experiments/language_model/prepare.py EXPERIMENT.toml CORPORA WORK

What is there already in WORK is kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import superword
from configuration import Arm, Experiment, read_experiment
from data import END_OF_TEXT, folder_of

__all__ = ["find_matching_size", "prepare"]


def prepare(experiment: Experiment, work: Path) -> None:
    """Write the tokenizer and the tokens of each arm.

    Args:
        experiment: The experiment.
        work: The folder to write to.
    """
    tokenizers: dict[str, superword.Tokenizer] = {}
    for arm in sorted(experiment.arms.values(), key=lambda arm: arm.matches is not None):
        folder = folder_of(work, arm.name)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "tokenizer.json"
        if path.exists():
            tokenizers[arm.name] = superword.load(path)
        else:
            tokenizers[arm.name] = train_tokenizer(experiment, arm, tokenizers)
            tokenizers[arm.name].save(path)
        tok = tokenizers[arm.name]
        print(f"{arm.name}: {tok.n_vocab:,} tokens", flush=True)
        encode(experiment, tok, folder)


def train_tokenizer(
    experiment: Experiment, arm: Arm, tokenizers: dict[str, superword.Tokenizer]
) -> superword.Tokenizer:
    """Train an arm's tokenizer. Where its size must be found, try sizes of one large vocabulary."""
    special = [END_OF_TEXT]
    if arm.vocab_size is not None:
        size = arm.vocab_size - len(special)
        return superword.train(
            experiment.tokenizer_corpus, size, special_tokens=special, **arm.training
        )
    other = tokenizers[str(arm.matches)]
    largest = superword.train(
        experiment.tokenizer_corpus, 8 * other.vocab_size, special_tokens=special, **arm.training
    )
    return largest.truncate(find_matching_size(largest, other, experiment.evaluation))


def find_matching_size(
    largest: superword.Tokenizer, other: superword.Tokenizer, corpus: Path
) -> int:
    """Return the least size of a vocabulary with which a corpus has no more tokens than another's.

    Raises:
        ValueError: If the largest vocabulary is too small.
    """
    documents = superword.corpus.open_corpus(corpus).documents()

    def count(tok: superword.Tokenizer) -> int:
        return sum(len(ids) for ids in tok.encode_batch_to_numpy(documents))

    wanted = count(other)
    low, high = 256, largest.vocab_size
    if count(largest) > wanted:
        raise ValueError(f"{high:,} tokens are too few to match the other tokenizer")
    while low < high:
        middle = (low + high) // 2
        if count(largest.truncate(middle)) <= wanted:
            high = middle
        else:
            low = middle + 1
    return high


def encode(experiment: Experiment, tok: superword.Tokenizer, folder: Path) -> None:
    """Write the tokens of the text to train on and of the text to measure on."""
    if (folder / "arm.json").exists():
        return
    train = superword.encode_corpus(
        tok, experiment.train, folder / "train.npy", end_of_text=END_OF_TEXT
    )
    evaluation = superword.encode_corpus(tok, experiment.evaluation, folder / "evaluation.npy")
    np.save(folder / "lengths.npy", tok.bytes_per_token_id())
    arm = {
        "vocab_size": tok.n_vocab,
        "end_of_text": tok.special_tokens[END_OF_TEXT],
        "superwords": sum(tok.is_superword(id) for id in range(tok.vocab_size)),
        "fingerprint": tok.fingerprint,
        "train": {"tokens": train.tokens, "bytes": train.bytes},
        "evaluation": {"tokens": evaluation.tokens, "bytes": evaluation.bytes},
    }
    (folder / "arm.json").write_text(json.dumps(arm, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    prepare(read_experiment(Path(sys.argv[1]), Path(sys.argv[2])), Path(sys.argv[3]))
