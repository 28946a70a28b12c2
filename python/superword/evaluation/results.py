"""All that was measured for the paper's figures and tables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.atomic_files import write_atomically
from superword.evaluation.contestants import Contestant, ours_key
from superword.evaluation.measurement import Measurement
from superword.tokenizer.tokenizer import Tokenizer, Training

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OURS", "OURS_B", "Curve", "Results"]

OURS = ours_key("gpt4o", "bytes")
OURS_B = ours_key("boundless", "bytes")


class Curve(NamedTuple):
    """How the training of a model went.

    Attributes:
        counts: The counts of the rules that join tokens, in order.
        is_supermerge: Which of them are supermerges.
        training: What the training corpus held.
    """

    counts: NDArray[np.int64]
    is_supermerge: NDArray[np.bool_]
    training: Training = Training()

    @classmethod
    def of(cls, model: Tokenizer) -> Curve:
        """The curve of a model's training."""
        joins = [rule for rule in model.rules if rule.kind != "delete"]
        counts = np.array([rule.count or 0 for rule in joins], np.int64)
        is_supermerge = np.array([rule.kind == "supermerge" for rule in joins], bool)
        return cls(counts, is_supermerge, model.training)

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all."""
        plain = {
            "counts": self.counts.tolist(),
            "supermerges": np.flatnonzero(self.is_supermerge).tolist(),
            "training": self.training._asdict(),
        }
        with write_atomically() as files:
            files.open(path).write(json.dumps(plain).encode())

    @classmethod
    def load(cls, path: Path) -> Curve:
        """Read what `save` wrote."""
        plain = json.loads(path.read_text("utf-8"))
        is_supermerge = np.zeros(len(plain["counts"]), bool)
        is_supermerge[plain["supermerges"]] = True
        training = Training(**plain["training"])
        return cls(np.array(plain["counts"], np.int64), is_supermerge, training)


@dataclass(frozen=True)
class Results:
    """All that was measured.

    Attributes:
        contestants: The tokenizers, by key.
        sizes: The vocabulary sizes, smallest first.
        measured: What was measured, by key and size.
        curves: How training went, by key, for ours.
        sentence: A text, and its tokens by label at the largest size.
    """

    contestants: dict[str, Contestant]
    sizes: tuple[int, ...]
    measured: dict[tuple[str, int], Measurement]
    curves: dict[str, Curve]
    sentence: tuple[str, dict[str, list[str]]]

    @property
    def baselines(self) -> list[str]:
        """The keys of Hugging Face's tokenizers."""
        return [key for key, each in self.contestants.items() if each.baseline]

    @property
    def compared(self) -> list[str]:
        """The keys of those that the main figures show: no ablations, no trainings of ours."""
        shown = {OURS, OURS_B}
        return [
            key
            for key, each in self.contestants.items()
            if each.baseline or key in shown or each.transition or each.max_bytes
        ]

    def label(self, key: str) -> str:
        """What figures call a tokenizer."""
        return self.contestants[key].label

    def opponent(self, baseline: str) -> str:
        """The key of BoundlessBPE (4o) that was trained on the same text as a baseline."""
        limit = self.contestants[baseline].max_bytes
        return OURS if limit is None else f"{OURS}-{limit}"
