"""`superword export`."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from superword.commands.messages import errors_as_sentences
from superword.commands.options import Column, MaxBytes, MaxDocuments, Model, Separator
from superword.corpus.documents import open_corpus
from superword.corpus.paths import RawPath
from superword.interop.exporting import Comparison, Format, compare_export, export
from superword.tokenizer.tokenizer import load

__all__ = ["export_command"]


class FormatChoice(StrEnum):
    """Whose file to write."""

    tokenizer_json = "tokenizer.json"
    tiktoken = "tiktoken"

    def named(self) -> Format:
        """What `export` takes."""
        return "tiktoken" if self is FormatChoice.tiktoken else "tokenizer.json"


def export_command(
    model: Model,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    format: Annotated[
        FormatChoice, typer.Option(help="Whose file it is.")
    ] = FormatChoice.tokenizer_json,
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Write the nearest file if none is exact.")
    ] = False,
    check: Annotated[
        list[str] | None,
        typer.Option(help="A corpus to compare the file with the model on; may be repeated."),
    ] = None,
    column: Column = "text",
    separator: Separator = None,
    max_bytes: MaxBytes = None,
    max_documents: MaxDocuments = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Write a model as a file of another library.

    A model with nothing but merges (BPE, SuperBPE) is the same as a tokenizer.json, or a tiktoken
    file with another .json file beside it. One with supermerges or deletions is not: the nearest
    tokenizer.json gives other ids for some texts, and --check says for how many.

    superword export bpe.json -o tokenizer.json

    superword export bpe.json --format tiktoken -o bpe.tiktoken

    superword export model.json -o tokenizer.json --approximate --check corpus/*.jsonl.zst
    """
    named = format.named()
    with errors_as_sentences():
        tok = load(model)
        corpus = None
        if check:
            # Before anything is written: a wrong path is said at once.
            corpus = open_corpus(
                [RawPath(place) for place in check],
                column=column,
                separator=separator,
                max_bytes=max_bytes,
                max_documents=max_documents,
            )
        is_exact = export(tok, output, named, approximate=approximate)
        found = None
        if corpus is not None:
            try:
                found = compare_export(tok, output, named, corpus.documents())
            except ImportError as missing:
                raise ValueError(str(missing)) from None
    if as_json:
        shown = {"exact": is_exact, "check": None if found is None else found._asdict()}
        sys.stdout.write(json.dumps(shown) + "\n")
    kind = "exact" if is_exact else "approximate: it gives other ids for some texts"
    typer.echo(f"{output}: {kind}", err=True)
    if found is not None:
        typer.echo(f"{output}: {described(found)}", err=True)


def described(found: Comparison) -> str:
    """What a comparison found, in a sentence.

    Example:
        >>> described(Comparison(200, 2, 5000, 10, 5005))
        '2 of 200 documents differ (1.00 %), and 10 of 5,000 tokens (0.20 %); it gives 5,005'
    """
    return (
        f"{found.differing_documents:,} of {found.documents:,} documents differ "
        f"({100 * found.differing_documents / max(found.documents, 1):.2f} %), "
        f"and {found.differing_tokens:,} of {found.tokens:,} tokens "
        f"({100 * found.differing_tokens / max(found.tokens, 1):.2f} %); "
        f"it gives {found.exported_tokens:,}"
    )
