"""Recover the bytes of tokens from their spelling in a `tokenizer.json`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from superword.interop.byte_spelling import read_spelling

__all__ = ["make_token_reader"]

HEXADECIMAL = re.compile(r"<0x([0-9A-F]{2})>")


def make_token_reader(described: dict[str, Any]) -> Callable[[str], bytes]:
    r"""Return a function from a token, as a `tokenizer.json` spells it, to its bytes.

    Args:
        described: The content of the file.

    Example:
        >>> empty = {"added_tokens": [], "model": {}, "decoder": None}
        >>> read = make_token_reader(empty | {"pre_tokenizer": {"type": "ByteLevel"}})
        >>> read("Ġthe"), read("Ã©")
        (b' the', b'\xc3\xa9')
        >>> read = make_token_reader(empty | {"pre_tokenizer": {"type": "Metaspace"}})
        >>> read("▁the"), read("<0x0A>")
        (b' the', b'\n')
    """
    is_byte_level = has_step([described["pre_tokenizer"], described["decoder"]], "ByteLevel")
    added = {token["content"] for token in described["added_tokens"]}
    prefix = described["model"].get("continuing_subword_prefix") or ""

    def read(token: str) -> bytes:
        if token in added:
            return token.encode()
        rest = token.removeprefix(prefix)
        if is_byte_level:
            spelled = read_spelling(rest)
            return token.encode() if spelled is None else spelled
        if found := HEXADECIMAL.fullmatch(token):
            return bytes.fromhex(found[1])
        return rest.replace("▁", " ").encode()

    return read


def has_step(described: object, kind: str) -> bool:
    """Return whether a step, or a step nested in it, is of a kind."""
    if isinstance(described, dict):
        return described.get("type") == kind or has_step(list(described.values()), kind)
    return isinstance(described, list) and any(has_step(each, kind) for each in described)
