"""Values from the text and tables of "Boundless Byte Pair Encoding", Schmidt et al., COLM 2025."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "ABLATION",
    "LAST_SUPERMERGE_SHARE",
    "RULES_PER_GROUP",
    "SIZES",
    "SUPERMERGE_SHARE",
    "UNIGRAM_SINGLE_SHARE",
    "Ablation",
]

SIZES = (40_960, 65_536, 98_304, 131_072)

# Section 3.4: the share of supermerges in all rules up to 131,072 tokens, and in the last 8,192.
SUPERMERGE_SHARE = 0.366
LAST_SUPERMERGE_SHARE = 0.508
RULES_PER_GROUP = 8192
# Section 2: the largest share of pretokens that UnigramLM makes one token.
UNIGRAM_SINGLE_SHARE = 0.73


class Ablation(NamedTuple):
    """The values of one row of Table 1 or 3."""

    bytes_per_token: float
    renyi_efficiency: float


# By vocabulary size, pattern and deletion.
ABLATION: dict[tuple[int, str, str | None], Ablation] = {
    (40_960, "boundless", None): Ablation(4.268, 0.4650),
    (40_960, "boundless", "pair"): Ablation(4.267, 0.4650),
    (40_960, "boundless", "bytes"): Ablation(4.261, 0.4651),
    (40_960, "gpt4o", None): Ablation(4.424, 0.4925),
    (40_960, "gpt4o", "pair"): Ablation(4.422, 0.4925),
    (40_960, "gpt4o", "bytes"): Ablation(4.416, 0.4926),
    (65_536, "boundless", None): Ablation(4.488, 0.4386),
    (65_536, "boundless", "pair"): Ablation(4.486, 0.4386),
    (65_536, "boundless", "bytes"): Ablation(4.480, 0.4387),
    (65_536, "gpt4o", None): Ablation(4.673, 0.4652),
    (65_536, "gpt4o", "pair"): Ablation(4.671, 0.4653),
    (65_536, "gpt4o", "bytes"): Ablation(4.664, 0.4653),
    (98_304, "boundless", None): Ablation(4.660, 0.4181),
    (98_304, "boundless", "pair"): Ablation(4.658, 0.4182),
    (98_304, "boundless", "bytes"): Ablation(4.651, 0.4183),
    (98_304, "gpt4o", None): Ablation(4.871, 0.4439),
    (98_304, "gpt4o", "pair"): Ablation(4.869, 0.4439),
    (98_304, "gpt4o", "bytes"): Ablation(4.861, 0.444),
    (131_072, "boundless", None): Ablation(4.771, 0.4048),
    (131_072, "boundless", "pair"): Ablation(4.769, 0.4049),
    (131_072, "boundless", "bytes"): Ablation(4.762, 0.405),
    (131_072, "gpt4o", None): Ablation(5.001, 0.4298),
    (131_072, "gpt4o", "pair"): Ablation(4.999, 0.4299),
    (131_072, "gpt4o", "bytes"): Ablation(4.991, 0.4300),
}
