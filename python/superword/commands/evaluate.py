"""`superword evaluate`."""

from __future__ import annotations

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences, print_text
from superword.commands.options import (
    UNWEIGHTED,
    AnyModel,
    AsCsv,
    AsJson,
    AsLatex,
    AsMarkdown,
    CorpusOption,
    MeasuredPattern,
    Seed,
    SourceColumn,
    choose_output_form,
    derive_options,
)
from superword.corpus import CorpusOptions, RawPath
from superword.evaluation import (
    evaluate,
    format_comparison_csv,
    format_comparison_latex,
    format_comparison_markdown,
    open_tokenizer,
    print_comparison,
)
from superword.tokenizer.display import open_console
from superword.training import Resources

__all__ = ["evaluate_command"]


@derive_options(corpus_options=UNWEIGHTED, resources=["threads", "progress"])
def evaluate_command(
    model: AnyModel,
    corpus: CorpusOption,
    corpus_options: CorpusOptions,
    resources: Resources,
    source: SourceColumn = None,
    pattern: MeasuredPattern = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
) -> None:
    """Measure a tokenizer on a corpus: compression, efficiency, words, superwords, sources.

    The tokenizer is a superword model, a Hugging Face tokenizer.json, a folder with one of them, or
    a tiktoken vocabulary file. docs/evaluation.md defines each metric.

    superword evaluate model.json --corpus eval.jsonl.zst

    superword evaluate tokenizer.json --corpus books/ more.txt --json
    """
    with errors_as_sentences():
        form = choose_output_form(json=as_json, csv=as_csv, markdown=as_markdown, latex=as_latex)
        measured = evaluate(
            open_tokenizer(model, pattern=pattern),
            [RawPath(path) for path in corpus],
            seed=seed,
            source=source,
            corpus_options=corpus_options,
            resources=resources,
        )
    if form == "json":
        print_json(measured.as_json())
    elif form == "csv":
        print_text(format_comparison_csv([measured]))
    elif form == "markdown":
        print_text(format_comparison_markdown([measured]))
    elif form == "latex":
        print_text(format_comparison_latex([measured]))
    else:
        print_comparison([measured], open_console())
