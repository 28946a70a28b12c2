"""How long a run is: the steps of a budget, and the learning rate at each step."""

from __future__ import annotations

from language_model.configuration import Experiment, Size
from language_model.data import ArmData
from language_model.flops import training_flops

__all__ = ["context_tokens", "plan_steps", "rate_factor", "row_count"]


def context_tokens(experiment: Experiment, data: ArmData) -> int:
    """Return the tokens in a row: as many as have the bytes of the context, in multiples of 8."""
    return max(8, 8 * round(experiment.context_bytes / data.bytes_per_token / 8))


def row_count(experiment: Experiment) -> int:
    """Return the rows of a batch."""
    return experiment.batch_bytes // experiment.context_bytes


def bytes_per_step(experiment: Experiment, data: ArmData) -> float:
    """Return the bytes of text in a batch, on average."""
    return row_count(experiment) * context_tokens(experiment, data) * data.bytes_per_token


def flops_per_step(experiment: Experiment, size: Size, data: ArmData) -> float:
    """Return the FLOPs of training on a batch."""
    context = context_tokens(experiment, data)
    each = training_flops(size.width, size.layers, data.vocab_size, context)
    return each * row_count(experiment) * context


def plan_steps(
    experiment: Experiment, size: Size, flops: float, data: ArmData, reference: ArmData
) -> dict[str, int]:
    """Return the steps of a run for each budget.

    Args:
        experiment: The experiment.
        size: The size of the model.
        flops: The training FLOPs.
        data: The arm.
        reference: The arm whose bytes, at those FLOPs, are the budget in bytes.

    Returns:
        The steps for `"flops"` and, unless they are the same, for `"bytes"`.
    """
    steps = {"flops": round(flops / flops_per_step(experiment, size, data))}
    reference_steps = flops / flops_per_step(experiment, size, reference)
    budget = reference_steps * bytes_per_step(experiment, reference)
    by_bytes = round(budget / bytes_per_step(experiment, data))
    return steps if by_bytes == steps["flops"] else {**steps, "bytes": by_bytes}


def rate_factor(step: int, end: int, warmup: int, decay: float) -> float:
    """Return what a learning rate is multiplied by: it rises, stays, and falls to 0 at the end.

    Example:
        >>> [rate_factor(step, 8, 2, 0.5) for step in range(8)]
        [0.5, 1.0, 1.0, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    return min(1.0, (step + 1) / warmup, (end - step) / (decay * end))
