"""The tokenizers that `superword reproduce` trains and compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superword.reproduction.baselines import BASELINES, Baseline

__all__ = ["BASELINE_LABELS", "DELETIONS", "TokenizerSpec", "boundless_key", "build_lineup"]

PATTERN_LABELS = {"boundless": "B", "gpt4o": "4o"}
# The paper calls these: none, PickyBPE's original, and its own.
DELETIONS: tuple[str | None, ...] = (None, "pair", "bytes")
BASELINE_LABELS: dict[str, str] = {
    "bpe": "BPE",
    "wordpiece": "WordPiece",
    "unigram": "UnigramLM",
}


@dataclass(frozen=True)
class TokenizerSpec:
    """A tokenizer to train.

    Attributes:
        key: The name in files.
        label: The name in figures.
        baseline: The kind of a Hugging Face tokenizer; None for superword's.
        pattern: The pattern.
        supermerges: Whether supermerges compete with merges.
        deletion: The deletion mode.
        transition: For SuperBPE, the share of the vocabulary learned before the transition.
        max_bytes: The bytes of text to train on; None for all.
    """

    key: str
    label: str
    baseline: Baseline | None = None
    pattern: str = "gpt4o"
    supermerges: bool = False
    deletion: str | None = None
    transition: float | None = None
    max_bytes: int | None = None

    @property
    def is_nested(self) -> bool:
        """Whether a smaller vocabulary is a prefix of a larger one."""
        return self.baseline != "unigram" and self.transition is None


def boundless_key(pattern: str, deletion: str | None) -> str:
    """Return the key of BoundlessBPE with a pattern and a deletion mode.

    Example:
        >>> boundless_key("gpt4o", None)
        'boundless-gpt4o-none'
    """
    return f"boundless-{pattern}-{deletion or 'none'}"


def build_lineup(
    baselines: Sequence[Baseline] = BASELINES,
    baseline_bytes: Mapping[str, int] | None = None,
    transition: float | None = None,
) -> list[TokenizerSpec]:
    """Return the tokenizers that the paper's figures and tables need.

    Args:
        baselines: The Hugging Face baselines to train.
        baseline_bytes: Limits on the training text of some baselines. BoundlessBPE is also
            trained on the same text, for a fair comparison.
        transition: The share of the vocabulary after which SuperBPE merges across pretokens;
            None to leave SuperBPE out.
    """
    limits = baseline_bytes or {}
    lineup = [
        TokenizerSpec(
            kind,
            label_with_limit(BASELINE_LABELS[kind], limits.get(kind)),
            baseline=kind,
            max_bytes=limits.get(kind),
        )
        for kind in baselines
    ]
    for pattern, short in PATTERN_LABELS.items():
        for deletion in DELETIONS:
            suffix = "" if deletion == "bytes" else f", deletion {deletion or 'none'}"
            label = f"BoundlessBPE ({short}){suffix}"
            key = boundless_key(pattern, deletion)
            lineup.append(TokenizerSpec(key, label, None, pattern, True, deletion))
        lineup.append(TokenizerSpec(f"bpe-{pattern}", f"BPE ({short})", None, pattern))
        picky = f"PickyBPE ({short})"
        lineup.append(TokenizerSpec(f"picky-{pattern}", picky, None, pattern, deletion="pair"))
    if transition is not None:
        lineup.append(TokenizerSpec("superbpe-gpt4o", "SuperBPE (4o)", transition=transition))
    for limit in sorted({limits[kind] for kind in baselines if kind in limits}):
        key = f"{boundless_key('gpt4o', 'bytes')}-{limit}"
        label = label_with_limit("BoundlessBPE (4o)", limit)
        lineup.append(TokenizerSpec(key, label, None, "gpt4o", True, "bytes", max_bytes=limit))
    return lineup


def label_with_limit(label: str, max_bytes: int | None) -> str:
    """Append the limit on the training text to a label, if there is one.

    Example:
        >>> label_with_limit("BPE", None), label_with_limit("BPE", 100_000_000)
        ('BPE', 'BPE, 100 MB')
    """
    return label if max_bytes is None else f"{label}, {max_bytes / 1e6:g} MB"
