"""`superword extend`."""

from __future__ import annotations

import time
from typing import Annotated

from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    AnyModel,
    AsJson,
    CorpusPaths,
    ModelOutput,
    complete_pattern,
    derive_options,
    option,
)
from superword.commands.output import check_folder, summarize_model
from superword.corpus import CorpusOptions, RawPath
from superword.tokenizer import TrainingConfig
from superword.training import Resources, extend

__all__ = ["extend_command"]

BASE = "Base"


@derive_options(resources=["threads", "memory_limit", "progress"])
def extend_command(
    base: AnyModel,
    corpus: CorpusPaths,
    output: ModelOutput,
    add: Annotated[int, option("Number of tokens to add.", "Model")],
    corpus_options: CorpusOptions,
    resources: Resources,
    min_count: Annotated[
        int, option("Lowest count at which a pair is merged.", "Model")
    ] = TrainingConfig.min_count,
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
    as_json: AsJson = False,
) -> None:
    """Add superwords to a tokenizer without changing its tokens and ids.

    superword extend tokenizer.json corpus/*.jsonl.zst --add 32768 -o model.json

    superword extend o200k_base.tiktoken books/ --add 8192 -o model.json

    superword extend my.tiktoken books/ --add 8192 -o model.json --pattern gpt4o --special-token
    "<|end|>=100000"
    """
    start = time.monotonic()
    with errors_as_sentences():
        check_folder(output)
        tok = extend(
            base,
            [RawPath(path) for path in corpus],
            add,
            pattern=pattern,
            special_tokens=dict(map(parse_special, special_token)) if special_token else None,
            approximate=approximate,
            min_count=min_count,
            corpus_options=corpus_options,
            resources=resources,
        )
        tok.save(output)
    summarize_model(tok, output, seconds=time.monotonic() - start, as_json=as_json)


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
