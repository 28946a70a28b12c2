"""`superword compare`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    UNWEIGHTED,
    AsCsv,
    AsJson,
    AsMarkdown,
    MeasuredPattern,
    Seed,
    SourceColumn,
    choose_output_form,
    derive_options,
    option,
)
from superword.commands.side_by_side import TokenizedText, print_side_by_side
from superword.commands.text_input import warn_of_file_name
from superword.corpus import CorpusOptions, RawPath
from superword.evaluation import (
    check_plot_path,
    compare,
    compare_measurements,
    format_comparison_csv,
    format_comparison_markdown,
    name_apart,
    open_tokenizer,
    print_comparison,
    save_plot,
)
from superword.tokenizer.display import readable
from superword.training import Resources

__all__ = ["compare_command"]


@derive_options(corpus_options=UNWEIGHTED, resources=["threads", "progress"])
def compare_command(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL",
            help="Superword models, tokenizer.json, their folders, or tiktoken files.",
        ),
    ],
    corpus_options: CorpusOptions,
    resources: Resources,
    corpus: Annotated[
        list[str] | None,
        option("Files, folders, globs or URLs to measure on.", "Corpus", "--corpus"),
    ] = None,
    source: SourceColumn = None,
    text: Annotated[str | None, option("Show how each tokenizer splits this text.")] = None,
    name: Annotated[list[str] | None, option("Names of the models, in their order.")] = None,
    pattern: MeasuredPattern = None,
    seed: Seed = 0,
    plot: Annotated[
        Path | None,
        option(
            "Save a plot of the comparison: .png, .svg or .html.",
            "Output",
            "--output",
            "-o",
            "--plot",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Compare tokenizers on a corpus or on one text.

    Changes are relative to the first tokenizer: in percent, or in percentage points (pp) for
    shares. docs/evaluation.md defines each metric.

    superword compare bpe.json boundless.json --corpus eval.jsonl.zst --plot comparison.html

    superword compare bpe.json tokenizer.json cl100k_base.tiktoken --text "To be or not to be"
    """
    with errors_as_sentences():
        if corpus is None and text is None:
            raise ValueError("nothing to compare on; pass --corpus or --text")
        if text is not None:
            warn_of_file_name(text, "--corpus {}")
        if plot is not None:
            if corpus is None:
                raise ValueError("--plot needs a corpus; pass --corpus")
            check_plot_path(plot)
        form = choose_output_form(json=as_json, csv=as_csv, markdown=as_markdown)
        if form in ("csv", "markdown") and text is not None:
            raise ValueError(f"--{form} shows measurements; use --json for the tokens of --text")
        tokenizers = [
            open_tokenizer(model, name=model_name, pattern=pattern)
            for model, model_name in zip(models, name_apart(models, name or []), strict=True)
        ]
        rows = [TokenizedText(tok.name, text, tok.tokenize(text)) for tok in tokenizers if text]
        measured = compare(
            tokenizers if corpus else [],
            [RawPath(path) for path in corpus or []],
            seed=seed,
            source=source,
            corpus_options=corpus_options,
            resources=resources,
        )
        if plot is not None:
            save_plot(measured, plot)
    if form == "json":
        compared = compare_measurements(measured) or [{} for _ in models]
        tokens = [{"text_tokens": list(map(readable, row.tokens))} for row in rows]
        found = [
            {"name": tok.name, "path": str(path), **metrics, **shown}
            for tok, path, metrics, shown in zip(
                tokenizers, models, compared, tokens or [{} for _ in models], strict=True
            )
        ]
        print_json(found)
        return
    if form == "csv":
        sys.stdout.write(format_comparison_csv(measured))
        return
    if form == "markdown":
        sys.stdout.write(format_comparison_markdown(measured))
        return
    console = Console(soft_wrap=True, highlight=False)
    if text:
        print_side_by_side(text, rows, console)
    if measured:
        print_comparison(measured, console)
