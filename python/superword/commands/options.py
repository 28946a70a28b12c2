"""Options that more than one command has."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from superword.corpus.documents import OnError
from superword.patterns import NAMED_PATTERNS
from superword.training.progress import ProgressCallback, json_lines

__all__ = [
    "AnyModel",
    "AsJson",
    "Column",
    "CorpusPlaces",
    "Eligible",
    "ErrorChoice",
    "MaxBytes",
    "MaxDocuments",
    "MeasuredPattern",
    "MemoryLimit",
    "Model",
    "OnErrorChoice",
    "Pattern",
    "ProgressChoice",
    "Seed",
    "Separator",
    "ShownProgress",
    "SourceColumn",
    "TextFile",
    "Threads",
]


class ErrorChoice(StrEnum):
    """What to do with input that cannot be read."""

    raise_ = "raise"
    skip = "skip"

    def mode(self) -> OnError:
        """What `train` and `encode_corpus` take."""
        return "skip" if self is ErrorChoice.skip else "raise"


class ProgressChoice(StrEnum):
    """How progress is shown."""

    auto = "auto"
    bar = "bar"
    json = "json"
    none = "none"

    def callback(self) -> bool | ProgressCallback:
        """What `train` and `encode_corpus` take."""
        if self is ProgressChoice.json or (self is ProgressChoice.auto and not sys.stderr.isatty()):
            return json_lines()
        return self is not ProgressChoice.none


Model = Annotated[Path, typer.Argument(help="A model file.")]
Pattern = Annotated[str, typer.Option(help=f"One of {', '.join(NAMED_PATTERNS)}, or a regex.")]
Eligible = Annotated[str, typer.Option(help="The regex of pretokens that supermerges may join.")]
Column = Annotated[str, typer.Option(help="Where documents are in JSON and parquet.")]
Separator = Annotated[str | None, typer.Option(help="What separates documents in text files.")]
MaxBytes = Annotated[int | None, typer.Option(help="Take so many bytes of text at most.")]
MaxDocuments = Annotated[int | None, typer.Option(help="Take so many documents at most.")]
OnErrorChoice = Annotated[
    ErrorChoice, typer.Option(help="What to do with input that cannot be read.")
]
Threads = Annotated[int | None, typer.Option(help="How many threads to use.")]
MemoryLimit = Annotated[str | None, typer.Option(help="How much memory to keep to: 1GB, for one.")]
ShownProgress = Annotated[
    ProgressChoice, typer.Option(help="A bar, JSON lines, or nothing; a bar on a terminal.")
]
TextFile = Annotated[
    Path | None, typer.Option("--file", "-f", help="A file to read; - is standard input.")
]
AnyModel = Annotated[
    Path, typer.Argument(help="A superword model, a tokenizer.json, or a tiktoken file.")
]
CorpusPlaces = Annotated[
    list[str],
    typer.Option("--corpus", help="What to measure on: files, folders, globs, URLs."),
]
MeasuredPattern = Annotated[
    str | None, typer.Option("--pattern", help="Whose pretokens to measure by; the tokenizer's.")
]
Seed = Annotated[int, typer.Option(help="Chooses the prompts whose ends are tried.")]
SourceColumn = Annotated[str, typer.Option(help="Where documents say their source.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
