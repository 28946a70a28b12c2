"""`superword explain`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from superword.commands.messages import errors_as_sentences
from superword.commands.options import AsJson, Model, TextFile
from superword.commands.text_input import as_text, given_bytes
from superword.tokenizer.display import quoted, readable
from superword.tokenizer.rules import Step
from superword.tokenizer.tokenizer import load

__all__ = ["explain_command"]

STYLES = {
    "merge": "black on bright_green",
    "supermerge": "black on bright_yellow",
    "delete": "black on bright_red",
}


def explain_command(
    model: Model,
    text: Annotated[str | None, typer.Argument(help="The text; standard input if absent.")] = None,
    file: TextFile = None,
    as_json: AsJson = False,
) -> None:
    """Show how a text is encoded, rule by rule.

    First come its bytes, then what each rule makes of them: a merge, a supermerge or a delete,
    with its index. Units are separated by |, and what the rule made is coloured, or in brackets
    where there is no terminal. Blanks are shown as ␣. It is meant for sentences.

    superword explain model.json "Tip of the hat"

    superword explain model.json "Tip of the hat" --json
    """
    with errors_as_sentences():
        steps = load(model).explain(as_text(given_bytes(text, file)))
    console = Console(soft_wrap=True, highlight=False)
    if as_json:
        shown = [step_as_json(step) for step in steps]
        sys.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2) + "\n")
    elif console.is_terminal:
        table = Table.grid(padding=(0, 2))
        for step in steps:
            table.add_row(name(step), coloured(step))
        console.print(table)
    else:
        width = max(len(name(step)) for step in steps)
        sys.stdout.writelines(f"{name(step):{width}}  {bracketed(step)}\n" for step in steps)


def name(step: Step) -> str:
    """The kind of a step's rule and its index: merge 12."""
    return "bytes" if step.rule is None else f"{step.rule.kind} {step.rule.index}"


def pieces(step: Step) -> Iterator[tuple[str, bool]]:
    """The tokens of a step and what separates them, each with whether the rule made it."""
    new = set(step.changes)
    for place, unit in enumerate(step.units):
        if place:
            yield " | ", False
        for at, token in enumerate(unit):
            if at:
                yield " ", False
            yield quoted(token), (place, at) in new


def bracketed(step: Step) -> str:
    """The units of a step, what is new in brackets: T i p | [␣t] h e."""
    return "".join(f"[{piece}]" if is_new else piece for piece, is_new in pieces(step))


def coloured(step: Step) -> Text:
    """The units of a step, what is new in the colour of the rule's kind."""
    style = STYLES[step.rule.kind] if step.rule is not None else ""
    return Text.assemble(*((piece, style if is_new else "") for piece, is_new in pieces(step)))


def step_as_json(step: Step) -> dict[str, object]:
    """A step as plain values; tokens as `readable` shows them."""
    rule = step.rule
    return {
        "kind": None if rule is None else rule.kind,
        "index": None if rule is None else rule.index,
        "units": [[readable(token) for token in unit] for unit in step.units],
        "changes": [{"unit": unit, "token": token} for unit, token in step.changes],
    }
