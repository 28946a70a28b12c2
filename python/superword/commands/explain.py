"""`superword explain`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from superword.atomic_files import write_atomically
from superword.commands.json_output import dump_json, encodes_unicode
from superword.commands.messages import errors_as_sentences
from superword.commands.options import AsJson, HtmlOutput, Model, TextFile, option
from superword.commands.output import check_page_path
from superword.commands.text_input import decode_input, read_input
from superword.corpus import reject_inputs
from superword.html_page import build_page, escape
from superword.printable import readable
from superword.tokenizer import Step, Tokenizer, load
from superword.tokenizer.display import open_console
from superword.tokenizer.encoding import MAX_EXPLAINED_BYTES
from superword.tokenizer.explanation import print_steps
from superword.tokenizer.summary import describe_tokenizer
from superword.tokenizer.token_html import build_steps

__all__ = ["explain_command"]


def explain_command(
    model: Model,
    text: Annotated[str | None, typer.Argument(help="Text; standard input by default.")] = None,
    file: TextFile = None,
    html: HtmlOutput = None,
    as_json: AsJson = False,
    force: Annotated[bool, option("Explain a long text too.", "Output", "--force")] = False,
) -> None:
    """Show how a text is encoded, rule by rule.

    The first line shows the bytes. Each further line shows the effect of one rule: a merge, a
    supermerge or a delete, with its index. The last line of a pruned model shows what replaces
    removed tokens. Units are separated by |. New tokens are colored on a terminal, and in brackets
    elsewhere. Spaces are shown as ␣. Use it for sentences: every line
    shows the whole text. A long text is refused without --force. --html writes a page instead.

    superword explain superword-131k "Tip of the hat"

    superword explain model.json "Tip of the hat" --json

    superword explain model.json "Tip of the hat" --html hat.html
    """
    with errors_as_sentences():
        if html is not None:
            if as_json:
                raise ValueError("--json and --html exclude each other; choose one")
            check_page_path(html)
            reject_inputs([html], files=[model] if file is None else [model, file])
        tok = load(model)
        given = decode_input(read_input(text, file))
        size = len(given.encode())
        if size > MAX_EXPLAINED_BYTES and not force:
            raise ValueError(
                f"the text has {size:,} bytes, and every line would show all of it; explain takes "
                f"up to {MAX_EXPLAINED_BYTES:,}. Give a shorter text, or --force"
            )
        steps = tok.explain_steps(given)
        if html is not None:
            page = build_explanation_page(tok, model.name, given, steps)
            with write_atomically() as files:
                files.open(html).write(page.encode())
        elif as_json:
            write_json(steps)
        else:
            width = len(f"supermerge {len(tok.rules) - 1}")
            print_steps(steps, width, open_console())


def build_explanation_page(tok: Tokenizer, name: str, text: str, steps: Iterable[Step]) -> str:
    """Build a page with the tokens of a text, and the rules that make them."""
    body = (
        f"<p class='lead'>By {escape(name)}: {escape(describe_tokenizer(tok))}</p>"
        f"<h2>Tokens</h2>{tok.show(text, limit=None)._repr_html_()}"
        "<p class='note'>Superwords are underlined, with their number of words. Hover over a token "
        "for its id, bytes, rule and count.</p>"
        f"<h2>Rules</h2>{build_steps(steps)}"
        "<p class='note'>Each row shows the text after one rule. Boxes are units. New tokens are "
        "green after a merge, yellow after a supermerge, and red after a delete.</p>"
    )
    return build_page("A text, rule by rule", body)


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


def step_as_json(step: Step) -> dict[str, object]:
    """Return a step as plain values; tokens as `readable` shows them."""
    rule = step.rule
    return {
        "kind": ("removed" if step.changes else None) if rule is None else rule.kind,
        "index": None if rule is None else rule.index,
        "units": [[readable(token) for token in unit] for unit in step.units],
        "changes": [{"unit": unit, "token": token} for unit, token in step.changes],
    }
