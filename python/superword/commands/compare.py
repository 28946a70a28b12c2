"""`superword compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from superword.atomic_files import write_atomically
from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences, print_text
from superword.commands.options import (
    UNWEIGHTED,
    AsCsv,
    AsJson,
    AsLatex,
    AsMarkdown,
    HtmlOutput,
    MeasuredPattern,
    Seed,
    SourceColumn,
    choose_output_form,
    derive_options,
    option,
)
from superword.commands.output import check_page_path
from superword.commands.side_by_side import TokenizedText, print_side_by_side
from superword.commands.text_input import warn_of_file_name
from superword.corpus import CorpusOptions, RawPath, open_corpus, reject_inputs
from superword.evaluation import (
    build_comparison_page,
    check_plot_path,
    compare,
    compare_measurements,
    format_comparison_csv,
    format_comparison_latex,
    format_comparison_markdown,
    name_apart,
    open_tokenizer,
    print_comparison,
    save_plot,
    show_text,
)
from superword.printable import readable
from superword.tokenizer.display import open_console
from superword.training import Resources

__all__ = ["compare_command"]

# A page shows no more characters of the corpus.
MAX_EXCERPT = 600


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
            "Save a plot of the comparison: .png, .svg, .pdf or .html.",
            "Output",
            "--output",
            "-o",
            "--plot",
        ),
    ] = None,
    html: HtmlOutput = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
) -> None:
    """Compare tokenizers on a corpus or on one text.

    Changes are relative to the first tokenizer: in percent, or in percentage points (pp) for
    shares. docs/evaluation.md defines each metric. --html writes a page with all of it: the text
    side by side, by default the beginning of the corpus, metrics, sources and scripts.

    superword compare bpe.json boundless.json --corpus eval.jsonl.zst --plot comparison.html

    superword compare bpe.json tokenizer.json cl100k_base.tiktoken --text "To be or not to be"

    superword compare bpe.json boundless.json --corpus eval.jsonl.zst --html comparison.html
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
        if html is not None:
            check_page_path(html)
        reject_inputs(filter(None, (plot, html)), corpus=corpus or [], files=models)
        form = choose_output_form(json=as_json, csv=as_csv, markdown=as_markdown, latex=as_latex)
        if form in ("csv", "markdown", "latex") and text is not None:
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
        if html is not None:
            shown = read_beginning(corpus or [], corpus_options) if text is None else text
            texts = [show_text(tok, shown) for tok in tokenizers if shown]
            with write_atomically() as files:
                files.open(html).write(build_comparison_page(measured, texts).encode())
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
        print_text(format_comparison_csv(measured))
        return
    if form == "markdown":
        print_text(format_comparison_markdown(measured))
        return
    if form == "latex":
        print_text(format_comparison_latex(measured))
        return
    console = open_console()
    if text:
        print_side_by_side(text, rows, console)
    if measured:
        print_comparison(measured, console)


def read_beginning(corpus: Sequence[str], corpus_options: CorpusOptions) -> str:
    """Return the beginning of a corpus, to show it; nothing if it cannot be read again."""
    if "-" in corpus:
        return ""
    paths = [RawPath(path) for path in corpus]
    for batch in open_corpus(paths, corpus_options=corpus_options).batches():
        for text in batch:
            if text.strip():
                return shorten(text)
    return ""


def shorten(text: str) -> str:
    """Return the beginning of a text, cut before a space where there is one.

    Example:
        >>> len(shorten("to be " * 1000)), shorten("to be")
        (599, 'to be')
    """
    if len(text) <= MAX_EXCERPT:
        return text
    return text[: MAX_EXCERPT + 1].rsplit(" ", 1)[0][:MAX_EXCERPT]
