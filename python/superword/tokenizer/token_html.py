"""Tokens and steps as HTML for notebooks and pages.

Notebooks remove style sheets, scripts and most attributes from what they do not trust. So all
styles are inline, of the properties that JupyterLab keeps, and the hover text is a `title`. All
text is escaped here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from superword.html_page import escape, format_html
from superword.printable import quote
from superword.tables import Column, Table
from superword.tokenizer.colors import KIND_COLORS, choose_color
from superword.tokenizer.rules import Step
from superword.tokenizer.shown_tokens import ShownToken, describe_rule, split_visible

__all__ = ["build_note", "build_steps", "build_token_table", "build_tokens"]

MONOSPACE = "font-family: ui-monospace, Menlo, Consolas, monospace"
BLOCK = f"{MONOSPACE}; font-size: 14px; line-height: 2"
# A superword that is wider than the page breaks into lines.
PILL = "display: inline-block; white-space: pre-wrap; border-radius: 4px; line-height: 1.4"
GRAY = "rgba(128, 128, 128, 0.16)"
# The table of tokens lists no more of them.
MAX_LISTED_TOKENS = 200


def build_tokens(tokens: Sequence[ShownToken]) -> str:
    """Build the tokens of a text in a row: colored by id, superwords underlined, with their words.

    The first letter decides the direction of the row, so Hebrew starts at the right.

    Example:
        >>> print(build_tokens([ShownToken(258, b"</b>")]).count("&lt;/b&gt;"))
        2
    """
    divided = find_divided([each.token for each in tokens])
    row = "".join(map(build_token, tokens, divided))
    return f'<div class="tokens" dir="auto" style="{BLOCK}">{row}</div>'


def find_divided(tokens: Sequence[bytes]) -> list[str]:
    r"""Return for each token the characters that are divided between it and its neighbours.

    Example:
        >>> find_divided([b"a\xe6", b"\x97", b"\xa5", b"b"])
        ['日', '日', '日', '']
    """
    owners = [at for at, token in enumerate(tokens) for _ in token]
    divided = [""] * len(tokens)
    start = 0
    for character in b"".join(tokens).decode("utf-8", "surrogateescape"):
        end = start + len(character.encode("utf-8", "surrogateescape"))
        if owners[start] != owners[end - 1]:
            for at in dict.fromkeys(owners[start:end]):
                divided[at] += character
        start = end
    return divided


def build_token(shown: ShownToken, divided: str) -> str:
    """Build a token with its hover text; the line ends after a token with a line end."""
    color = choose_color(shown.id)
    style = f"{PILL}; margin: 0 1px; padding: 1px 2px; background-color: {color.as_tint(0.3)}"
    words = ""
    if shown.is_superword:
        style += f"; border-bottom: 2px solid {color.as_tint(1.0)}"
        words = f'<sup style="font-size: 9px; opacity: 0.7">{shown.words}</sup>'
    elif not shown.token:
        words = f'<span style="opacity: 0.6">#{shown.id}</span>'
    lines = [shown.describe(), *([f"part of {divided}"] if divided else [])]
    title = escape("\n".join(lines)).replace("\n", "&#10;")
    kind = "token superword" if shown.is_superword else "token"
    line_end = "<br>" if b"\n" in shown.token else ""
    visible = build_visible(shown.token)
    return f'<span class="{kind}" title="{title}" style="{style}">{visible}{words}</span>{line_end}'


def build_visible(token: bytes) -> str:
    """Build the text of a token, with its escapes pale."""
    return "".join(
        f'<span style="opacity: 0.55">{escape(piece)}</span>' if is_escape else escape(piece)
        for piece, is_escape in split_visible(token)
    )


def build_note(text: str) -> str:
    """Build a line of small text."""
    return f'<div class="note" style="font-size: 13px; opacity: 0.75">{escape(text)}</div>'


def build_token_table(tokens: Sequence[ShownToken]) -> str:
    """Build a table of the distinct tokens, closed at first: what hovering shows."""
    occurrences = Counter(tokens)
    listed = list(occurrences)[:MAX_LISTED_TOKENS]
    rows = [
        [
            quote(each.token),
            str(each.id),
            str(len(each.token)),
            str(each.words or ""),
            each.origin,
            "" if each.count is None else f"{each.count:,}",
            str(occurrences[each]),
        ]
        for each in listed
    ]
    columns = [
        Column("token", False),
        *map(Column, ("id", "bytes", "words")),
        Column("made by", False),
        *map(Column, ("count", "here")),
    ]
    more = len(occurrences) - len(listed)
    rest = build_note(f"and {more:,} more") if more else ""
    return (
        '<details><summary style="font-size: 13px">Each token</summary>'
        f"{format_html(Table(columns, rows))}{rest}</details>"
    )


def build_steps(steps: Iterable[Step]) -> str:
    """Build a table of the steps of an explanation: a row for each rule, its new tokens colored."""
    rows = "".join(map(build_step, steps))
    return (
        '<div class="wide" style="overflow-x: auto"><table class="steps" '
        f'style="border-collapse: collapse"><tbody>{rows}</tbody></table></div>'
    )


def build_step(step: Step) -> str:
    """Build the row of a step: the rule, with its count on hovering, and the units after it."""
    kind = "delete" if step.rule is None else step.rule.kind
    if step.rule is None:
        name, title = ("removed" if step.changes else "bytes"), ""
    else:
        name, title = f"{kind} {step.rule.index}", describe_rule(step.rule)
        title += f"\ncount {step.rule.count:,}" if step.rule.count else ""
    new = set(step.changes)
    units = "".join(
        f'<span style="{PILL}; margin: 0 3px 0 0; border: 1px solid {GRAY}; padding: 0 1px">'
        + "".join(
            f'<span style="{PILL}; margin: 1px; padding: 0 2px; background-color: '
            f'{KIND_COLORS[kind].as_tint(0.45) if (at, index) in new else GRAY}">'
            f"{build_visible(token)}</span>"
            for index, token in enumerate(unit)
        )
        + "</span>"
        for at, unit in enumerate(step.units)
    )
    cell = "padding: 1px 12px 1px 0; vertical-align: top; text-align: left; border: 0"
    dot = f"border-left: 4px solid {KIND_COLORS[kind].as_tint(0.9) if step.changes else GRAY}"
    return (
        f'<tr title="{escape(title).replace(chr(10), "&#10;")}">'
        f'<td style="{cell}; {dot}; padding-left: 6px; font-size: 13px; white-space: nowrap">'
        f"{escape(name)}</td>"
        f'<td style="{cell}; {MONOSPACE}; font-size: 14px; line-height: 1.7" dir="auto">'
        f"{units}</td></tr>\n"
    )
