"""A plain BPE of ours in the formats that peers read."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from superword import Tokenizer
from superword.patterns import NAMED_PATTERNS

Json = dict[str, Any]


def characters() -> dict[int, str]:
    """The character that GPT-2's files write for each byte: itself, if it can be seen."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {
        byte: chr(256 + place) for place, byte in enumerate(others)
    }


def write_tokenizer_json(tok: Tokenizer, path: Path) -> None:
    """Write the file that Hugging Face tokenizers, gigatoken and fastokens read."""
    shown = characters()

    def spelled(token: bytes) -> str:
        return "".join(shown[byte] for byte in token)

    split: Json = {"type": "Split", "pattern": {"Regex": NAMED_PATTERNS[tok.pattern]}}
    split |= {"behavior": "Isolated", "invert": False}
    byte_level: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {spelled(tok.token_bytes(id)): id for id in range(tok.vocab_size)},
        "merges": [[spelled(rule.left), spelled(rule.right or b"")] for rule in tok.rules],
    }
    whole: Json = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, byte_level | {"use_regex": False}],
        },
        "post_processor": None,
        "decoder": byte_level | {"use_regex": True},
        "model": model,
    }
    path.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")


def write_tiktoken(tok: Tokenizer, path: Path) -> None:
    """Write tokens and ids as tiktoken's files have them, after a line with the pattern."""
    tokens = (base64.b64encode(tok.token_bytes(id)).decode() for id in range(tok.vocab_size))
    lines = [NAMED_PATTERNS[tok.pattern], *(f"{token} {id}" for id, token in enumerate(tokens))]
    path.write_text("\n".join(lines), encoding="utf-8")
