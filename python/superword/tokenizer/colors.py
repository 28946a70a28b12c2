"""The colors of tokens and of rules: pastels that suit light and dark backgrounds."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["KIND_COLORS", "PALETTE", "Color", "choose_color"]


class Color(NamedTuple):
    """A color by its red, green and blue, from 0 to 255."""

    red: int
    green: int
    blue: int

    def as_tint(self, alpha: float) -> str:
        """Return the color as CSS, partly transparent.

        Over white it is a pastel, over black a dark shade. So the text keeps the color that the
        page gives it, and is readable on both.

        Example:
            >>> Color(239, 126, 128).as_tint(0.3)
            'rgba(239, 126, 128, 0.3)'
        """
        return f"rgba({self.red}, {self.green}, {self.blue}, {alpha})"

    def as_pastel(self) -> str:
        """Return the color mixed with white, for black text on terminals.

        Example:
            >>> Color(239, 126, 128).as_pastel()
            '#f7c3c4'
        """
        return "#" + "".join(f"{channel + (255 - channel) * 54 // 100:02x}" for channel in self)


# Twelve hues of the same lightness and chroma, in OKLCH: 0.72, 0.14, and 20 to 350 degrees.
PALETTE = (
    Color(239, 126, 128),
    Color(233, 136, 77),
    Color(210, 153, 34),
    Color(170, 172, 49),
    Color(114, 186, 99),
    Color(19, 192, 151),
    Color(0, 190, 199),
    Color(22, 179, 235),
    Color(111, 164, 252),
    Color(164, 148, 246),
    Color(203, 134, 219),
    Color(229, 125, 177),
)

KIND_COLORS: dict[Literal["merge", "supermerge", "delete"], Color] = {
    "merge": PALETTE[4],
    "supermerge": PALETTE[2],
    "delete": PALETTE[0],
}


def choose_color(id: int) -> Color:
    """Return the color of a token, always the same for an id. Ids in a row differ clearly.

    Example:
        >>> [PALETTE.index(choose_color(id)) for id in (256, 257, 258, 268)]
        [8, 1, 6, 8]
    """
    return PALETTE[id * 5 % len(PALETTE)]
