"""`superword compare`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    AsJson,
    Column,
    ErrorChoice,
    MaxBytes,
    MaxDocuments,
    MeasuredPattern,
    OnErrorChoice,
    ProgressChoice,
    Seed,
    Separator,
    ShownProgress,
    SourceColumn,
    Threads,
)
from superword.corpus.paths import RawPath
from superword.evaluation.comparison import compared, show_measured
from superword.evaluation.comparison_plot import checked_plot, save_plot
from superword.evaluation.measure import evaluate
from superword.evaluation.text_rows import Row, aligned_lines, coloured_lines, row_of
from superword.evaluation.tokenizers import open_tokenizer

__all__ = ["compare_command", "show_rows"]


def compare_command(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL...", help="Superword models, tokenizer.json or tiktoken files."
        ),
    ],
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", help="What to measure on: files, folders, globs, URLs."),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Show this text through all of them.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the comparison: .png, .svg or .html.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="What to call a model; in the order of the models.")
    ] = None,
    pattern: MeasuredPattern = None,
    as_json: AsJson = False,
    seed: Seed = 0,
    column: Column = "text",
    source: SourceColumn = "source",
    separator: Separator = None,
    max_bytes: MaxBytes = None,
    max_documents: MaxDocuments = None,
    on_error: OnErrorChoice = ErrorChoice.raise_,
    threads: Threads = None,
    progress: ShownProgress = ProgressChoice.auto,
) -> None:
    """Compare tokenizers, on a corpus or on one text.

    Differences are in percent of the first. What each number means is in docs/evaluation.md.

    superword compare bpe.json boundless.json --corpus eval.jsonl.zst --plot comparison.html

    superword compare bpe.json tokenizer.json cl100k_base.tiktoken --text "To be or not to be"
    """
    with errors_as_sentences():
        if corpus is None and text is None:
            raise ValueError("nothing to compare on; name a --corpus or give a --text")
        if plot is not None:
            if corpus is None:
                raise ValueError("a plot is of a corpus; name one with --corpus")
            checked_plot(plot)
        names: list[str | None] = [*(name or []), *[None] * len(models)]
        opened = [
            open_tokenizer(model, name=called, pattern=pattern)
            for model, called in zip(models, names, strict=False)
        ]
        rows = [row_of(tok, text) for tok in opened] if text else []
        measured = []
        for tok in opened if corpus else []:
            measured.append(
                evaluate(
                    tok,
                    [RawPath(place) for place in corpus or []],
                    seed=seed,
                    column=column,
                    source=source,
                    separator=separator,
                    max_bytes=max_bytes,
                    max_documents=max_documents,
                    on_error=on_error.mode(),
                    threads=threads,
                    progress=progress.callback(),
                )
            )
        if plot is not None:
            save_plot(measured, plot)
    if as_json:
        tokens = {row.name: row.tokens() for row in rows}
        found = {"measured": compared(measured), "text": tokens}
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
        return
    console = Console(soft_wrap=True, highlight=False)
    if text:
        show_rows(text, rows, console)
    if measured:
        show_measured(measured, console)


def show_rows(text: str, rows: list[Row], console: Console) -> None:
    """Print a text through tokenizers, coloured where there are colours."""
    if console.color_system is None:
        for line in aligned_lines(text, rows, console.width):
            console.print(line, markup=False)
    else:
        for coloured in coloured_lines(text, rows, console.width):
            console.print(coloured)
    console.print()
