"""`superword reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from superword.commands.messages import errors_as_sentences
from superword.commands.options import ProgressChoice, ShownProgress, Threads
from superword.evaluation.claims import Checked
from superword.evaluation.outputs import write_outputs
from superword.evaluation.reproduction import reproduce
from superword.evaluation.settings import read_settings

__all__ = ["reproduce_command", "show_claims"]

VERDICTS = {True: ("holds", "green"), False: ("not here", "yellow"), None: ("not run", "dim")}


def reproduce_command(
    train: Annotated[
        list[str] | None, typer.Option(help="The training corpus: files, folders, globs.")
    ] = None,
    eval: Annotated[list[str] | None, typer.Option(help="The evaluation corpus.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder for everything.")] = None,
    vocab_sizes: Annotated[
        list[int] | None, typer.Option(help="Vocabulary sizes; the paper's four by default.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with these and more settings.")
    ] = None,
    train_bytes: Annotated[
        int | None, typer.Option(help="Take so many bytes of the training corpus at most.")
    ] = None,
    eval_bytes: Annotated[
        int | None, typer.Option(help="Take so many bytes of the evaluation corpus at most.")
    ] = None,
    threads: Threads = None,
    progress: ShownProgress = ProgressChoice.auto,
) -> None:
    """Do the paper's experiments again: train, measure, draw, check each claim.

    Writes the figures 1 to 9 and the tables 1 and 3 of the paper, with its values beside ours,
    and report.html, a page with all of it. What is there already is not done again, so it may be
    interrupted. docs/evaluation.md describes the settings.

    superword reproduce --train train/*.jsonl.zst --eval eval.jsonl.zst --out results

    superword reproduce --config paper.toml --vocab-sizes 8192 16384
    """
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with errors_as_sentences():
        given = {
            "train": train,
            "eval": eval,
            "out": out,
            "vocab_sizes": vocab_sizes,
            "train_bytes": train_bytes,
            "eval_bytes": eval_bytes,
            "threads": threads,
        }
        settings = read_settings(config, given)
        results = reproduce(
            settings,
            say=lambda line: console.print(line, markup=False),
            progress=progress.callback(),
        )
        claims = write_outputs(results, settings)
    show_claims(claims, Console(soft_wrap=True, highlight=False))
    console.print(f"{settings.out / 'report.html'}: the report", markup=False)


def show_claims(claims: list[Checked], console: Console) -> None:
    """Print each claim and whether it holds."""
    for claim, verdict in claims:
        word, style = VERDICTS[verdict.holds]
        console.print(Text.assemble((f"{word:9}", style), claim.statement))
