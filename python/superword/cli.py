"""The command `superword`: one function a command."""

from __future__ import annotations

import errno
import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from superword.errors import CorpusError, SuperwordError
from superword.inspection import Inspection, inspect, readable, show
from superword.patterns import ELIGIBLE, NAMED_PATTERNS, pretokenize
from superword.progress import json_lines
from superword.tokenizer import Deletion, load
from superword.training import Progress, train

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@dataclass(frozen=True)
class Place(PathLike[str]):
    """A path or a URL as it was typed; a `Path` would take the second slash from `https://`."""

    name: str

    def __fspath__(self) -> str:
        """What was typed."""
        return self.name


class DeletionChoice(StrEnum):
    """What deleted tokens are split into."""

    bytes = "bytes"
    pair = "pair"
    none = "none"

    def mode(self) -> Deletion:
        """What `train` takes."""
        modes: dict[str, Deletion] = {"bytes": "bytes", "pair": "pair", "none": None}
        return modes[self.value]


class ErrorChoice(StrEnum):
    """What to do with input that cannot be read."""

    raise_ = "raise"
    skip = "skip"


class ProgressChoice(StrEnum):
    """How progress is shown."""

    auto = "auto"
    bar = "bar"
    json = "json"
    none = "none"

    def teller(self) -> bool | Progress:
        """What `train` takes."""
        if self is ProgressChoice.json or (self is ProgressChoice.auto and not sys.stderr.isatty()):
            return json_lines()
        return self is not ProgressChoice.none


SHADES = ["black on bright_cyan", "black on bright_yellow"]


@app.callback()
def superword() -> None:
    """Superword tokenizers: words, and the phrases they form, as single tokens."""


@app.command("pretokenize")
def pretokenize_command(
    text: Annotated[str | None, typer.Argument(help="The text; standard input if absent.")] = None,
    pattern: Annotated[
        str, typer.Option(help=f"One of {', '.join(NAMED_PATTERNS)}, or a regex.")
    ] = "boundless",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """Split a text into pretokens, the words that merges stay within.

    On a terminal they are coloured in turn; otherwise each is a line, as a JSON string.

    superword pretokenize "XMLHttpRequest isn't snake_case"

    superword pretokenize --pattern gpt4o --json < README.md
    """
    with errors_as_sentences():
        pretokens = pretokenize(read_standard_input() if text is None else text, pattern)
    console = Console(soft_wrap=True, highlight=False)
    if as_json:
        sys.stdout.write(json.dumps(pretokens, ensure_ascii=False) + "\n")
    elif console.is_terminal:
        coloured = (Text(p, SHADES[i % 2]) for i, p in enumerate(pretokens))
        console.print(Text().join(coloured))
    else:
        sys.stdout.writelines(json.dumps(p, ensure_ascii=False) + "\n" for p in pretokens)


@app.command("train")
def train_command(
    corpus: Annotated[
        list[str], typer.Argument(help="Files, folders, globs, URLs; - is standard input.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    vocab_size: Annotated[int, typer.Option(help="Tokens in the vocabulary, at least 256.")],
    pattern: Annotated[
        str, typer.Option(help=f"One of {', '.join(NAMED_PATTERNS)}, or a regex.")
    ] = "boundless",
    supermerges: Annotated[bool, typer.Option(help="Let whole words merge.")] = True,
    deletion: Annotated[
        DeletionChoice, typer.Option(help="What deleted tokens are split into.")
    ] = DeletionChoice.bytes,
    tau: Annotated[float, typer.Option(help="The share from which on tokens are deleted.")] = 0.9,
    min_count: Annotated[int, typer.Option(help="The count that a merge must reach.")] = 2,
    eligible: Annotated[
        str, typer.Option(help="The regex of pretokens that supermerges may join.")
    ] = ELIGIBLE,
    special_token: Annotated[
        list[str] | None, typer.Option(help="A special token; may be given several times.")
    ] = None,
    column: Annotated[str, typer.Option(help="Where documents are in JSON and parquet.")] = "text",
    separator: Annotated[
        str | None, typer.Option(help="What separates documents in text files.")
    ] = None,
    max_bytes: Annotated[int | None, typer.Option(help="Train on so much text at most.")] = None,
    max_documents: Annotated[
        int | None, typer.Option(help="Train on so many documents at most.")
    ] = None,
    on_error: Annotated[
        ErrorChoice, typer.Option(help="What to do with input that cannot be read.")
    ] = ErrorChoice.raise_,
    threads: Annotated[int | None, typer.Option(help="How many threads to use.")] = None,
    memory_limit: Annotated[
        str | None, typer.Option(help="How much memory to keep to: 1GB, for one.")
    ] = None,
    progress: Annotated[
        ProgressChoice, typer.Option(help="A bar, JSON lines, or nothing; a bar on a terminal.")
    ] = ProgressChoice.auto,
    verify_every: Annotated[
        int | None, typer.Option(help="Recount everything after so many rules. Slow.")
    ] = None,
) -> None:
    """Train a tokenizer and write it to a file.

    superword train corpus/*.jsonl.zst -o model.json --vocab-size 131072

    superword train books/ -o bpe.json --vocab-size 32768 --no-supermerges --deletion none

    zcat dump.jsonl.gz | superword train - -o model.json --vocab-size 65536 --progress json
    """
    with errors_as_sentences():
        if not output.parent.is_dir():
            # Said now, and not when hours of training are to be saved.
            reason = "no such folder; make it first"
            raise FileNotFoundError(errno.ENOENT, reason, str(output.parent))
        tok = train(
            [Place(place) for place in corpus],
            vocab_size,
            pattern=pattern,
            supermerges=supermerges,
            deletion=deletion.mode(),
            tau=tau,
            min_count=min_count,
            eligible=eligible,
            special_tokens=special_token or (),
            column=column,
            separator=separator,
            max_bytes=max_bytes,
            max_documents=max_documents,
            on_error="skip" if on_error is ErrorChoice.skip else "raise",
            threads=threads,
            memory_limit=memory_limit,
            progress=progress.teller(),
            verify_every=verify_every,
        )
        tok.save(output)
    summarize(inspect(tok, 5), output, Console(stderr=True, soft_wrap=True, highlight=False))


@app.command("inspect")
def inspect_command(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    top: Annotated[int, typer.Option(min=0, help="How many tokens each list shows.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Show what is in a model: counts by kind, superwords, deleted tokens, settings.

    Blanks in tokens are shown as ␣, and bytes that are no UTF-8 in hexadecimal.

    superword inspect model.json

    superword inspect --top 5 --json model.json
    """
    with errors_as_sentences():
        found = inspect(load(model), top)
    if as_json:
        sys.stdout.write(json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n")
    else:
        show(found, Console(soft_wrap=True, highlight=False))


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Say on standard error what goes wrong, or what is warned of, in a sentence each."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    except (SuperwordError, ValueError, MemoryError) as refused:
        raise stopped(str(refused)) from None
    except OSError as refused:
        place = f"{refused.filename}: " if refused.filename else ""
        raise stopped(f"{place}{refused.strerror or refused}") from None
    except KeyboardInterrupt:
        raise stopped("interrupted", code=130) from None
    for warning in caught:
        typer.echo(f"superword: {warning.message}", err=True)


def stopped(sentence: str, code: int = 1) -> typer.Exit:
    """Say why the command stops."""
    typer.echo(f"superword: {sentence}", err=True)
    return typer.Exit(code)


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


def read_standard_input() -> str:
    """The text on standard input, with its line ends as they are."""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8; convert the text first, with iconv for one"
        raise CorpusError(message, file="standard input") from None
