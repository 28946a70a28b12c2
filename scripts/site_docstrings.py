"""Docstrings in Google's style as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping

__all__ = ["format_docstring"]

SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example|Examples):$")
TITLES = {"Args": "Parameters", "Example": "", "Examples": ""}


def format_docstring(doc: str, addresses: Mapping[str, str]) -> str:
    r"""Return a docstring as Markdown, with links at names that have an address.

    Example:
        >>> print(format_docstring("Train.\n\nArgs:\n    size: How many\n        tokens.", {}))
        Train.
        <BLANKLINE>
        **Parameters**
        <BLANKLINE>
        - `size`: How many tokens.
    """
    parts: list[str] = []
    for title, body in split_sections(doc):
        if title == "" or title.startswith("Example"):
            parts += format_text(body, addresses)
        else:
            parts.append(f"**{TITLES.get(title, title)}**")
            if title in ("Returns", "Yields"):
                parts += format_text(body, addresses)
            else:
                parts.append("\n".join(format_items(body, addresses)))
    return "\n\n".join(parts)


def split_sections(doc: str) -> Iterator[tuple[str, str]]:
    """Yield the sections of a docstring: a title and a text. The first has no title."""
    title, lines = "", list[str]()
    for line in doc.splitlines():
        heading = SECTION.match(line)
        if heading:
            yield title, inspect.cleandoc("\n".join(lines))
            title, lines = heading[1], [""]
        else:
            lines.append(line)
    yield title, inspect.cleandoc("\n".join(lines))


def format_text(text: str, addresses: Mapping[str, str]) -> Iterator[str]:
    """Yield the paragraphs of a text; examples become blocks of code."""
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.lstrip().startswith(">>>"):
            yield f"```pycon\n{inspect.cleandoc(paragraph)}\n```"
        elif paragraph.startswith("    ") or "\n    " in paragraph:
            yield f"```text\n{paragraph}\n```"
        elif paragraph:
            yield link_names(paragraph, addresses)


def format_items(text: str, addresses: Mapping[str, str]) -> Iterator[str]:
    """Yield each `name: description` of a section as an item of a list."""
    for item in re.split(r"\n(?! )", text):
        name, _, description = " ".join(item.split()).partition(": ")
        yield link_names(f"- `{name}`: {description}", addresses)


def link_names(text: str, addresses: Mapping[str, str]) -> str:
    """Return a text with links at the names, in backticks, that have an address."""

    def link(match: re.Match[str]) -> str:
        address = addresses.get(match[1].removeprefix("superword."))
        return match[0] if address is None else f"[{match[0]}]({address})"

    return re.sub(r"`([\w.]+)`", link, text)
