"""`superword encode`."""

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
    Model,
    TextFile,
    derive_options,
    option,
    parse_shard,
)
from superword.commands.text_input import read_input
from superword.corpus import CorpusOptions, RawPath, reject_inputs
from superword.printable import count_noun
from superword.tokenizer import Tokenizer, load
from superword.tokenizer.display import open_console
from superword.tokens import Encoded, encode_corpus, list_outputs
from superword.training import Resources

__all__ = ["encode_command"]


@derive_options(corpus_options=UNWEIGHTED, resources=["threads", "memory_limit", "progress"])
def encode_command(
    model: Model,
    corpus_options: CorpusOptions,
    resources: Resources,
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT_OR_CORPUS",
            help="A text, standard input by default; with --output, the corpus: files, folders, "
            "globs or URLs; - is standard input.",
        ),
    ] = None,
    file: TextFile = None,
    as_json: Annotated[
        bool,
        option("Print a JSON array of ids; with --output, a JSON summary.", "Output", "--json"),
    ] = False,
    output: Annotated[
        Path | None,
        option(
            "Encode a corpus to this file: .npy, .bin, .parquet or .idx.",
            "Output",
            "--output",
            "-o",
        ),
    ] = None,
    end_of_text: Annotated[
        str | None, option("Special token, or id, to put after each document.", "Output")
    ] = None,
    append: Annotated[
        bool, option("Append to a file of the same model.", "Output", "--append")
    ] = False,
    shard: Annotated[
        str | None, option("Encode only the files of shard i of n: 0/8 to 7/8.", "Corpus")
    ] = None,
) -> None:
    """Encode a text, or a corpus to a file.

    The ids of a text are printed, with its tokens on a terminal. Special tokens in it are ordinary
    text.

    A corpus becomes a .npy or .bin file of all ids, with document offsets in .offsets.npy beside it
    unless there is an --end-of-text; a .parquet file with a row for each document; or an .idx and a
    .bin file for Megatron.

    superword encode superword-131k "To be or not to be"

    superword encode model.json --file README.md | superword decode model.json

    superword encode model.json corpus/*.jsonl.zst -o tokens.npy

    superword encode model.json books/ -o tokens.bin --end-of-text "<|endoftext|>"

    superword encode model.json corpus/ -o tokens-$i.idx --shard $i/8
    """
    if output is None:
        with errors_as_sentences():
            tok = load(model)
            if end_of_text is not None or append or shard is not None:
                raise ValueError(
                    "--end-of-text, --append and --shard are for a corpus; name an --output"
                )
            if given and len(given) > 1:
                raise ValueError("there are several texts; quote them as one, or name an --output")
            how = "--file {0} (as one text), or {0} -o tokens.npy (as documents)"
            data, _ = read_input(given[0] if given else None, file, how)
            ids = tok.encode_bytes(data)
        print_ids(tok, ids, as_json)
        return
    with errors_as_sentences():
        tok = load(model)
        if not given or file is not None:
            raise ValueError("with --output, name the corpus after the model; - is standard input")
        reject_inputs(list_outputs(output), files=[model])
        encoded = encode_corpus(
            tok,
            [RawPath(path) for path in given],
            output,
            end_of_text=None if end_of_text is None else token_or_id(tok, end_of_text),
            append=append,
            shard=None if shard is None else parse_shard(shard),
            corpus_options=corpus_options,
            resources=resources,
        )
    if as_json:
        print_json({"output": str(output), **encoded._asdict()})
    summarize(encoded, output, open_console(stderr=True))


def print_ids(tok: Tokenizer, ids: list[int], as_json: bool) -> None:
    """Print ids; on a terminal, their tokens too."""
    console = open_console()
    if as_json:
        print_json(ids)
        return
    if console.is_terminal:
        sys.stdout.write(f"{tok.show(ids, limit=None)!r}\n")
    sys.stdout.write(" ".join(map(str, ids)) + "\n")


def token_or_id(tok: Tokenizer, typed: str) -> int | str:
    """Return an id if a number was typed that is not a special token; otherwise the text."""
    return int(typed) if typed.isdecimal() and typed not in tok.special_tokens else typed


def summarize(encoded: Encoded, output: Path, console: Console) -> None:
    """Print a summary of an encoded corpus."""
    rate = f"; {encoded.bytes / encoded.tokens:.2f} bytes per token" if encoded.tokens else ""
    console.print(
        f"{output}: {count_noun(encoded.tokens, 'token')} of "
        f"{count_noun(encoded.documents, 'document')}, {count_noun(encoded.bytes, 'byte')}{rate}",
        markup=False,
    )
