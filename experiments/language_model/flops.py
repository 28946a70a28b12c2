"""Count what a model costs: training FLOPs, inference FLOPs, key-value cache.

A multiplication and an addition are two operations. The backward pass costs twice the forward
pass. Attention is causal: a token looks at half of the context on average. The embedding is
a lookup and costs nothing.
"""

from __future__ import annotations

__all__ = ["inference_flops", "key_value_bytes", "matrix_parameters", "training_flops"]


def matrix_parameters(width: int, layers: int) -> int:
    """Return the parameters in the matrices of the layers: 4 of attention, 8 of the MLP.

    Example:
        >>> matrix_parameters(512, 8)
        25165824
    """
    return 12 * width * width * layers


def inference_flops(width: int, layers: int, vocab_size: int, context: int) -> float:
    """Return the FLOPs of the forward pass for one token.

    Args:
        width: Width of the model.
        layers: Number of layers.
        vocab_size: Size of the vocabulary.
        context: Tokens in the context.

    Example:
        >>> inference_flops(512, 8, 32_768, 1024) / 1e6
        92.274688
    """
    products = matrix_parameters(width, layers) + width * vocab_size
    attention = width * layers * context
    return float(2 * (products + attention))


def training_flops(width: int, layers: int, vocab_size: int, context: int) -> float:
    """Return the FLOPs of training on one token: three forward passes.

    Example:
        >>> training_flops(512, 8, 32_768, 1024) / 1e6
        276.824064
    """
    return 3 * inference_flops(width, layers, vocab_size, context)


def key_value_bytes(width: int, layers: int) -> int:
    """Return the bytes that a token takes in the cache of keys and values, in bf16.

    Example:
        >>> key_value_bytes(512, 8)
        16384
    """
    return 2 * 2 * width * layers
