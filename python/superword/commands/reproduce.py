"""`superword reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.text import Text

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences
from superword.commands.options import AsJson, derive_options, option
from superword.reproduction import (
    CheckedClaim,
    Outcome,
    read_settings,
    reproduce,
    write_outputs,
)
from superword.reproduction.outputs import claims_as_json
from superword.tokenizer.display import open_console
from superword.training import Resources

__all__ = ["reproduce_command"]

# The text and the style of each verdict.
VERDICT_STYLES: dict[Outcome, tuple[str, str]] = {
    "holds": ("holds", "green"),
    "weaker": ("weaker", "cyan"),
    "fails": ("not here", "yellow"),
    "not run": ("not run", "dim"),
}


@derive_options(resources=["threads", "progress"])
def reproduce_command(
    resources: Resources,
    train: Annotated[
        list[str] | None, option("The training corpus: files, folders, globs.")
    ] = None,
    eval: Annotated[list[str] | None, option("The evaluation corpus.")] = None,
    output: Annotated[
        Path | None, option("The output folder.", "Output", "--output", "-o", "--out")
    ] = None,
    vocab_sizes: Annotated[
        list[int] | None, option("Vocabulary sizes; the paper's four by default.")
    ] = None,
    config: Annotated[Path | None, option("A TOML file with these and more settings.")] = None,
    train_bytes: Annotated[
        str | None, option("Size of the training corpus to use, e.g. 5MB.", metavar="SIZE")
    ] = None,
    eval_bytes: Annotated[
        str | None, option("Size of the evaluation corpus to use, e.g. 5MB.", metavar="SIZE")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Reproduce the paper's experiments: train, measure, draw, check each claim.

    Writes figures 1 to 9 and tables 1 and 3 of the paper, with its values beside ours, and
    report.html, one page with everything. A run that was interrupted continues where it stopped.
    docs/evaluation.md describes the settings.

    superword reproduce --train train/*.jsonl.zst --eval eval.jsonl.zst -o results

    superword reproduce --config paper.toml --vocab-sizes 8192 16384
    """
    console = open_console(stderr=True)
    with errors_as_sentences():
        given = {
            "train": train,
            "eval": eval,
            "out": output,
            "vocab_sizes": vocab_sizes,
            "train_bytes": train_bytes,
            "eval_bytes": eval_bytes,
            "threads": resources.threads,
        }
        settings = read_settings(config, given)
        results = reproduce(
            settings,
            log=lambda line: console.print(line, markup=False),
            progress=resources.progress,
        )
        claims = write_outputs(results, settings)
    report = settings.out / "report.html"
    if as_json:
        shown = claims_as_json(claims)
        print_json({"output": str(settings.out), "report": str(report), "claims": shown})
    else:
        print_claims(claims, open_console())
    console.print(f"{report}: the report", markup=False)


def print_claims(claims: list[CheckedClaim], console: Console) -> None:
    """Print each claim and whether it holds."""
    for claim, verdict in claims:
        word, style = VERDICT_STYLES[verdict.outcome]
        console.print(Text.assemble((f"{word:9}", style), claim.statement))
