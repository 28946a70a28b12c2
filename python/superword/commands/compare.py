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
    MeasuredPattern,
    Seed,
    SourceColumn,
    derive_options,
    option,
)
from superword.commands.side_by_side import TokenizedText, print_side_by_side
from superword.corpus import CorpusOptions, RawPath
from superword.evaluation import (
    check_plot_path,
    compare,
    compare_measurements,
    open_tokenizer,
    print_comparison,
    save_plot,
)
from superword.tokenizer.display import readable
from superword.training import Resources

__all__ = ["compare_command"]


@derive_options(resources=["threads", "progress"])
def compare_command(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL...",
            help="Superword models, tokenizer.json, their folders, or tiktoken files.",
        ),
    ],
    corpus_options: CorpusOptions,
    resources: Resources,
    corpus: Annotated[
        list[str] | None,
        option("Files, folders, globs or URLs to measure on.", "Corpus", "--corpus"),
    ] = None,
    source: SourceColumn = "source",
    text: Annotated[str | None, option("Show how each tokenizer splits this text.")] = None,
    name: Annotated[list[str] | None, option("Names of the models, in their order.")] = None,
    pattern: MeasuredPattern = None,
    seed: Seed = 0,
    plot: Annotated[
        Path | None, option("Save a plot of the comparison: .png, .svg or .html.", "Output")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare tokenizers on a corpus or on one text.

    Percentages are relative to the first tokenizer. docs/evaluation.md defines each metric.

    superword compare bpe.json boundless.json --corpus eval.jsonl.zst --plot comparison.html

    superword compare bpe.json tokenizer.json cl100k_base.tiktoken --text "To be or not to be"
    """
    with errors_as_sentences():
        if corpus is None and text is None:
            raise ValueError("nothing to compare on; pass --corpus or --text")
        if plot is not None:
            if corpus is None:
                raise ValueError("--plot needs a corpus; pass --corpus")
            check_plot_path(plot)
        names: list[str | None] = [*(name or []), *[None] * len(models)]
        tokenizers = [
            open_tokenizer(model, name=model_name, pattern=pattern)
            for model, model_name in zip(models, names, strict=False)
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
    if as_json:
        tokens = {row.name: [readable(token) for token in row.tokens] for row in rows}
        found = {"measured": compare_measurements(measured), "text": tokens}
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
        return
    console = Console(soft_wrap=True, highlight=False)
    if text:
        print_side_by_side(text, rows, console)
    if measured:
        print_comparison(measured, console)
