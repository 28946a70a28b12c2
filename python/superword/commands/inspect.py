"""`superword inspect`."""

from __future__ import annotations

from typing import Annotated

import typer

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences, print_text
from superword.commands.options import AsCsv, AsLatex, AsMarkdown, Model, choose_output_form, option
from superword.tokenizer import load
from superword.tokenizer.display import open_console
from superword.tokenizer.inspection import (
    format_inspection_csv,
    format_inspection_latex,
    format_inspection_markdown,
    inspect,
    show,
)

__all__ = ["inspect_command"]


def inspect_command(
    model: Model,
    top: Annotated[int, typer.Option(min=0, help="Number of tokens in each list.")] = 20,
    as_json: Annotated[bool, option("Print a JSON object.", "Output", "--json")] = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
) -> None:
    """Show a summary of a model: rules by kind, superwords, deleted tokens, configuration.

    Spaces in tokens are shown as ␣, and bytes that are not UTF-8 in hexadecimal.

    superword inspect model.json

    superword inspect --top 5 --json model.json
    """
    with errors_as_sentences():
        form = choose_output_form(json=as_json, csv=as_csv, markdown=as_markdown, latex=as_latex)
        found = inspect(load(model), top)
    if form == "json":
        print_json(found.as_json())
    elif form == "csv":
        print_text(format_inspection_csv(found))
    elif form == "markdown":
        print_text(format_inspection_markdown(found))
    elif form == "latex":
        print_text(format_inspection_latex(found))
    else:
        show(found, open_console())
