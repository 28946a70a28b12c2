"""`superword train`."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from superword.atomic_files import check_writable
from superword.commands.messages import errors_as_sentences, print_message
from superword.commands.options import AsJson, ModelOutput, derive_options, option
from superword.commands.output import report_first_pass, summarize_model
from superword.corpus import CorpusOptions, RawPath, reject_inputs
from superword.counts import list_count_files, train_on_counts
from superword.counts.learner import Thresholds
from superword.errors import MissingFragmentsError
from superword.tokenizer import Tokenizer, TrainingConfig
from superword.training import Resources, train

__all__ = ["train_command"]

SCALE = "Counts and Spark"


class EngineChoice(StrEnum):
    """The values of --engine."""

    local = "local"
    spark = "spark"


@derive_options(required=["vocab_size"])
def train_command(
    output: ModelOutput,
    config: TrainingConfig,
    corpus_options: CorpusOptions,
    resources: Resources,
    corpus: Annotated[
        list[str] | None, typer.Argument(help="Files, folders, globs or URLs; - is standard input.")
    ] = None,
    special_token: Annotated[
        list[str] | None, option("Special token; may be repeated.", "Model")
    ] = None,
    counts: Annotated[
        Path | None, option("Train on this folder of counts; a corpus adds missing ones.", SCALE)
    ] = None,
    engine: Annotated[
        EngineChoice, option("Engine that counts the corpus.", SCALE)
    ] = EngineChoice.local,
    master: Annotated[
        str | None, option("Spark's master: local[8], spark://host:7077, yarn.", SCALE)
    ] = None,
    min_pretoken_count: Annotated[
        int | None, option("Leave rarer pretokens out. This changes the model.", SCALE)
    ] = None,
    min_fragment_count: Annotated[
        int | None, option("Leave rarer fragments out. This changes the model.", SCALE)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train a tokenizer and write it to a file.

    With --counts, the first pass may have to be followed by another count. Then no model is
    written, the exit status is 0, and --json prints "done": false.

    superword train corpus/*.jsonl.zst -o model.json --vocab-size 131072

    superword train books/ -o bpe.json --vocab-size 32768 --no-supermerges --deletion none

    superword train books/ -o superbpe.json --vocab-size 65536 --transition 49152 --pattern gpt4o
    --no-supermerges --deletion none

    superword train books/ -o portable.json --vocab-size 65536 --profile portable
    --special-token "<|endoftext|>"

    zcat dump.jsonl.gz | superword train - -o model.json --vocab-size 65536 --progress json

    superword train --counts counts -o model.json --vocab-size 131072

    superword train --engine spark --master spark://host:7077 s3a://bucket/*.parquet -o model.json
    --vocab-size 131072
    """
    start = time.monotonic()
    with errors_as_sentences():
        check_writable(output)
        counted = [] if counts is None else list_count_files(counts)
        reject_inputs([output], corpus=corpus or [], files=counted)
        special_tokens = special_token or []
        paths = [RawPath(path) for path in corpus or ()]
        thresholds = Thresholds(min_pretoken_count, min_fragment_count)
        if engine is EngineChoice.local and master is not None:
            raise ValueError("--master is for --engine spark")
        if not paths and counts is None:
            raise ValueError("nothing to train on; name a corpus, or --counts")
        if engine is EngineChoice.spark:
            if counts is not None:
                raise ValueError("give either --counts or --engine spark, not both")
            tok = train_on_spark(
                paths, master, config, corpus_options, resources, special_tokens, thresholds
            )
        elif counts is not None:
            try:
                tok = train_on_counts(
                    counts,
                    corpus=paths or None,
                    special_tokens=special_tokens,
                    min_pretoken_count=min_pretoken_count,
                    min_fragment_count=min_fragment_count,
                    config=config,
                    corpus_options=corpus_options,
                    resources=resources,
                )
            except MissingFragmentsError as missing:
                report_first_pass(missing, counts, output, as_json)
                return
        else:
            if thresholds != (None, None):
                raise ValueError(
                    "--min-pretoken-count and --min-fragment-count are for --counts and "
                    "--engine spark"
                )
            tok = train(
                paths,
                special_tokens=special_tokens,
                config=config,
                corpus_options=corpus_options,
                resources=resources,
            )
        tok.save(output)
    seconds = time.monotonic() - start
    reads_text = counts is None or bool(paths)
    summarize_model(tok, output, seconds=seconds, as_json=as_json, reads_text=reads_text)


def train_on_spark(
    paths: list[RawPath],
    master: str | None,
    config: TrainingConfig,
    corpus_options: CorpusOptions,
    resources: Resources,
    special_tokens: list[str],
    thresholds: Thresholds,
) -> Tokenizer:
    """Train on files that Spark reads, and print a summary of each pass."""
    from superword import spark
    from superword.spark.session import open_session, raise_spark_errors, read_files

    corpus_options.reject_limits("Spark")
    config.reject_second_stage("Spark")
    if corpus_options.on_error == "skip":
        raise ValueError("Spark cannot skip input that cannot be read; clean the data first")

    def report(passed: spark.Passed) -> None:
        print_message(
            f"{passed.stage}: {passed.documents:,} documents, {passed.bytes:,} bytes, "
            f"{passed.pretokens:,} pretokens; {passed.rows:,} rows shuffled",
        )

    session = open_session(master)
    column, names = corpus_options.column, [path.name for path in paths]
    try:
        with raise_spark_errors():
            return spark.train(
                read_files(
                    session,
                    names,
                    column,
                    corpus_options.separator,
                    corpus_options.weight_column,
                ),
                text_column=column,
                weights=corpus_options.weights,
                weight_column=corpus_options.weight_column,
                special_tokens=special_tokens,
                min_pretoken_count=thresholds.min_pretoken_count,
                min_fragment_count=thresholds.min_fragment_count,
                report=report,
                config=config,
                resources=resources,
            )
    finally:
        session.stop()
