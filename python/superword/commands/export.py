"""`superword export`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences, print_and_exit, print_message
from superword.commands.options import Model, derive_options, option
from superword.corpus import CorpusOptions, RawPath, open_corpus, reject_inputs
from superword.interop import Comparison, Format, compare_export
from superword.interop.exporting import write_export
from superword.interop.tiktoken_file import companion_path
from superword.tokenizer import load

__all__ = ["export_command"]


class FormatChoice(StrEnum):
    """The values of --format."""

    tokenizer_json = "tokenizer.json"
    tiktoken = "tiktoken"
    gguf = "gguf"


FORMATS: dict[FormatChoice, Format] = {
    FormatChoice.tokenizer_json: "tokenizer.json",
    FormatChoice.tiktoken: "tiktoken",
    FormatChoice.gguf: "gguf",
}


@derive_options(corpus_options=["column", "separator", "max_bytes", "max_documents"])
def export_command(
    model: Model,
    output: Annotated[Path, option("File to write.", "Output", "--output", "-o")],
    corpus_options: CorpusOptions,
    format: Annotated[
        FormatChoice | None,
        option(
            "Format of the file: tokenizer.json, tiktoken or gguf; by default the last two if "
            "the name ends so.",
            "Output",
            metavar="FORMAT",
        ),
    ] = None,
    approximate: Annotated[
        bool, option("Write the nearest file if none is exact.", "Output", "--approximate")
    ] = False,
    as_json: Annotated[bool, option("Print the result as JSON.", "Output", "--json")] = False,
    check: Annotated[
        list[str] | None,
        option("Corpus to compare the file with the model on; may be repeated.", "Corpus"),
    ] = None,
) -> None:
    """Write a model as a file of another library.

    A model with merges only (BPE, SuperBPE) can be exported exactly, as a tokenizer.json, or as a
    tiktoken file with a .json file beside it. llama.cpp reads a gguf file, with the vocabulary
    only, of models whose split it has: those of superword train --profile portable, and plain BPE
    with the pattern gpt2, llama3 or qwen2. A model with supermerges or deletions cannot: the
    nearest tokenizer.json gives other ids for some texts. Before a file is called exact, it is
    compared with the model on built-in texts. --check counts the differences on yours. If an exact
    file has any, the command fails.

    superword export bpe.json -o tokenizer.json

    superword export bpe.json -o bpe.tiktoken

    superword export portable.json -o portable.gguf

    superword export model.json -o tokenizer.json --approximate --check corpus/*.jsonl.zst
    """
    named = choose_format(output) if format is None else FORMATS[format]
    with errors_as_sentences():
        tok = load(model)
        outputs = [output, companion_path(output)] if named == "tiktoken" else [output]
        reject_inputs(outputs, corpus=check or [], files=[model])
        corpus = None
        if check:
            # Opened before anything is written, so that a wrong path fails at once.
            paths = [RawPath(path) for path in check]
            corpus = open_corpus(paths, corpus_options=corpus_options)
        found = None
        try:
            is_exact, is_compared = write_export(tok, output, named, approximate=approximate)
            if corpus is not None:
                found = compare_export(tok, output, named, corpus.documents())
        except ImportError as missing:
            raise ValueError(str(missing)) from None
    is_wrong = is_exact and found is not None and found.differing_documents > 0
    if as_json:
        checked = None if found is None else found._asdict()
        # None means that it is not known.
        is_right = None if is_exact and not is_compared else is_exact and not is_wrong
        print_json({"output": str(output), "exact": is_right, "check": checked})
    if not is_exact:
        kind = "approximate: it gives other ids for some texts"
    else:
        kind = "exact" if is_compared else "not known to be exact; it was not compared"
    print_message(f"{output}: {'not exact' if is_wrong else kind}")
    if found is not None:
        print_message(f"{output}: {describe(found)}")
    if is_wrong:
        raise print_and_exit(
            f"{output}: the file should be exact, but gives other ids for some texts; do not use "
            "it, and report the pattern of the model with a text that differs"
        )


def choose_format(output: Path) -> Format:
    """Return the format that the name of a file stands for.

    Example:
        >>> choose_format(Path("model.gguf")), choose_format(Path("model.json"))
        ('gguf', 'tokenizer.json')
    """
    suffixes: dict[str, Format] = {".tiktoken": "tiktoken", ".gguf": "gguf"}
    return suffixes.get(output.suffix, "tokenizer.json")


def describe(found: Comparison) -> str:
    """Return a comparison as a sentence.

    Example:
        >>> describe(Comparison(200, 2, 5000, 10, 5005))
        '2 of 200 documents differ (1.00%), and 10 of 5,000 tokens (0.20%); it gives 5,005'
    """
    return (
        f"{found.differing_documents:,} of {found.documents:,} documents differ "
        f"({100 * found.differing_documents / max(found.documents, 1):.2f}%), "
        f"and {found.differing_tokens:,} of {found.tokens:,} tokens "
        f"({100 * found.differing_tokens / max(found.tokens, 1):.2f}%); "
        f"it gives {found.exported_tokens:,}"
    )
