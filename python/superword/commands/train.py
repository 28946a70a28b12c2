"""`superword train`."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import Console

from superword.commands.messages import errors_as_sentences
from superword.commands.options import (
    Column,
    Eligible,
    ErrorChoice,
    MaxBytes,
    MaxDocuments,
    MemoryLimit,
    OnErrorChoice,
    Pattern,
    ProgressChoice,
    Separator,
    ShownProgress,
    Threads,
)
from superword.corpus.documents import OnError
from superword.corpus.paths import RawPath
from superword.counts.training import train_on_counts
from superword.patterns import ELIGIBLE
from superword.tokenizer.display import readable
from superword.tokenizer.inspection import Inspection, inspect
from superword.tokenizer.tokenizer import Deletion, Tokenizer
from superword.training.progress import ProgressCallback
from superword.training.training import train

__all__ = ["train_command"]


class DeletionChoice(StrEnum):
    """What deleted tokens are split into."""

    bytes = "bytes"
    pair = "pair"
    none = "none"

    def mode(self) -> Deletion:
        """What `train` takes."""
        modes: dict[str, Deletion] = {"bytes": "bytes", "pair": "pair", "none": None}
        return modes[self.value]


class EngineChoice(StrEnum):
    """What counts the corpus."""

    local = "local"
    spark = "spark"


class Learning(TypedDict):
    """What all ways to train take."""

    pattern: str
    supermerges: bool
    deletion: Deletion
    tau: float
    min_count: int
    eligible: str
    special_tokens: Sequence[str]
    threads: int | None
    memory_limit: str | None
    progress: bool | ProgressCallback
    verify_every: int | None


class Reading(TypedDict):
    """How files are read."""

    column: str
    separator: str | None
    on_error: OnError


def train_command(
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    vocab_size: Annotated[int, typer.Option(help="Tokens in the vocabulary, at least 256.")],
    corpus: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders, globs, URLs; - is standard input."),
    ] = None,
    pattern: Pattern = "boundless",
    supermerges: Annotated[bool, typer.Option(help="Let whole words merge.")] = True,
    deletion: Annotated[
        DeletionChoice, typer.Option(help="What deleted tokens are split into.")
    ] = DeletionChoice.bytes,
    tau: Annotated[float, typer.Option(help="The share from which on tokens are deleted.")] = 0.9,
    min_count: Annotated[int, typer.Option(help="The count that a merge must reach.")] = 2,
    eligible: Eligible = ELIGIBLE,
    transition: Annotated[
        int | None,
        typer.Option(help="The size at which SuperBPE's second stage begins; none without it."),
    ] = None,
    second_pattern: Annotated[
        str | None, typer.Option(help="What splits documents in it: a pattern's name or a regex.")
    ] = None,
    special_token: Annotated[
        list[str] | None, typer.Option(help="A special token; may be given several times.")
    ] = None,
    column: Column = "text",
    separator: Separator = None,
    max_bytes: MaxBytes = None,
    max_documents: MaxDocuments = None,
    on_error: OnErrorChoice = ErrorChoice.raise_,
    threads: Threads = None,
    memory_limit: MemoryLimit = None,
    progress: ShownProgress = ProgressChoice.auto,
    verify_every: Annotated[
        int | None, typer.Option(help="Recount everything after so many rules. Slow.")
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option(help="The folder of counts to train on; a corpus adds what is missing."),
    ] = None,
    engine: Annotated[
        EngineChoice, typer.Option(help="What counts the corpus.")
    ] = EngineChoice.local,
    master: Annotated[
        str | None, typer.Option(help="Spark's master: local[8], spark://host:7077, yarn.")
    ] = None,
    min_pretoken_count: Annotated[
        int | None,
        typer.Option(help="Leave rarer pretokens out of counts. It changes the model."),
    ] = None,
    min_fragment_count: Annotated[
        int | None,
        typer.Option(help="Leave rarer fragments out of counts. It changes the model."),
    ] = None,
) -> None:
    """Train a tokenizer and write it to a file.

    superword train corpus/*.jsonl.zst -o model.json --vocab-size 131072

    superword train books/ -o bpe.json --vocab-size 32768 --no-supermerges --deletion none

    superword train books/ -o superbpe.json --vocab-size 65536 --transition 49152 --pattern gpt4o
    --no-supermerges --deletion none

    zcat dump.jsonl.gz | superword train - -o model.json --vocab-size 65536 --progress json

    superword train --counts counts -o model.json --vocab-size 131072

    superword train --engine spark --master spark://host:7077 s3a://bucket/*.parquet -o model.json
    --vocab-size 131072
    """
    with errors_as_sentences():
        if not output.parent.is_dir():
            # Said now, and not when hours of training are to be saved.
            reason = "no such folder; make it first"
            raise FileNotFoundError(errno.ENOENT, reason, str(output.parent))
        learning: Learning = {
            "pattern": pattern,
            "supermerges": supermerges,
            "deletion": deletion.mode(),
            "tau": tau,
            "min_count": min_count,
            "eligible": eligible,
            "special_tokens": special_token or (),
            "threads": threads,
            "memory_limit": memory_limit,
            "progress": progress.callback(),
            "verify_every": verify_every,
        }
        reading: Reading = {
            "column": column,
            "separator": separator,
            "on_error": on_error.mode(),
        }
        places = [RawPath(place) for place in corpus or ()]
        limits = (max_bytes, max_documents)
        second_stage = (transition, second_pattern)
        thresholds = (min_pretoken_count, min_fragment_count)
        if engine is EngineChoice.local and master is not None:
            raise ValueError("--master is for --engine spark")
        if not places and counts is None:
            raise ValueError("nothing to train on; name a corpus, or --counts")
        if counts is None and engine is EngineChoice.local:
            if thresholds != (None, None):
                raise ValueError("thresholds are for --counts and --engine spark; count first")
            tok = train(
                places,
                vocab_size,
                **learning,
                **reading,
                transition=transition,
                second_pattern=second_pattern,
                max_bytes=max_bytes,
                max_documents=max_documents,
            )
        elif limits != (None, None):
            raise ValueError("--max-bytes and --max-documents are for training without counts")
        elif second_stage != (None, None):
            raise ValueError("--transition is for training without counts, and not on Spark")
        elif engine is EngineChoice.spark:
            if counts is not None:
                raise ValueError("there are both --counts and --engine spark; give one of them")
            if on_error is ErrorChoice.skip:
                raise ValueError("Spark skips nothing; clean the data first")
            tok = train_on_spark(places, vocab_size, learning, reading, master, thresholds)
        else:
            tok = train_on_counts(
                counts or "",
                vocab_size,
                corpus=places or None,
                **learning,
                **reading,
                min_pretoken_count=min_pretoken_count,
                min_fragment_count=min_fragment_count,
            )
        tok.save(output)
    summarize(inspect(tok, 5), output, Console(stderr=True, soft_wrap=True, highlight=False))


def train_on_spark(
    places: Sequence[RawPath],
    vocab_size: int,
    learning: Learning,
    reading: Reading,
    master: str | None,
    thresholds: tuple[int | None, int | None],
) -> Tokenizer:
    """Train on files that Spark reads, and say how much it shuffled."""
    from superword import spark
    from superword.spark.session import open_session, read_files, refusals_as_errors

    def say(passed: spark.Passed) -> None:
        typer.echo(
            f"{passed.stage}: {passed.documents:,} documents, {passed.bytes:,} bytes, "
            f"{passed.pretokens:,} pretokens; {passed.rows:,} rows shuffled",
            err=True,
        )

    session = open_session(master)
    try:
        column, paths = reading["column"], [place.name for place in places]
        with refusals_as_errors():
            return spark.train(
                read_files(session, paths, column, reading["separator"]),
                vocab_size,
                text_column=column,
                **learning,
                min_pretoken_count=thresholds[0],
                min_fragment_count=thresholds[1],
                report=say,
            )
    finally:
        session.stop()


def summarize(found: Inspection, output: Path, console: Console) -> None:
    """Say what was learned."""
    rules, vocabulary = found.rules, found.vocabulary
    smallest = "-" if found.smallest_count is None else f"{found.smallest_count:,}"
    longest = ", ".join(readable(superword.token) for superword in found.longest_superwords)
    console.print(
        f"{output}: {vocabulary['total']:,} tokens from {rules['merge']:,} merges, "
        f"{rules['supermerge']:,} supermerges and {rules['delete']:,} deletions; "
        f"smallest count {smallest}",
        markup=False,
    )
    if longest:
        console.print(f"longest superwords: {longest}", markup=False)
