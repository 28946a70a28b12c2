"""`superword explain`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from superword.commands.json_output import dump_json, encodes_unicode
from superword.commands.messages import errors_as_sentences
from superword.commands.options import AsJson, Model, TextFile, option
from superword.commands.text_input import decode_input, read_input
from superword.tokenizer import Step, load
from superword.tokenizer.display import quote, readable
from superword.tokenizer.encoding import MAX_EXPLAINED_BYTES

__all__ = ["explain_command"]

STYLES = {
    "merge": "black on bright_green",
    "supermerge": "black on bright_yellow",
    "delete": "black on bright_red",
}


def explain_command(
    model: Model,
    text: Annotated[str | None, typer.Argument(help="Text; standard input by default.")] = None,
    file: TextFile = None,
    as_json: AsJson = False,
    force: Annotated[bool, option("Explain a long text too.", "Output", "--force")] = False,
) -> None:
    """Show how a text is encoded, rule by rule.

    The first line shows the bytes. Each further line shows the effect of one rule: a merge, a
    supermerge or a delete, with its index. The last line of a pruned model shows what replaces
    removed tokens. Units are separated by |. New tokens are colored on a terminal, and in brackets
    elsewhere. Spaces are shown as ␣. Use it for sentences: every line
    shows the whole text. A long text is refused without --force.

    superword explain model.json "Tip of the hat"

    superword explain model.json "Tip of the hat" --json
    """
    with errors_as_sentences():
        tok = load(model)
        given = decode_input(read_input(text, file))
        size = len(given.encode())
        if size > MAX_EXPLAINED_BYTES and not force:
            raise ValueError(
                f"the text has {size:,} bytes, and every line would show all of it; explain takes "
                f"up to {MAX_EXPLAINED_BYTES:,}. Give a shorter text, or --force"
            )
        steps = tok.explain_steps(given)
        if as_json:
            write_json(steps)
        else:
            write_lines(steps, len(f"supermerge {len(tok.rules) - 1}"))


def write_json(steps: Iterable[Step]) -> None:
    """Print steps as a JSON array, one line each."""
    is_ascii = not encodes_unicode()
    separator = "[\n"
    for step in steps:
        sys.stdout.write(
            separator + dump_json(step_as_json(step), is_ascii=is_ascii, is_compact=True)
        )
        separator = ",\n"
    sys.stdout.write("\n]\n")


def write_lines(steps: Iterable[Step], width: int) -> None:
    """Print a line for each step, its name and its units."""
    console = Console(soft_wrap=True, highlight=False)
    for step in steps:
        name = f"{step_name(step):{width}}  "
        if console.is_terminal:
            console.print(Text.assemble(name, color_new(step)))
        else:
            sys.stdout.write(f"{name}{bracket_new(step)}\n")


def step_name(step: Step) -> str:
    """Return the kind of a step's rule and its index: merge 12."""
    if step.rule is None:
        return "removed" if step.changes else "bytes"
    return f"{step.rule.kind} {step.rule.index}"


def split_pieces(step: Step) -> Iterator[tuple[str, bool]]:
    """Yield tokens and separators, each with whether the rule made it."""
    new = set(step.changes)
    for index, unit in enumerate(step.units):
        if index:
            yield " | ", False
        for at, token in enumerate(unit):
            if at:
                yield " ", False
            yield quote(token), (index, at) in new


def bracket_new(step: Step) -> str:
    """Return the units of a step, with new tokens in brackets: T i p | [␣t] h e."""
    return "".join(f"[{piece}]" if is_new else piece for piece, is_new in split_pieces(step))


def color_new(step: Step) -> Text:
    """Return the units of a step, with new tokens in the color of the rule's kind."""
    style = STYLES["delete" if step.rule is None else step.rule.kind]
    return Text.assemble(
        *((piece, style if is_new else "") for piece, is_new in split_pieces(step))
    )


def step_as_json(step: Step) -> dict[str, object]:
    """Return a step as plain values; tokens as `readable` shows them."""
    rule = step.rule
    return {
        "kind": ("removed" if step.changes else None) if rule is None else rule.kind,
        "index": None if rule is None else rule.index,
        "units": [[readable(token) for token in unit] for unit in step.units],
        "changes": [{"unit": unit, "token": token} for unit, token in step.changes],
    }
