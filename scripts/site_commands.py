"""The command reference of the site: a page for each command, from what its `--help` shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from site_pages import link_docs
from superword.cli import app

__all__ = ["write_commands"]

EXAMPLE = re.compile(r"(^|\| )superword [a-z]")
OPENING = """# Commands

`superword COMMAND --help` prints what these pages show. [Another page](../command-line.md)
describes what all commands have in common.

| command | what it does |
|---|---|
"""


def write_commands() -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each page: an index, and a page for each command."""
    group: Any = typer.main.get_command(app)
    parent = group.context_class(group, info_name="superword", **group.context_settings)
    commands = group.commands
    summaries = {name: command.help.partition("\n")[0] for name, command in commands.items()}
    rows = [f"| [superword {name}]({name}.md) | {escape(summaries[name])} |" for name in commands]
    yield "commands/index.md", OPENING + "\n".join(rows) + "\n"
    for name, command in commands.items():
        address = f"commands/{name}.md"
        yield address, link_docs(describe_command(name, command, parent), address)


def describe_command(name: str, command: Any, parent: Any) -> str:
    """Return the page of a command: usage, description, examples and options."""
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    command = context.command
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"# superword {name}", f"```text\nsuperword {name} {usage}\n```"]
    paragraphs = command.help.split("\n\n")
    parts += [escape(each) for each in paragraphs if not EXAMPLE.search(each)]
    examples = "\n".join(f"$ {each}" for each in paragraphs if EXAMPLE.search(each))
    if examples:
        parts.append(f"```console\n{examples}\n```")
    panels: dict[str, list[str]] = {}
    for parameter in command.get_params(context):
        shown = parameter.get_help_record(context)
        if shown is not None:
            is_argument = parameter.param_type_name == "argument"
            panel = parameter.rich_help_panel or ("Arguments" if is_argument else "Options")
            names = " ".join(f"`{each}`" for each in re.split(r", | / ", shown[0]))
            panels.setdefault(panel, []).append(f"{names}\n:   {escape(shown[1])}")
    for panel in sorted(panels, key=lambda panel: panel != "Arguments"):
        parts += [f"## {panel}", *panels[panel]]
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    r"""Return a plain text as Markdown that shows it as it is.

    Example:
        >>> escape("code=2,*=1")
        'code=2,\\*=1'
    """
    return re.sub(r"([\\`*_<>|\[\]])", r"\\\1", text)
