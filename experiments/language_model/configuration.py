"""The configuration of an experiment, read from a TOML file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Arm", "Experiment", "Series", "Size", "read_experiment"]


@dataclass(frozen=True)
class Arm:
    """A tokenizer to compare.

    Attributes:
        name: Its name in results.
        training: Keywords of `superword.train`.
        vocab_size: Size of the vocabulary, end-of-text included. None if `matches` decides.
        matches: The arm whose bytes per token the vocabulary is made large enough to reach.
    """

    name: str
    training: dict[str, Any]
    vocab_size: int | None
    matches: str | None


@dataclass(frozen=True)
class Size:
    """A size of model, and the training FLOPs that it gets."""

    name: str
    width: int
    layers: int
    flops: float


@dataclass(frozen=True)
class Series:
    """Runs that belong together: each arm with each seed and each pair of learning rates.

    Attributes:
        name: Its name in results.
        size: The name of the size.
        arms: The names of the arms. The first is the reference: others train on as many bytes.
        seeds: One run each.
        rates: Pairs of learning rates: of the matrices, and of the embedding and the head. Without
            any, the best pair of the trials with this size is taken.
        is_trial: Whether the series only tries learning rates. Then nothing else is measured.
        flops: Training FLOPs, if not those of the size.
    """

    name: str
    size: str
    arms: list[str]
    seeds: list[int]
    rates: list[list[float]] = field(default_factory=list)
    flops: float | None = None
    is_trial: bool = False


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        train: The text that the models are trained on, as paths.
        tokenizer_corpus: The text that the tokenizers are trained on, as paths.
        evaluation: The text that bits per byte are measured on, as a path.
        context_bytes: Bytes of text in a row of a batch, on average.
        batch_bytes: Bytes of text in a batch, on average.
        decay: The share of the steps, at the end, in which the learning rates fall to 0.
        warmup_steps: The steps, at the start, in which the learning rates rise.
        sources: Groups of sources in the report, as globs of source names.
        arms: By name.
        sizes: By name.
        series: In the order in which they run.
    """

    train: list[Path]
    tokenizer_corpus: list[Path]
    evaluation: Path
    context_bytes: int
    batch_bytes: int
    decay: float
    warmup_steps: int
    sources: dict[str, list[str]]
    arms: dict[str, Arm]
    sizes: dict[str, Size]
    series: list[Series]


def read_experiment(path: Path, corpora: Path) -> Experiment:
    """Read an experiment.

    Args:
        path: The TOML file.
        corpora: The folder that its corpora are in.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    arms = {}
    for name, options in table.pop("arms").items():
        vocab_size, matches = options.pop("vocab_size", None), options.pop("matches", None)
        if (vocab_size is None) == (matches is None):
            raise ValueError(f"{path}: arm {name!r} needs either vocab_size or matches")
        training = {key: None if value == "none" else value for key, value in options.items()}
        arms[name] = Arm(name, training, vocab_size, matches)
    sizes = {name: Size(name, **options) for name, options in table.pop("sizes").items()}
    series = [Series(**options) for options in table.pop("series")]
    for one in series:
        for unknown in [name for name in one.arms if name not in arms]:
            raise ValueError(f"{path}: series {one.name!r} names no arm: {unknown!r}")
        if one.size not in sizes:
            raise ValueError(f"{path}: series {one.name!r} names no size: {one.size!r}")
    for name in ["train", "tokenizer_corpus"]:
        table[name] = [corpora / part for part in table[name]]
    table["evaluation"] = corpora / table["evaluation"]
    return Experiment(**table, arms=arms, sizes=sizes, series=series)
