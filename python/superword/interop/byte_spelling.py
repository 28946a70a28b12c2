"""Tokens as strings, one character for each byte, as GPT-2 spells them."""

from __future__ import annotations

__all__ = ["read_spelling", "spell"]

VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
CHARACTERS = {byte: chr(byte) for byte in VISIBLE} | {
    byte: chr(256 + number)
    for number, byte in enumerate(byte for byte in range(256) if byte not in VISIBLE)
}
# Decoded as Latin-1, a byte is the character with its number. These need another character.
TRANSLATION = {byte: character for byte, character in CHARACTERS.items() if ord(character) != byte}
# The way back. Characters of Latin-1 that spell no byte become one that Latin-1 does not have.
TO_LATIN_1 = {ord(character): chr(byte) for byte, character in CHARACTERS.items()} | {
    code: "\u0100" for code in range(256) if code not in VISIBLE
}


def spell(token: bytes) -> str:
    """Return a token with one visible character for each byte, as in Hugging Face's files.

    Example:
        >>> spell(b" the"), spell("é".encode())
        ('Ġthe', 'Ã©')
    """
    return token.decode("latin-1").translate(TRANSLATION)


def read_spelling(spelled: str) -> bytes | None:
    """Return the bytes of a spelled token, or None if some character spells no byte.

    Example:
        >>> read_spelling("Ġthe"), read_spelling(" the")
        (b' the', None)
    """
    try:
        return spelled.translate(TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError:
        return None
