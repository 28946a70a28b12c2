"""A small decoder-only transformer.

Rotary positions, RMS norm before each layer and of queries and keys, squared ReLU, no biases, and
a head of its own. Nothing in it depends on the tokenizer but the size of the vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["Block", "LanguageModel"]

HEAD_WIDTH = 64


def norm(x: Tensor) -> Tensor:
    """Scale each vector to a mean square of 1."""
    return functional.rms_norm(x, (x.shape[-1],))


def rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Turn pairs of coordinates by an angle that grows with the position."""
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([first * cosines - second * sines, first * sines + second * cosines], dim=-1)
    return turned.to(x.dtype)


class Block(nn.Module):
    """One layer: attention, then an MLP, each added to its input."""

    def __init__(self, width: int) -> None:
        """Make a layer that returns its input."""
        super().__init__()
        self.heads = width // HEAD_WIDTH
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.attended = nn.Linear(width, width, bias=False)
        self.widen = nn.Linear(width, 4 * width, bias=False)
        self.narrow = nn.Linear(4 * width, width, bias=False)
        nn.init.zeros_(self.attended.weight)
        nn.init.zeros_(self.narrow.weight)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """Return the layer's output for rows of vectors."""
        rows, length, width = x.shape
        seen = norm(x)
        query, key, value = (
            matrix(seen).view(rows, length, self.heads, HEAD_WIDTH).transpose(1, 2)
            for matrix in (self.query, self.key, self.value)
        )
        query, key = rotate(norm(query), cosines, sines), rotate(norm(key), cosines, sines)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.attended(mixed.transpose(1, 2).reshape(rows, length, width))
        return x + self.narrow(functional.relu(self.widen(norm(x))).square())


class Loss(nn.Module):
    """The loss of each target after the last layer's output for it."""

    def forward(self, x: Tensor, head: Tensor, targets: Tensor) -> Tensor:
        """Return the losses, in nats.

        Args:
            x: The output of the last layer.
            head: A vector for each token.
            targets: The ids that follow.
        """
        logits = functional.linear(norm(x), head).float()
        losses = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
        return losses.view_as(targets)


class LanguageModel(nn.Module):
    """A language model that gives the loss of each token after those before it."""

    def __init__(self, vocab_size: int, width: int, layers: int, context: int) -> None:
        """Make a model with random weights.

        Args:
            vocab_size: Size of the vocabulary.
            width: Width of the model, a multiple of 64.
            layers: Number of layers.
            context: The most tokens in a row.
        """
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.head = nn.Linear(width, vocab_size, bias=False)
        self.loss = Loss()
        nn.init.normal_(self.embedding.weight, std=0.02)
        nn.init.zeros_(self.head.weight)
        turns = 10_000 ** -torch.linspace(0, 1, HEAD_WIDTH // 2 + 1)[:-1]
        angles = torch.outer(torch.arange(context, dtype=torch.float32), turns)
        self.register_buffer("cosines", angles.cos(), persistent=False)
        self.register_buffer("sines", angles.sin(), persistent=False)

    def matrices(self) -> list[nn.Parameter]:
        """Return the matrices of the layers."""
        return list(self.blocks.parameters())

    def compile_parts(self) -> None:
        """Compile one layer, for all of them, and the head with the loss."""
        for part in [*self.blocks, self.loss]:
            part.compile(dynamic=False)

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        """Return the loss of each target, in nats: the one at `i` follows `ids[: i + 1]`.

        Args:
            ids: Rows of ids.
            targets: For each of them, the id that follows.
        """
        length = ids.shape[1]
        cosines, sines = self.cosines[:length], self.sines[:length]
        x = norm(self.embedding(ids))
        if torch.is_autocast_enabled(ids.device.type):
            x = x.to(torch.get_autocast_dtype(ids.device.type))
        for block in self.blocks:
            x = block(x, cosines, sines)
        return self.loss(x, self.head.weight, targets)
