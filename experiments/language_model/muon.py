"""Muon, an optimizer for matrices: momentum, made orthogonal.

Keller Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor, nn

__all__ = ["Muon", "orthogonalize"]

STEPS = 5
# A polynomial that drives singular values of at most 1 towards 1, from the article above.
COEFFICIENTS = (3.4445, -4.7750, 2.0315)


def orthogonalize(matrices: Tensor) -> Tensor:
    """Set the singular values of each matrix of a stack to about 1, and keep their vectors."""
    a, b, c = COEFFICIENTS
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    is_tall = x.shape[-2] > x.shape[-1]
    if is_tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(STEPS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return (x.mT if is_tall else x).to(matrices.dtype)


class Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum. Matrices of one shape are updated together."""

    def __init__(self, matrices: Iterable[nn.Parameter], lr: float, momentum: float = 0.95) -> None:
        """Make an optimizer of some matrices."""
        super().__init__(matrices, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self) -> None:
        """Change the matrices by one step."""
        for group in self.param_groups:
            by_shape = defaultdict(list)
            for parameter in group["params"]:
                by_shape[parameter.shape].append(parameter)
            for shape, parameters in by_shape.items():
                gradients = [parameter.grad for parameter in parameters]
                momenta = [self.momentum(parameter) for parameter in parameters]
                torch._foreach_mul_(momenta, group["momentum"])
                torch._foreach_add_(momenta, gradients)
                ahead = torch._foreach_add(gradients, momenta, alpha=group["momentum"])
                updates = orthogonalize(torch.stack(ahead))
                rate = group["lr"] * max(1.0, shape[0] / shape[1]) ** 0.5
                torch._foreach_add_(parameters, list(updates.unbind()), alpha=-rate)

    def momentum(self, parameter: nn.Parameter) -> Tensor:
        """Return the momentum of a matrix; zeros at first."""
        state = self.state[parameter]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(parameter)
        momentum: Tensor = state["momentum"]
        return momentum
