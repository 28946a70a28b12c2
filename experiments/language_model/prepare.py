"""Train the tokenizers of an experiment, and encode its text with each.

    python -m language_model.prepare EXPERIMENT.toml CORPORA WORK RESULTS

Tokenizers and tokens go to WORK, and what is there already is kept. What a report needs of them,
and the size and the group of each evaluation document, go to RESULTS.
"""

from __future__ import annotations

import gzip
import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

import superword
from language_model.configuration import Arm, Experiment, read_experiment
from language_model.data import END_OF_TEXT, folder_of
from superword.evaluation.sources import find_source_labels

__all__ = ["find_matching_size", "prepare", "write_documents"]


def prepare(experiment: Experiment, work: Path, results: Path) -> None:
    """Write the tokenizer and the tokens of each arm.

    Args:
        experiment: The experiment.
        work: The folder of tokenizers and tokens.
        results: The folder of results.
    """
    results.mkdir(parents=True, exist_ok=True)
    write_documents(experiment, results / "documents.csv.gz")
    arms: dict[str, object] = {}
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
        described = json.loads((folder / "arm.json").read_text())
        arms[arm.name] = {**described, "matches": arm.matches}
    (results / "arms.json").write_text(json.dumps(arms, indent=1) + "\n")


def write_documents(experiment: Experiment, path: Path) -> None:
    """Write the bytes of each evaluation document, and the group of its source."""
    corpus = superword.corpus.open_corpus(experiment.evaluation)
    documents = corpus.documents()
    sources = find_source_labels(experiment.evaluation, None, len(documents))
    lines = ["bytes,group"]
    for text, source in zip(documents, sources or [""] * len(documents), strict=True):
        matching = (
            group
            for group, globs in experiment.sources.items()
            if any(fnmatchcase(source, glob) for glob in globs)
        )
        lines.append(f"{len(text.encode())},{next(matching, 'other')}")
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


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
        "superwords": count_superwords(tok),
        "fingerprint": tok.fingerprint,
        "train": {"tokens": train.tokens, "bytes": train.bytes},
        "evaluation": {"tokens": evaluation.tokens, "bytes": evaluation.bytes},
    }
    (folder / "arm.json").write_text(json.dumps(arm, indent=1) + "\n")


def count_superwords(tok: superword.Tokenizer) -> int:
    """Return how many tokens have several words. SuperBPE's are those that its pattern splits."""
    ids, config = range(tok.vocab_size), tok.parameters
    if config is None or config.transition is None:
        return sum(tok.is_superword(id) for id in ids)
    # Bytes that are no text, such as half of a letter, divide no words.
    texts = (tok.token_bytes(id).decode(errors="ignore") for id in ids)
    return sum(len(superword.pretokenize(text, config.pattern)) > 1 for text in texts)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    path, corpora, work, results = map(Path, sys.argv[1:])
    prepare(read_experiment(path, corpora), work, results)
