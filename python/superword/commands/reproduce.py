"""`superword reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.text import Text

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences
from superword.commands.options import AsJson, complete_pattern, derive_options, option
from superword.reproduction import (
    CheckedClaims,
    Outcome,
    read_settings,
    reproduce,
    write_outputs,
)
from superword.tokenizer.display import open_console
from superword.training import Resources

__all__ = ["reproduce_command"]

VARIATIONS = "Beside the paper"

VERDICT_STYLES: dict[Outcome, str] = {
    "holds": "green",
    "holds in a weaker form": "cyan",
    "does not hold": "yellow",
    "not run": "dim",
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
    tau: Annotated[
        list[float] | None, option("Values of tau to try beside the paper's 0.9.", VARIATIONS)
    ] = None,
    min_count: Annotated[
        list[int] | None, option("Values of min_count to try beside the default.", VARIATIONS)
    ] = None,
    max_superwords: Annotated[
        list[str] | None,
        option(
            "Caps on superwords to try beside none, the paper's; train's default by default.",
            VARIATIONS,
            metavar="NUMBER|SHARE",
        ),
    ] = None,
    patterns: Annotated[
        list[str] | None,
        option(
            "Patterns to try beside the paper's gpt4o and boundless.",
            VARIATIONS,
            complete=complete_pattern,
        ),
    ] = None,
    tokenizers: Annotated[
        list[str] | None,
        option("Further tokenizers to measure, as evaluate takes them.", VARIATIONS),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        option(
            "Metrics of your own: module:function or file.py:function.",
            VARIATIONS,
            metavar="FUNCTION",
        ),
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

    Writes figures 1 to 9 and tables 1 and 3 of the paper, with its values beside ours (SVG, PNG,
    PDF, CSV, Markdown, LaTeX), and report.html, one page with everything. A run that was
    interrupted continues where it stopped. docs/evaluation.md describes the settings.

    superword reproduce --train train/*.jsonl.zst --eval eval.jsonl.zst -o results

    superword reproduce --config paper.toml --vocab-sizes 8192 16384

    superword reproduce --config paper.toml --tau 0.7 0.8 --tokenizers tokenizer.json o200k_base
    """
    console = open_console(stderr=True)
    with errors_as_sentences():
        given = {
            "train": train,
            "eval": eval,
            "out": output,
            "vocab_sizes": vocab_sizes,
            "tau": tau,
            "min_count": min_count,
            "max_superwords": max_superwords,
            "patterns": patterns,
            "tokenizers": tokenizers,
            "metrics": metrics,
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
        checked = write_outputs(results, settings)
    report = settings.out / "report.html"
    if as_json:
        print_json(
            {
                "output": str(settings.out),
                "report": str(report),
                "claims": checked.as_json(),
                "capped_claims": checked.capped_as_json(),
            }
        )
    else:
        print_claims(checked, open_console())
    console.print(f"{report}: the report", markup=False)


def print_claims(checked: CheckedClaims, console: Console) -> None:
    """Print each claim and its verdict: on the paper's models, then on those with a cap."""
    for heading, claims in {"": checked.claims, **checked.capped}.items():
        if heading:
            console.print(f"\n{heading}", markup=False)
        for claim, verdict in claims:
            style = VERDICT_STYLES[verdict.outcome]
            console.print(Text.assemble((f"{verdict.outcome:24}", style), claim.statement))
