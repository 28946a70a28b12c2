"""Published vocabularies by name: how they split text, and their special tokens.

One table serves training (`pattern="cl100k_base"`), importing and evaluation, so that a name means
the same split everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["VOCABULARIES", "Vocabulary"]


class Vocabulary(NamedTuple):
    """What a vocabulary file of tiktoken does not hold.

    Attributes:
        pattern: The pattern that splits text: a named one, or a regex that has a scanner.
        special_tokens: The special tokens with their ids; None if the name stands for the split
            alone.
    """

    pattern: str
    special_tokens: Mapping[str, int] | None = None


# As in tiktoken 0.14. It differs from `gpt4` in white space at the end of a text: one pretoken.
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2_PATTERN = LLAMA3_PATTERN.replace(r"\p{N}{1,3}", r"\p{N}")

END_OF_TEXT = "<|endoftext|>"
GPT2 = Vocabulary("gpt2", {END_OF_TEXT: 50256})
FILL_IN_MIDDLE = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
O200K = {END_OF_TEXT: 199999, "<|endofprompt|>": 200018}
HARMONY = {
    **O200K,
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
# The other ids are reserved. tiktoken also reserves that of `<|endofprompt|>`.
RESERVED = {f"<|reserved_{id}|>": id for id in range(200000, 201088) if id not in HARMONY.values()}

VOCABULARIES: dict[str, Vocabulary] = {
    "gpt2": GPT2,
    "r50k_base": GPT2,
    "p50k_base": GPT2,
    "p50k_edit": Vocabulary(
        "gpt2", {END_OF_TEXT: 50256, **dict(zip(FILL_IN_MIDDLE, range(50281, 50284), strict=True))}
    ),
    "cl100k_base": Vocabulary(
        CL100K_PATTERN,
        {
            END_OF_TEXT: 100257,
            **dict(zip(FILL_IN_MIDDLE, range(100258, 100261), strict=True)),
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": Vocabulary("gpt4o", O200K),
    "o200k_harmony": Vocabulary("gpt4o", {**HARMONY, **RESERVED}),
    "llama3": Vocabulary(LLAMA3_PATTERN),
    "llama4": Vocabulary("gpt4o"),
    "qwen2": Vocabulary(QWEN2_PATTERN),
    "qwen2.5": Vocabulary(QWEN2_PATTERN),
    "qwen3": Vocabulary(QWEN2_PATTERN),
}
