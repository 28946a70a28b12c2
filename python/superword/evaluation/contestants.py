"""The tokenizers that `superword reproduce` trains and compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superword.evaluation.baselines import BASELINES, Baseline

__all__ = ["BASELINE_LABELS", "DELETIONS", "PATTERNS", "Contestant", "all_contestants", "ours_key"]

PATTERNS = {"boundless": "B", "gpt4o": "4o"}
# As the paper calls them: none, PickyBPE's original, and its own.
DELETIONS: tuple[str | None, ...] = (None, "pair", "bytes")
BASELINE_LABELS: dict[str, str] = {
    "bpe": "BPE",
    "wordpiece": "WordPiece",
    "unigram": "UnigramLM",
}


@dataclass(frozen=True)
class Contestant:
    """A tokenizer to train.

    Attributes:
        key: Its name in files.
        label: Its name in figures.
        baseline: Which of Hugging Face's it is; None if it is ours.
        pattern: Its pattern.
        supermerges: Whether supermerges compete with merges.
        deletion: How it deletes.
        transition: For SuperBPE, the share of the vocabulary learned before the transition.
        max_bytes: On how much of the corpus it is trained; None for all.
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
        """Whether a smaller vocabulary is the beginning of a larger one."""
        return self.baseline != "unigram" and self.transition is None


def ours_key(pattern: str, deletion: str | None) -> str:
    """The key of BoundlessBPE with a pattern and a deletion.

    Example:
        >>> ours_key("gpt4o", None)
        'boundless-gpt4o-none'
    """
    return f"boundless-{pattern}-{deletion or 'none'}"


def all_contestants(
    baselines: Sequence[Baseline] = BASELINES,
    baseline_bytes: Mapping[str, int] | None = None,
    transition: float | None = None,
) -> list[Contestant]:
    """Everything that the paper's figures and tables need.

    Args:
        baselines: Which of Hugging Face's to train.
        baseline_bytes: On how much text to train some of them. BoundlessBPE is then trained on
            the same part too, to stand beside them.
        transition: The share of the vocabulary after which SuperBPE lets merges go across
            pretokens; None to leave SuperBPE out.
    """
    limits = baseline_bytes or {}
    found = [
        Contestant(
            kind,
            labelled(BASELINE_LABELS[kind], limits.get(kind)),
            baseline=kind,
            max_bytes=limits.get(kind),
        )
        for kind in baselines
    ]
    for pattern, short in PATTERNS.items():
        for deletion in DELETIONS:
            suffix = "" if deletion == "bytes" else f", deletion {deletion or 'none'}"
            label = f"BoundlessBPE ({short}){suffix}"
            key = ours_key(pattern, deletion)
            found.append(Contestant(key, label, None, pattern, True, deletion))
        found.append(Contestant(f"bpe-{pattern}", f"BPE ({short})", None, pattern))
        picky = f"PickyBPE ({short})"
        found.append(Contestant(f"picky-{pattern}", picky, None, pattern, deletion="pair"))
    if transition is not None:
        found.append(Contestant("superbpe-gpt4o", "SuperBPE (4o)", transition=transition))
    for limit in sorted({limits[kind] for kind in baselines if kind in limits}):
        key = f"{ours_key('gpt4o', 'bytes')}-{limit}"
        label = labelled("BoundlessBPE (4o)", limit)
        found.append(Contestant(key, label, None, "gpt4o", True, "bytes", max_bytes=limit))
    return found


def labelled(label: str, max_bytes: int | None) -> str:
    """A label that says on how much text, where it is not all.

    Example:
        >>> labelled("BPE", None), labelled("BPE", 100_000_000)
        ('BPE', 'BPE, 100 MB')
    """
    return label if max_bytes is None else f"{label}, {max_bytes / 1e6:g} MB"
