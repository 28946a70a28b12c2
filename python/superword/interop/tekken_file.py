"""Mistral's `tekken.json`: a vocabulary with ranks, its pattern and its special tokens.

Special tokens have the first ids. The others follow in the order of their ranks, up to the size
that the file names: it lists more than are used.
"""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

__all__ = ["Tekken", "is_tekken", "read_tekken"]

# Files without a list of special tokens have these.
FIRST_SPECIAL_TOKENS = [
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"),
    *("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    "[TOOL_CONTENT]",
]


class Tekken(NamedTuple):
    """The content of a `tekken.json`.

    Attributes:
        vocabulary: The tokens by id.
        pattern: The regex that splits text.
        special_tokens: The special tokens with their ids.
    """

    vocabulary: dict[int, bytes]
    pattern: str
    special_tokens: dict[str, int]


def is_tekken(described: dict[str, Any]) -> bool:
    """Return whether a JSON file is a `tekken.json`.

    Example:
        >>> is_tekken({"config": {"pattern": "a", "default_vocab_size": 9}, "vocab": []})
        True
    """
    return "vocab" in described and "default_vocab_size" in described.get("config", {})


def read_tekken(described: dict[str, Any]) -> Tekken:
    """Return the content of a `tekken.json`.

    Example:
        >>> config = {"pattern": "a+", "default_vocab_size": 4, "default_num_special_tokens": 2}
        >>> vocab = [{"rank": rank, "token_bytes": text} for rank, text in enumerate(["YQ==", "Yg=="])]
        >>> special = [{"rank": 0, "token_str": "<s>"}]
        >>> read_tekken({"config": config, "vocab": vocab, "special_tokens": special})
        Tekken(vocabulary={2: b'a', 3: b'b'}, pattern='a+', special_tokens={'<s>': 0, '<SPECIAL_1>': 1})
    """  # noqa: E501
    config = described["config"]
    special_count = config["default_num_special_tokens"]
    used = config["default_vocab_size"] - special_count
    listed = described.get("special_tokens")
    if listed is None:
        special_tokens = {text: id for id, text in enumerate(FIRST_SPECIAL_TOKENS)}
    else:
        special_tokens = {token["token_str"]: token["rank"] for token in listed}
    special_tokens |= {f"<SPECIAL_{id}>": id for id in range(len(special_tokens), special_count)}
    vocabulary = {
        token["rank"] + special_count: base64.b64decode(token["token_bytes"], validate=True)
        for token in described["vocab"]
        if token["rank"] < used
    }
    return Tekken(vocabulary, config["pattern"], special_tokens)
