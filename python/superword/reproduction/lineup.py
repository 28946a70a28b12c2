"""The tokenizers that `superword reproduce` trains and compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from superword.patterns import find_known_pattern, find_pattern_name
from superword.reproduction.baselines import BASELINES, Baseline
from superword.reproduction.steps import digest
from superword.tokenizer import TrainingConfig

__all__ = [
    "BASELINE_LABELS",
    "DELETIONS",
    "Cap",
    "TokenizerSpec",
    "Variations",
    "boundless_key",
    "build_lineup",
    "cap_key",
]

# The most superwords of a vocabulary: a number, a share of it, or None for no cap.
Cap = int | float | None

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
        tau: The share of its occurrences at which a token is deleted.
        min_count: The lowest count of a merge.
        max_superwords: The cap on superwords; the paper has none.
        is_variation: Whether it varies a parameter of the paper's BoundlessBPE (4o).
    """

    key: str
    label: str
    baseline: Baseline | None = None
    pattern: str = "gpt4o"
    supermerges: bool = False
    deletion: str | None = None
    transition: float | None = None
    max_bytes: int | None = None
    tau: float = TrainingConfig.tau
    min_count: int = TrainingConfig.min_count
    max_superwords: Cap = None
    is_variation: bool = False

    @property
    def is_nested(self) -> bool:
        """Whether a smaller vocabulary is a prefix of a larger one."""
        # A cap that is a share allows fewer superwords in a smaller vocabulary.
        has_share = isinstance(self.max_superwords, float)
        return self.baseline != "unigram" and self.transition is None and not has_share


@dataclass(frozen=True)
class Variations:
    """Values of training parameters to try beside the paper's, one parameter at a time.

    Attributes:
        tau: The shares of its occurrences at which a token is deleted.
        min_count: The lowest counts of a merge.
        patterns: The patterns.
        max_superwords: The caps on superwords.
    """

    tau: Sequence[float] = ()
    min_count: Sequence[int] = ()
    patterns: Sequence[str] = ()
    max_superwords: Sequence[Cap] = ()


NO_VARIATIONS = Variations()


def boundless_key(pattern: str, deletion: str | None) -> str:
    """Return the key of BoundlessBPE with a pattern and a deletion mode.

    Example:
        >>> boundless_key("gpt4o", None)
        'boundless-gpt4o-none'
    """
    return f"boundless-{pattern}-{deletion or 'none'}"


def cap_key(cap: Cap) -> str:
    """Return the key of BoundlessBPE (4o) with a cap on superwords.

    Example:
        >>> cap_key(1 / 16), cap_key(8192)
        ('boundless-cap-0.0625', 'boundless-cap-8192')
    """
    return f"boundless-cap-{cap}"


def build_lineup(
    baselines: Sequence[Baseline] = BASELINES,
    baseline_bytes: Mapping[str, int] | None = None,
    transition: float | None = None,
    variations: Variations = NO_VARIATIONS,
) -> list[TokenizerSpec]:
    """Return the tokenizers that the paper's figures and tables need.

    Args:
        baselines: The Hugging Face baselines to train.
        baseline_bytes: Limits on the training text of some baselines. BoundlessBPE is also
            trained on the same text, for a fair comparison.
        transition: The share of the vocabulary after which SuperBPE merges across pretokens;
            None to leave SuperBPE out.
        variations: What to train beside the paper's models.
    """
    limits = {kind: limit for kind, limit in (baseline_bytes or {}).items() if kind in baselines}
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
    for limit in sorted(set(limits.values())):
        key = f"{boundless_key('gpt4o', 'bytes')}-{limit}"
        label = label_with_limit("BoundlessBPE (4o)", limit)
        lineup.append(TokenizerSpec(key, label, None, "gpt4o", True, "bytes", max_bytes=limit))
    return [*lineup, *vary(variations, sorted(set(limits.values())))]


def vary(variations: Variations, limits: Sequence[int]) -> Iterator[TokenizerSpec]:
    """Yield BoundlessBPE (4o) with one parameter changed, and models with further patterns.

    Models with a cap are also trained on the limited texts of slow baselines, because the claims
    are checked for them too. Values that the paper has give nothing new.
    """
    usual = TokenizerSpec("", "BoundlessBPE (4o)", None, "gpt4o", True, "bytes", is_variation=True)
    for cap in dict.fromkeys(variations.max_superwords):
        if cap is None:
            continue
        label = f"{usual.label}, cap {format_cap(cap)}"
        yield replace(usual, key=cap_key(cap), label=label, max_superwords=cap)
        for limit in limits:
            limited = replace(usual, key=f"{cap_key(cap)}-{limit}", is_variation=False)
            label_of_part = label_with_limit(label, limit)
            yield replace(limited, label=label_of_part, max_superwords=cap, max_bytes=limit)
    for tau in dict.fromkeys(variations.tau):
        if tau != usual.tau:
            label = f"{usual.label}, tau {tau:g}"
            yield replace(usual, key=f"boundless-tau-{tau}", label=label, tau=tau)
    for count in dict.fromkeys(variations.min_count):
        if count != usual.min_count:
            key, label = f"boundless-min-count-{count}", f"{usual.label}, min_count {count}"
            yield replace(usual, key=key, label=label, min_count=count)
    for pattern in dict.fromkeys(variations.patterns):
        if pattern not in PATTERN_LABELS:
            shown = find_pattern_name(pattern)
            # A regex is no name of a file.
            name = shown if find_known_pattern(pattern) else digest(pattern)
            plain = TokenizerSpec(f"bpe-{name}", f"BPE ({shown})", None, pattern)
            yield replace(plain, is_variation=True)
            key, label = boundless_key(name, "bytes"), f"BoundlessBPE ({shown})"
            yield replace(usual, key=key, label=label, pattern=pattern)


def format_cap(cap: int | float) -> str:
    """Format a cap on superwords: a number, or a share as a fraction.

    Example:
        >>> format_cap(8192), format_cap(0.0625), format_cap(0.051)
        ('8,192', '1/16', '0.051')
    """
    if isinstance(cap, int):
        return f"{cap:,}"
    share = Fraction(cap).limit_denominator(64)
    return f"{share.numerator}/{share.denominator}" if float(share) == cap else f"{cap:g}"


def label_with_limit(label: str, max_bytes: int | None) -> str:
    """Append the limit on the training text to a label, if there is one.

    Example:
        >>> label_with_limit("BPE", None), label_with_limit("BPE", 100_000_000)
        ('BPE', 'BPE, 100 MB')
    """
    return label if max_bytes is None else f"{label}, {max_bytes / 1e6:g} MB"
