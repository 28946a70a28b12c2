"""The results that the paper's figures, tables and claims are computed from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from superword.atomic_files import write_atomically
from superword.evaluation import Measurement
from superword.json_files import read_json_object
from superword.reproduction.lineup import TokenizerSpec, boundless_key, cap_key
from superword.reproduction.own_metrics import OwnValue
from superword.tokenizer import Tokenizer, Training, TrainingConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BOUNDLESS_4O", "BOUNDLESS_B", "Results", "TrainingCurve"]

BOUNDLESS_4O = boundless_key("gpt4o", "bytes")
BOUNDLESS_B = boundless_key("boundless", "bytes")


class TrainingCurve(NamedTuple):
    """The counts of a model's merges and supermerges, in training order.

    Attributes:
        counts: The count of each rule when it was selected.
        is_supermerge: Whether each rule is a supermerge.
        training: The size of the training corpus.
    """

    counts: NDArray[np.int64]
    is_supermerge: NDArray[np.bool_]
    training: Training = Training()

    @classmethod
    def from_model(cls, model: Tokenizer) -> TrainingCurve:
        """Extract the curve from a model's rules."""
        joins = [rule for rule in model.rules if rule.kind != "delete"]
        counts = np.array([rule.count or 0 for rule in joins], np.int64)
        is_supermerge = np.array([rule.kind == "supermerge" for rule in joins], bool)
        return cls(counts, is_supermerge, model.training)

    def save(self, path: Path) -> None:
        """Save the curve to a file, atomically."""
        plain = {
            "counts": self.counts.tolist(),
            "supermerges": np.flatnonzero(self.is_supermerge).tolist(),
            "training": self.training._asdict(),
        }
        with write_atomically() as files:
            files.open(path).write(json.dumps(plain).encode())

    @classmethod
    def load(cls, path: Path) -> TrainingCurve:
        """Load a curve that `save` wrote."""
        plain = read_json_object(path)
        is_supermerge = np.zeros(len(plain["counts"]), bool)
        is_supermerge[plain["supermerges"]] = True
        training = Training(**plain["training"])
        return cls(np.array(plain["counts"], np.int64), is_supermerge, training)


@dataclass(frozen=True)
class Results:
    """Everything that was measured.

    Attributes:
        lineup: The tokenizers, by key.
        sizes: The vocabulary sizes, in ascending order.
        measured: The measurements, by key and size.
        curves: The training curves of superword's nested models, by key.
        sentence: A text, and its tokens by label at the largest size.
        others: The measurements of further tokenizers, each with its own vocabulary size.
        own_metrics: The values of the user's own metrics, by the name of the metric.
        subject: The BoundlessBPE (4o) that is compared with the baselines: the paper's, or one
            with a cap on superwords.
    """

    lineup: dict[str, TokenizerSpec]
    sizes: tuple[int, ...]
    measured: dict[tuple[str, int], Measurement]
    curves: dict[str, TrainingCurve]
    sentence: tuple[str, dict[str, list[str]]]
    others: Sequence[Measurement] = ()
    own_metrics: Mapping[str, Sequence[OwnValue]] = field(default_factory=dict)
    subject: str = BOUNDLESS_4O

    @property
    def baseline_keys(self) -> list[str]:
        """The keys of the Hugging Face baselines."""
        return [key for key, spec in self.lineup.items() if spec.baseline]

    @property
    def main_keys(self) -> list[str]:
        """The keys of the tokenizers in the main figures: all but ablations and training curves."""
        return [
            key
            for key, spec in self.lineup.items()
            if spec.baseline
            or key in (BOUNDLESS_4O, BOUNDLESS_B, cap_key(TrainingConfig.max_superwords))
            or spec.transition
            or (spec.max_bytes and spec.max_superwords is None)
        ]

    @property
    def variation_keys(self) -> list[str]:
        """The keys of the models with a parameter that is not the paper's."""
        return [key for key, spec in self.lineup.items() if spec.is_variation]

    @property
    def capped_keys(self) -> list[str]:
        """The keys of the models with a cap on superwords, trained on the whole text."""
        return [key for key in self.variation_keys if self.lineup[key].max_superwords is not None]

    def label(self, key: str) -> str:
        """Return the name of a tokenizer in figures."""
        return self.lineup[key].label

    def counterpart(self, baseline: str) -> str:
        """Return the key of the subject trained on the same text as a baseline."""
        limit = self.lineup[baseline].max_bytes
        return self.subject if limit is None else f"{self.subject}-{limit}"
