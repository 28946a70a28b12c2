"""A text as tokens, for notebooks, terminals and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.console import Console
from rich.text import Text

from superword.printable import count_noun, quote
from superword.tokenizer.colors import choose_color
from superword.tokenizer.display import TOKEN_COLORS, count_colors, render_for_output
from superword.tokenizer.shown_tokens import MAX_SHOWN_TOKENS, ShownToken, split_visible
from superword.tokenizer.token_html import build_note, build_token_table, build_tokens

__all__ = ["ShownText"]


class ShownText:
    """A text as tokens: HTML in notebooks, colors on terminals, plain text elsewhere.

    Attributes:
        tokens: The tokens of the text, all of them.
        limit: Number of tokens to show; None for all.
    """

    def __init__(self, tokens: Sequence[ShownToken], limit: int | None = MAX_SHOWN_TOKENS) -> None:
        self.tokens = tokens
        self.limit = limit

    @property
    def shown_tokens(self) -> Sequence[ShownToken]:
        """The tokens that are shown."""
        return self.tokens[: self.limit]

    def describe_counts(self) -> str:
        """Return the line with counts: tokens, bytes, bytes per token, superwords.

        Example:
            >>> text = ShownText([ShownToken(97, b"a"), ShownToken(260, b" of the", 2)])
            >>> text.describe_counts()
            '2 tokens, 8 bytes, 4.00 bytes per token; 1 superword'
        """
        tokens, size = len(self.tokens), sum(len(each.token) for each in self.tokens)
        superwords = sum(each.is_superword for each in self.tokens)
        rate = f", {size / tokens:.2f} bytes per token" if tokens else ""
        joined = f"; {count_noun(superwords, 'superword')}" if superwords else ""
        hidden = tokens - len(self.shown_tokens)
        more = f"; the last {hidden:,} tokens are not shown" if hidden else ""
        return f"{count_noun(tokens, 'token')}, {count_noun(size, 'byte')}{rate}{joined}{more}"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        parts = build_tokens(self.shown_tokens), build_note(self.describe_counts())
        return f"<div>{''.join(parts)}{build_token_table(self.shown_tokens)}</div>"

    def as_plain(self) -> str:
        """Return lines without colors; superwords are in brackets.

        Example:
            >>> print(ShownText([ShownToken(97, b"a"), ShownToken(260, b" of the", 2)]).as_plain())
            a | [␣of␣the]
            2 tokens, 8 bytes, 4.00 bytes per token; 1 superword
        """
        row = " | ".join(
            f"[{quote(each.token)}]" if each.is_superword else quote(each.token)
            for each in self.shown_tokens
        )
        return f"{row}\n{self.describe_counts()}"

    def as_text(self, colors: Literal[16, 256] = 256) -> Text:
        """Return lines in colors, superwords underlined.

        Args:
            colors: The colors of the terminal. With 16, there are no pastels, and two alternate.
        """
        text = Text()
        for at, each in enumerate(self.shown_tokens):
            pastel = f"black on {choose_color(each.id).as_pastel()}"
            style = pastel if colors > 16 else TOKEN_COLORS[at % 2]
            visible = "".join(piece for piece, _ in split_visible(each.token))
            text.append(visible, f"{style} underline" if each.is_superword else style)
            text.append("\n" if b"\n" in each.token and at + 1 < len(self.shown_tokens) else "")
        return text.append(f"\n{self.describe_counts()}")

    def print_to(self, console: Console) -> None:
        """Print the text: in colors if the console has them."""
        colors = count_colors(console)
        console.print(self.as_text(colors) if colors else Text(self.as_plain()))

    def __repr__(self) -> str:
        """Return the text in colors if standard output is a terminal; otherwise plain."""
        return render_for_output(self.print_to)
