"""`superword extend`."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from superword.atomic_files import check_writable, write_atomically
from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    AnyModel,
    AsJson,
    ModelOutput,
    complete_pattern,
    derive_options,
    option,
)
from superword.commands.output import report_first_pass, summarize_model
from superword.corpus import CorpusOptions, RawPath, reject_inputs
from superword.counts import extend_on_counts, list_count_files
from superword.errors import MissingFragmentsError
from superword.interop import open_base
from superword.tokenizer import TrainingConfig, parse_cap
from superword.tokenizer.display import open_console
from superword.training import Resources, extend, map_ids, measure_changes

__all__ = ["extend_command"]

BASE = "Base"
OF_BASE = "that of the base by default"


class KindChoice(StrEnum):
    """The values of --kind."""

    merges = "merges"
    superwords = "superwords"
    both = "both"


@derive_options(resources=["threads", "memory_limit", "progress"])
def extend_command(
    base: AnyModel,
    output: ModelOutput,
    add: Annotated[int, option("Number of tokens to add.", "Model")],
    corpus_options: CorpusOptions,
    resources: Resources,
    corpus: Annotated[
        list[str] | None, typer.Argument(help="Files, folders, globs or URLs; - is standard input.")
    ] = None,
    counts: Annotated[
        Path | None,
        option("Learn from this folder of counts; a corpus adds missing ones.", "Counts"),
    ] = None,
    kind: Annotated[
        KindChoice, option("What to learn: merges inside words, superwords, or both.", "Model")
    ] = KindChoice.superwords,
    min_count: Annotated[
        int, option("Lowest count at which a pair is merged.", "Model")
    ] = TrainingConfig.min_count,
    superword_cap: Annotated[
        str | None,
        option(
            "With --kind both, most superwords in the vocabulary: a number, or a share of it.",
            "Model",
            "--max-superwords",
            metavar="NUMBER|SHARE",
        ),
    ] = None,
    max_words: Annotated[
        int | None, option(f"Most words of a new token; {OF_BASE}.", "Model")
    ] = None,
    max_token_bytes: Annotated[
        int | None, option(f"Most bytes of a new token; {OF_BASE}.", "Model")
    ] = None,
    forbid: Annotated[
        str | None,
        option(f"Regex that must not match in a new token's text; {OF_BASE}.", "Model"),
    ] = None,
    pattern: Annotated[
        str | None,
        option("Pattern of a tiktoken file: a name or a regex.", BASE, complete=complete_pattern),
    ] = None,
    special_token: Annotated[
        list[str] | None,
        option("Special token of a tiktoken file, as TEXT=ID; may be repeated.", BASE),
    ] = None,
    approximate: Annotated[
        bool,
        option("Ignore features of the base that cannot be reproduced.", BASE, "--approximate"),
    ] = False,
    base_text: Annotated[
        list[str] | None,
        option("Text that the base was made for; says how much of it changes.", BASE),
    ] = None,
    id_map: Annotated[
        Path | None,
        option("File for the old ids that spell each new one; id_map.json beside the model."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add tokens to a tokenizer without changing its tokens and ids.

    superword extend tokenizer.json corpus/*.jsonl.zst --add 32768 -o model.json

    superword extend tokenizer.json thai/ --kind merges --add 8192 -o model.json --base-text books/

    superword extend o200k_base.tiktoken books/ --add 8192 --max-words 4 -o model.json

    superword extend tokenizer.json --counts counts --add 8192 -o model.json

    superword extend my.tiktoken books/ --add 8192 -o model.json --pattern gpt4o --special-token
    "<|end|>=100000"
    """
    start = time.monotonic()
    with errors_as_sentences():
        id_map = output.with_name("id_map.json") if id_map is None else id_map
        check_writable(output)
        check_writable(id_map)
        counted = [] if counts is None else list_count_files(counts)
        texts_read = [*(corpus or []), *(base_text or [])]
        reject_inputs([output, id_map], corpus=texts_read, files=[base, *counted])
        opened = open_base(
            base,
            pattern=pattern,
            special_tokens=dict(map(parse_special, special_token)) if special_token else None,
            approximate=approximate,
        )
        paths = [RawPath(path) for path in corpus or ()]
        if not paths and counts is None:
            raise ValueError("nothing to learn from; name a corpus, or --counts")
        how: dict[str, Any] = {
            "kind": kind.value,
            "min_count": min_count,
            "max_superwords": parse_cap(superword_cap or "none"),
            "max_words": max_words,
            "max_token_bytes": max_token_bytes,
            "forbid": forbid,
            "corpus_options": corpus_options,
            "resources": resources,
        }
        if counts is None:
            tok = extend(opened, paths, add, **how)
        else:
            try:
                tok = extend_on_counts(opened, counts, add, corpus=paths or None, **how)
            except MissingFragmentsError as missing:
                report_first_pass(missing, counts, output, as_json)
                return
        with write_atomically() as files:
            # While it exists, it is that of the model.
            mapped = files.open(id_map, is_manifest=True)
            mapped.write(json.dumps(map_ids(opened, tok)).encode() + b"\n")
            if output.exists() and not output.is_file():
                tok.save(output)  # To a pipe or a device.
            else:
                files.open(output).write(tok._model.to_json())
        changes = None
        if base_text:
            texts = [RawPath(path) for path in base_text]
            changes = measure_changes(opened, tok, texts, corpus_options=corpus_options)
    seconds = time.monotonic() - start
    more: dict[str, object] = {"id_map": str(id_map)}
    if changes is not None:
        more["base_text"] = asdict(changes)
    reads_text = counts is None or bool(paths)
    summarize_model(tok, output, seconds=seconds, as_json=as_json, reads_text=reads_text, more=more)
    if changes is not None and not as_json:
        console = open_console(stderr=True)
        console.print(f"text of the base: {changes}", markup=False)


def parse_special(typed: str) -> tuple[str, int]:
    """Return a special token and its id.

    Example:
        >>> parse_special("<|a=b|>=7")
        ('<|a=b|>', 7)
    """
    text, _, id = typed.rpartition("=")
    if not text or not id.isdecimal():
        raise ValueError(f"a special token must be given as TEXT=ID, not {typed!r}")
    return text, int(id)
