"""`superword evaluate`."""

from __future__ import annotations

import json
import sys

from rich.console import Console

from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    AnyModel,
    AsJson,
    Column,
    CorpusPlaces,
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
from superword.evaluation import evaluate, open_tokenizer, print_comparison

__all__ = ["evaluate_command"]


def evaluate_command(
    model: AnyModel,
    corpus: CorpusPlaces,
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
    """Measure a tokenizer on a corpus: compression, efficiency, words, superwords, sources.

    The tokenizer is a superword model, a Hugging Face tokenizer.json, or a tiktoken vocabulary
    file. docs/evaluation.md defines each metric.

    superword evaluate model.json --corpus eval.jsonl.zst

    superword evaluate tokenizer.json --corpus books/ more.txt --json
    """
    with errors_as_sentences():
        measured = evaluate(
            open_tokenizer(model, pattern=pattern),
            [RawPath(path) for path in corpus],
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
    if as_json:
        sys.stdout.write(json.dumps(measured.as_json(), ensure_ascii=False, indent=2) + "\n")
    else:
        print_comparison([measured], Console(soft_wrap=True, highlight=False))
