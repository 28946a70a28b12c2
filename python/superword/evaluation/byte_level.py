"""What bytes the tokens in a `tokenizer.json` stand for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

__all__ = ["BYTE_OF", "token_reader"]

# The byte level of GPT-2 writes printable bytes as the characters of Latin-1 that they are, and
# the others, in order, as the characters from U+0100 on.
PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(256) if byte not in set(PRINTABLE)]
BYTE_OF = {chr(byte): byte for byte in PRINTABLE} | {
    chr(0x100 + place): byte for place, byte in enumerate(OTHERS)
}
HEXADECIMAL = re.compile(r"<0x([0-9A-F]{2})>")


def token_reader(described: dict[str, Any]) -> Callable[[str], bytes]:
    r"""Give the function from a token, as a `tokenizer.json` spells it, to its bytes.

    Args:
        described: What the file holds.

    Example:
        >>> empty = {"added_tokens": [], "model": {}, "decoder": None}
        >>> read = token_reader(empty | {"pre_tokenizer": {"type": "ByteLevel"}})
        >>> read("Ġthe"), read("Ã©")
        (b' the', b'\xc3\xa9')
        >>> read = token_reader(empty | {"pre_tokenizer": {"type": "Metaspace"}})
        >>> read("▁the"), read("<0x0A>")
        (b' the', b'\n')
    """
    steps = [described["pre_tokenizer"], described["decoder"]]
    added = {token["content"] for token in described["added_tokens"]}
    prefix = described["model"].get("continuing_subword_prefix") or ""
    if mentions(steps, "ByteLevel"):

        def read(token: str) -> bytes:
            rest = token.removeprefix(prefix)
            known = all(character in BYTE_OF for character in rest)
            return bytes(map(BYTE_OF.__getitem__, rest)) if known else token.encode()

    else:

        def read(token: str) -> bytes:
            if found := HEXADECIMAL.fullmatch(token):
                return bytes.fromhex(found[1])
            return token.removeprefix(prefix).replace("▁", " ").encode()

    return lambda token: token.encode() if token in added else read(token)


def mentions(described: object, kind: str) -> bool:
    """Say whether some step, or a step within it, is of a kind."""
    if isinstance(described, dict):
        return described.get("type") == kind or mentions(list(described.values()), kind)
    return isinstance(described, list) and any(mentions(each, kind) for each in described)
