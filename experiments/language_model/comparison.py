"""Compare an arm with the reference of its series, by the rule of PLAN.md."""

from __future__ import annotations

from dataclasses import dataclass

from language_model.recorded import Results
from superword.evaluation.bootstrap import bootstrap_difference

__all__ = ["Comparison", "compare", "decide"]

LEAST_GAIN = 0.005
LEAST_SEEDS = 3


@dataclass(frozen=True)
class Comparison:
    """An arm beside the reference of its series.

    Attributes:
        arm: The arm.
        values: Its bits per byte, by seed.
        reference: The bits per byte of the reference, by seed.
        relative: The difference of their means, as a share of the reference's.
        interval: The 95% interval of the difference, in bits per byte.
        verdict: `better`, `worse`, `no clear difference`, or `too few seeds` to tell.
    """

    arm: str
    values: list[float]
    reference: list[float]
    relative: float
    interval: tuple[float, float]
    verdict: str


def compare(
    results: Results, series: str, arm: str, budget: str, reference: str | None = None
) -> Comparison:
    """Compare an arm with another, or with the first of its series.

    Args:
        results: The results.
        series: The series.
        arm: The arm.
        budget: `flops` or `bytes`.
        reference: The arm to compare it with.
    """
    base = reference or results.arms_of(series)[0]
    found = bootstrap_difference(
        results.document_bits(series, base, budget),
        results.document_bits(series, arm, budget),
        results.sizes,
    )
    values = results.bits_per_byte(series, arm, budget)
    base_values = results.bits_per_byte(series, base, budget)
    if found.relative is None or found.low is None or found.high is None:
        raise ValueError("too few documents to compare on")
    interval = (found.low, found.high)
    verdict = decide(values, base_values, found.relative, interval)
    return Comparison(arm, values, base_values, found.relative, interval, verdict)


def decide(
    values: list[float], reference: list[float], relative: float, interval: tuple[float, float]
) -> str:
    """Return what a difference is worth: PLAN.md has the rule.

    Example:
        >>> decide([1.17, 1.18, 1.18], [1.19, 1.20, 1.20], -0.017, (-0.024, -0.016))
        'better'
        >>> decide([1.17, 1.18, 1.195], [1.19, 1.20, 1.20], -0.012, (-0.018, -0.010))
        'no clear difference'
    """
    if min(len(values), len(reference)) < LEAST_SEEDS:
        return "too few seeds"
    if relative <= -LEAST_GAIN and interval[1] < 0 and max(values) < min(reference):
        return "better"
    if relative >= LEAST_GAIN and interval[0] > 0 and min(values) > max(reference):
        return "worse"
    return "no clear difference"
