"""`superword count`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences, print_message
from superword.commands.options import AsJson, CorpusPaths, derive_options, option, parse_shard
from superword.corpus import CorpusOptions, RawPath
from superword.counts import Counted, count
from superword.tokenizer import TrainingConfig
from superword.training import Resources

__all__ = ["count_command", "print_summary"]


@derive_options(
    config=["pattern", "eligible", "supermerges"],
    corpus_options=["column", "separator", "on_error", "weights", "weight_column"],
    resources=["threads", "memory_limit", "progress"],
)
def count_command(
    corpus: CorpusPaths,
    output: Annotated[Path, option("Folder of counts.", "Output", "--output", "-o")],
    config: TrainingConfig,
    corpus_options: CorpusOptions,
    resources: Resources,
    shard: Annotated[
        str, option("Count only shard i of n: 0/4 to 3/4 have every fourth file.", "Corpus")
    ] = "0/1",
    cut: Annotated[
        Path | None, option("Count fragments, with the cut.json that training wrote.", "Output")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count a corpus, or a shard of it, into a folder to train on.

    Shards that the folder already has are not counted again.

    superword count corpus/*.jsonl.zst -o counts --shard 0/16

    superword train --counts counts -o model.json --vocab-size 131072

    superword count corpus/*.jsonl.zst -o counts --shard 0/16 --cut counts/cut.json
    """
    with errors_as_sentences():
        counted = count(
            [RawPath(path) for path in corpus],
            output,
            shard=parse_shard(shard),
            cut=cut,
            config=config,
            corpus_options=corpus_options,
            resources=resources,
        )
    if as_json:
        print_json({"output": str(output), **counted._asdict()})
    else:
        print_summary(counted, output)


def print_summary(counted: Counted, folder: Path) -> None:
    """Print a summary of counts to standard error."""
    existing = "" if counted.is_new else " (already counted)"
    print_message(
        f"{folder}: {counted.keys:,} distinct {counted.stage}{existing} in {counted.documents:,} "
        f"documents of {counted.bytes:,} bytes",
    )
