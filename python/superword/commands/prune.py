"""`superword prune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from superword.atomic_files import local_path
from superword.commands.extend import parse_special
from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    AnyModel,
    AsJson,
    CorpusPaths,
    SourceColumn,
    complete_pattern,
    derive_options,
    option,
)
from superword.corpus import CorpusOptions, RawPath, reject_inputs
from superword.evaluation import print_comparison, prune
from superword.evaluation.pruning import list_outputs
from superword.tokenizer.display import open_console
from superword.training import Resources

__all__ = ["prune_command"]

CHOICE = "Tokens to remove"
TOKENIZER = "Tokenizer"


@derive_options(resources=["threads", "progress"])
def prune_command(
    model: AnyModel,
    corpus: CorpusPaths,
    output: Annotated[
        Path,
        option(
            "Folder to write: superword.json, id_map.json, report.md.", "Output", "--output", "-o"
        ),
    ],
    corpus_options: CorpusOptions,
    resources: Resources,
    to: Annotated[
        int | None,
        option("The rarest, until this many ids are left, special tokens included.", CHOICE),
    ] = None,
    min_count: Annotated[
        int | None, option("Those that occur less often than this in the corpus.", CHOICE)
    ] = None,
    residues: Annotated[
        float | None,
        option(
            "Those of which at least this share, such as 0.99, is inside larger tokens.", CHOICE
        ),
    ] = None,
    drop_rules: Annotated[
        bool,
        option(
            "Remove only tokens that no other is made from, with their rules, so that the result "
            "can be exported.",
            CHOICE,
            "--drop-rules",
        ),
    ] = False,
    source: SourceColumn = None,
    pattern: Annotated[
        str | None,
        option(
            "Pattern of a tiktoken file: a name or a regex.", TOKENIZER, complete=complete_pattern
        ),
    ] = None,
    special_token: Annotated[
        list[str] | None,
        option("Special token of a tiktoken file, as TEXT=ID; may be repeated.", TOKENIZER),
    ] = None,
    approximate: Annotated[
        bool,
        option(
            "Ignore features of the tokenizer that cannot be reproduced.",
            TOKENIZER,
            "--approximate",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove tokens that a corpus hardly needs, and write a map of the ids for the embeddings.

    Choose the tokens by --to, --min-count or --residues. The rules stay, unless --drop-rules is
    given, and other tokens spell the removed ones. id_map.json lists the old and the new
    id of each token that is kept, and for each removed one the new ids that spell it.

    superword prune o200k_base.tiktoken corpus/*.jsonl.zst --to 65536 -o pruned

    superword prune tokenizer.json corpus/ --min-count 100 --drop-rules -o pruned

    superword prune model.json corpus/ --residues 0.99 -o pruned
    """
    with errors_as_sentences():
        local_path(output)
        reject_inputs(list_outputs(output), corpus=corpus, files=[model])
        pruned = prune(
            model,
            [RawPath(path) for path in corpus],
            to=to,
            min_count=min_count,
            residues=residues,
            drop_rules=drop_rules,
            pattern=pattern,
            special_tokens=dict(map(parse_special, special_token)) if special_token else None,
            approximate=approximate,
            source=source,
            corpus_options=corpus_options,
            resources=resources,
        )
        pruned.save(output)
    if as_json:
        print_json({"output": str(output), **pruned.as_json()})
        return
    console = open_console(stderr=True)
    console.print(f"{output}: {pruned.headline()}", markup=False)
    print_comparison([pruned.before, pruned.after], console)
