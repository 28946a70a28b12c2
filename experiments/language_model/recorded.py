"""The results of an experiment, as they were recorded."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from language_model.flops import inference_flops, key_value_bytes

__all__ = ["Costs", "Results", "read_results"]


@dataclass(frozen=True)
class Costs:
    """What it costs to serve an arm, with the context that it was trained with.

    Attributes:
        vocab_size: The size of its vocabulary.
        superwords: How many of its tokens have several words.
        tokens: Tokens per byte of text.
        flops: FLOPs per byte of text.
        cache: Bytes in the cache of keys and values, per byte of text.
    """

    vocab_size: int
    superwords: int
    tokens: float
    flops: float
    cache: float


@dataclass(frozen=True)
class Results:
    """The results of an experiment.

    Attributes:
        arms: What is known of each arm's tokenizer.
        runs: What each run gave.
        bits: For each run, the bits of each evaluation document, by budget.
        sizes: The bytes of each evaluation document.
        document_groups: The group of each evaluation document.
    """

    arms: dict[str, dict[str, Any]]
    runs: list[dict[str, Any]]
    bits: list[dict[str, NDArray[np.float64]]]
    sizes: NDArray[np.int64]
    document_groups: list[str]

    def series(self) -> list[str]:
        """Return the series that compare arms, in the order of their first arms, then by width."""
        widths = {run["series"]: run["size"]["width"] for run in self.runs if not run["is_trial"]}
        order = list(self.arms)
        return sorted(
            (name for name in widths if len(self.arms_of(name)) > 1),
            key=lambda name: (order.index(self.arms_of(name)[0]), widths[name]),
        )

    def arms_of(self, series: str) -> list[str]:
        """Return the arms of a series, in the order of the experiment."""
        there = {run["arm"] for run in self.runs if run["series"] == series}
        return [arm for arm in self.arms if arm in there]

    def costs(self, series: str, arm: str) -> Costs:
        """Return what an arm costs to serve."""
        run = next(run for run in self.runs if (run["series"], run["arm"]) == (series, arm))
        size, known = run["size"], self.arms[arm]
        width, layers, vocab_size = size["width"], size["layers"], run["vocab_size"]
        tokens = known["evaluation"]["tokens"] / known["evaluation"]["bytes"]
        return Costs(
            vocab_size=vocab_size,
            superwords=known["superwords"],
            tokens=tokens,
            flops=tokens * inference_flops(width, layers, vocab_size, run["context"]),
            cache=tokens * key_value_bytes(width, layers),
        )

    def bits_per_byte(self, series: str, arm: str, budget: str) -> list[float]:
        """Return the bits per byte of each seed."""
        return [bits.sum() / self.sizes.sum() for bits in self.seeds(series, arm, budget)]

    def document_bits(self, series: str, arm: str, budget: str) -> NDArray[np.float64]:
        """Return the bits of each document, as a mean over seeds."""
        means: NDArray[np.float64] = np.mean(self.seeds(series, arm, budget), axis=0)
        return means

    def seeds(self, series: str, arm: str, budget: str) -> list[NDArray[np.float64]]:
        """Return the bits of each document by each seed.

        An arm whose budgets are the same has only the first, which then stands for both.
        """
        return [
            bits[budget] if budget in bits else bits["flops"]
            for run, bits in zip(self.runs, self.bits, strict=True)
            if (run["series"], run["arm"]) == (series, arm)
        ]

    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Return, for each group of sources, which documents belong to it."""
        names = np.array(self.document_groups)
        return {name: names == name for name in dict.fromkeys(self.document_groups)}


def read_results(folder: Path) -> Results:
    """Read the results in a folder."""
    runs, bits = [], []
    for path in sorted((folder / "runs").glob("*.json")):
        runs.append(json.loads(path.read_text()))
        columns = {}
        if not runs[-1]["is_trial"]:
            rows = read_csv(path.with_suffix(".csv.gz"))
            columns = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
        bits.append(columns)
    documents = read_csv(folder / "documents.csv.gz")
    return Results(
        arms=json.loads((folder / "arms.json").read_text()),
        runs=runs,
        bits=bits,
        sizes=np.array([int(row["bytes"]) for row in documents]),
        document_groups=[row["group"] for row in documents],
    )


def read_csv(path: Path) -> list[dict[str, str]]:
    """Read a compressed CSV file."""
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))
