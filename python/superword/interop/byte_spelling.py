"""Tokens as strings, in the characters that GPT-2 writes bytes with."""

from __future__ import annotations

__all__ = ["read_spelling", "spell"]

VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
CHARACTERS = {byte: chr(byte) for byte in VISIBLE} | {
    byte: chr(256 + place)
    for place, byte in enumerate(byte for byte in range(256) if byte not in VISIBLE)
}
BYTES = {character: byte for byte, character in CHARACTERS.items()}
# A byte read as Latin-1 is the character with its number; it becomes the one to write.
WRITTEN = {byte: character for byte, character in CHARACTERS.items() if ord(character) != byte}


def spell(token: bytes) -> str:
    """Spell a token with one visible character for each byte, as Hugging Face's files do.

    Example:
        >>> spell(b" the"), spell("é".encode())
        ('Ġthe', 'Ã©')
    """
    return token.decode("latin-1").translate(WRITTEN)


def read_spelling(spelled: str) -> bytes | None:
    """Give the bytes of a spelled token, or None if it has a character that spells no byte.

    Example:
        >>> read_spelling("Ġthe"), read_spelling(" the")
        (b' the', None)
    """
    try:
        return bytes([BYTES[character] for character in spelled])
    except KeyError:
        return None
