"""What `superword reproduce` is to do."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from superword.corpus.paths import find_sources
from superword.evaluation import paper
from superword.evaluation.baselines import BASELINES, Baseline
from superword.evaluation.steps import digest

__all__ = ["Settings", "read_settings"]


@dataclass(frozen=True)
class Settings:
    """What to do. A configuration file in TOML has the same names.

    Attributes:
        train: The training corpus: paths, globs, folders.
        eval: The evaluation corpus.
        out: The folder for everything.
        vocab_sizes: The vocabulary sizes.
        baselines: Which of `bpe`, `wordpiece` and `unigram` to train.
        baseline_bytes: How much text some baselines are trained on, by name, where all is too
            much for them; BoundlessBPE is then trained on the same part too.
        transition: The share of the vocabulary that SuperBPE learns within pretokens; 0 to leave
            SuperBPE out.
        train_bytes: How much of the training corpus to take; all by default.
        eval_bytes: How much of the evaluation corpus to take.
        column: Where the documents are.
        source: Where their sources are.
        sources: Groups of sources for the report, each with the globs of their names.
        sentence: The text that the report shows through the tokenizers.
        threads: How many threads to use; all by default.
        seed: Chooses the prompts whose ends are tried.
    """

    train: tuple[str, ...]
    eval: tuple[str, ...]
    out: Path
    vocab_sizes: tuple[int, ...] = paper.SIZES
    baselines: tuple[Baseline, ...] = BASELINES
    baseline_bytes: dict[str, int] = field(default_factory=dict)
    transition: float = 0.8
    train_bytes: int | None = None
    eval_bytes: int | None = None
    column: str = "text"
    source: str = "source"
    sources: dict[str, list[str]] = field(default_factory=dict)
    sentence: str = "To be or not to be"
    threads: int | None = None
    seed: int = 0

    def train_digest(self, max_bytes: int | None) -> str:
        """Says which text training is on."""
        return digest(files_of(self.train), self.column, max_bytes or self.train_bytes)

    def eval_digest(self) -> str:
        """Says which text is measured, and how."""
        where = self.column, self.source
        return digest(files_of(self.eval), where, self.eval_bytes, self.seed)


def files_of(paths: Iterable[str]) -> list[tuple[str, int]]:
    """The files that paths name, and their sizes; what has no size is named only."""
    sources = find_sources(paths)
    is_file = os.path.isfile
    return [(s.name, os.path.getsize(s.name) if is_file(s.name) else -1) for s in sources]


def read_settings(config: Path | None, given: dict[str, Any]) -> Settings:
    """Put together what a configuration file says and what was given, which goes first.

    Args:
        config: The file, if there is one.
        given: Settings by name; None and empty lists stand for what was not given.

    Raises:
        ValueError: If the file has something unknown, or something is missing or impossible.
    """
    known = {each.name for each in fields(Settings)}
    found: dict[str, Any] = {}
    if config is not None:
        try:
            loaded = tomllib.loads(config.read_text("utf-8"))
        except tomllib.TOMLDecodeError as refused:
            raise ValueError(f"{config}: not TOML: {refused}") from None
        found = {name.replace("-", "_"): value for name, value in loaded.items()}
        if unknown := sorted(set(found) - known):
            names = ", ".join(sorted(known))
            raise ValueError(f"{config}: no such setting: {', '.join(unknown)}; there are {names}")
    found |= {name: value for name, value in given.items() if value not in (None, [], ())}
    for name in ("train", "eval", "out"):
        if name not in found:
            raise ValueError(f"say --{name}, or {name} in the configuration file")
    for name in ("train", "eval"):
        value = found[name]
        found[name] = (value,) if isinstance(value, str) else tuple(value)
    found["out"] = Path(found["out"])
    found["vocab_sizes"] = tuple(sorted(set(found.get("vocab_sizes", paper.SIZES))))
    found["baselines"] = tuple(found.get("baselines", BASELINES))
    settings = Settings(**found)
    if not settings.vocab_sizes or settings.vocab_sizes[0] < 257:
        raise ValueError(f"vocabulary sizes are at least 257, not {settings.vocab_sizes}")
    wrong = [
        name for name in (*settings.baselines, *settings.baseline_bytes) if name not in BASELINES
    ]
    if wrong:
        raise ValueError(f"no such baseline: {wrong[0]}; there are {', '.join(BASELINES)}")
    if not 0 <= settings.transition < 1:
        raise ValueError(f"transition is a share from 0 to 1, not {settings.transition}")
    return settings
