"""Command-line options, derived from the configuration objects.

A command takes `TrainingConfig`, `CorpusOptions` and `Resources` as parameters. `derive_options`
turns each into one option per field, with the field's default and help, and calls the command with
the objects. The other options here are shared by several commands.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import InitVar
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

from superword.commands.messages import errors_as_sentences
from superword.corpus import CorpusOptions, Shard
from superword.keywords import list_options
from superword.patterns import PATTERN_NAMES
from superword.tokenizer import TrainingConfig, parse_cap
from superword.training import ProgressCallback, Resources
from superword.training.progress import json_lines

__all__ = [
    "UNWEIGHTED",
    "AnyModel",
    "AsCsv",
    "AsJson",
    "AsMarkdown",
    "CorpusOption",
    "CorpusPaths",
    "MeasuredPattern",
    "Model",
    "ModelOutput",
    "Pattern",
    "Seed",
    "SourceColumn",
    "TextFile",
    "choose_output_form",
    "complete_pattern",
    "derive_options",
    "option",
    "parse_shard",
]

# The fields of CorpusOptions that commands have in which every document counts once.
UNWEIGHTED = [each for each in CorpusOptions.__dataclass_fields__ if "weight" not in each]

PANELS: dict[type, str] = {TrainingConfig: "Model", CorpusOptions: "Corpus", Resources: "Resources"}


class DeletionChoice(StrEnum):
    """The values of --deletion."""

    bytes = "bytes"
    pair = "pair"
    none = "none"


class ErrorChoice(StrEnum):
    """The values of --on-error."""

    raise_ = "raise"
    skip = "skip"


class ProgressChoice(StrEnum):
    """The values of --progress."""

    auto = "auto"
    bar = "bar"
    json = "json"
    none = "none"

    def callback(self) -> bool | ProgressCallback:
        """Return the value of `Resources.progress`."""
        if self is ProgressChoice.json or (self is ProgressChoice.auto and not sys.stderr.isatty()):
            return json_lines()
        return self is not ProgressChoice.none


class Spelling(NamedTuple):
    """The spelling of a field on the command line, where its Python type does not fit.

    Attributes:
        type: The type on the command line.
        default: The default on the command line.
        read: Converts a value to the field's.
        help: The help, where the field's does not fit.
        metavar: What the help shows for the value, where the type says too little or too much.
        shown_default: What the help shows for a default that takes too much room.
        name: The option, where the field's name does not fit.
    """

    type: Any
    default: Any
    read: Callable[[Any], Any]
    help: str | None = None
    metavar: str | None = None
    shown_default: bool | str = True
    name: str | None = None


SPELLINGS = {
    "deletion": Spelling(
        DeletionChoice,
        DeletionChoice(TrainingConfig.deletion or "none"),
        lambda choice: None if choice is DeletionChoice.none else choice.value,
        metavar="KIND",
    ),
    "max_superwords": Spelling(
        str,
        str(TrainingConfig.max_superwords),
        parse_cap,
        metavar="NUMBER|SHARE",
    ),
    "eligible": Spelling(
        str | None, TrainingConfig.eligible, lambda regex: regex, shown_default="the pattern's own"
    ),
    "on_error": Spelling(
        ErrorChoice, ErrorChoice(CorpusOptions.on_error), lambda choice: choice.value
    ),
    "separator": Spelling(
        str | None,
        CorpusOptions.separator,
        lambda typed: None if typed is None else read_escapes(typed),
        r"String that separates documents in text files, in which \n, \t, \r and \0 are escapes; "
        "without it, a file is one document.",
        metavar="STRING",
    ),
    "max_bytes": Spelling(str | None, CorpusOptions.max_bytes, lambda size: size, metavar="SIZE"),
    "weights": Spelling(
        str | None,
        CorpusOptions.weights,
        lambda weights: weights,
        metavar="NAME=N,...",
        name="--weight",
    ),
    "memory_limit": Spelling(str | None, Resources.memory_limit, lambda size: size, metavar="SIZE"),
    "progress": Spelling(
        ProgressChoice,
        ProgressChoice.auto,
        ProgressChoice.callback,
        "Show a bar, JSON lines, or nothing; auto is a bar on a terminal, else JSON lines.",
    ),
}


def complete_pattern(typed: str) -> list[str]:
    """Return the names of patterns that start as typed, for the shell."""
    return [name for name in PATTERN_NAMES if name.startswith(typed)]


def option(
    help: str,
    panel: str | None = None,
    *names: str,
    metavar: str | None = None,
    shown_default: bool | str = True,
    complete: Callable[..., Any] | None = None,
) -> Any:
    """Return a typer option in a panel of the help; `complete` lists values for the shell."""
    return typer.Option(
        *names,
        help=help,
        rich_help_panel=panel,
        metavar=metavar,
        show_default=shown_default,
        autocompletion=complete,
    )


def field_option(kind: type, name: str) -> Any:
    """Return the typer option of a field, with its help and panel."""
    [field] = [each for each in list_options(kind) if each.name == name]
    help, panel = field.metadata["help"], PANELS[kind]
    complete = complete_pattern if name in ("pattern", "second_pattern") else None
    if name not in SPELLINGS:
        return option(help, panel, complete=complete)
    _, _, _, own_help, metavar, shown_default, own_name = SPELLINGS[name]
    names = [own_name] if own_name else []
    return option(own_help or help, panel, *names, metavar=metavar, shown_default=shown_default)


def field_parameter(kind: type, name: str, is_required: bool) -> inspect.Parameter:
    """Return the parameter of a command that sets a field."""
    hint, default = get_type_hints(kind)[name], getattr(kind, name)
    if isinstance(hint, InitVar):
        hint = hint.type
    if name in SPELLINGS:
        hint, default = SPELLINGS[name].type, SPELLINGS[name].default
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if is_required else default,
        annotation=Annotated[hint, field_option(kind, name)],
    )


def derive_options(
    *, required: Collection[str] = (), **chosen: Collection[str]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace a command's configuration objects by options.

    Args:
        required: The fields that have no default on the command line.
        chosen: By the name of a parameter, the fields that the command has; all by default.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        parameters: list[inspect.Parameter] = []
        objects: dict[str, tuple[type, list[str]]] = {}
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            kind = parameter.annotation
            if kind not in PANELS:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
                continue
            names = [each.name for each in list_options(kind)]
            names = [name for name in names if name in chosen.get(parameter.name, names)]
            names.sort(key=lambda name: name not in required)
            objects[parameter.name] = (kind, names)
            parameters += [field_parameter(kind, name, name in required) for name in names]

        @wraps(command)
        def run(context: typer.Context, **values: Any) -> None:
            with errors_as_sentences():
                derived = {name for _, names in objects.values() for name in names}
                for name in SPELLINGS.keys() & derived:
                    values[name] = SPELLINGS[name].read(values[name])
                made = {
                    name: kind(**take_given(kind, names, values, context))
                    for name, (kind, names) in objects.items()
                }
            command(**values, **made)

        parameters.append(
            inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        )
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorate


def take_given(
    kind: type, names: list[str], values: dict[str, Any], context: typer.Context
) -> dict[str, Any]:
    """Take the fields of an object from the options, without those left at their defaults.

    So an object can tell which of its options were typed.
    """
    taken = {name: values.pop(name) for name in names}
    return {
        name: value
        for name, value in taken.items()
        if is_typed(context, name) or value != getattr(kind, name)
    }


def is_typed(context: typer.Context, name: str) -> bool:
    """Return whether an option was typed, even if it was typed with its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}


def read_escapes(text: str) -> str:
    r"""Return a text with the characters that escapes stand for.

    Raises:
        ValueError: If a backslash starts no escape.

    Example:
        >>> read_escapes(r"\n--\0"), read_escapes(r"a\\n")
        ('\n--\x00', 'a\\n')
    """

    def read(match: re.Match[str]) -> str:
        if match[1] not in ESCAPES:
            raise ValueError(
                rf"{match[0]} in {text} is no escape; use \n, \t, \r, \0, and \\ for a backslash"
            )
        return ESCAPES[match[1]]

    return re.sub(r"(?s)\\(.?)", read, text)


def parse_shard(text: str) -> Shard:
    """Return the shard that was typed.

    Raises:
        ValueError: If it is not like 0/8.

    Example:
        >>> parse_shard("3/8")
        (3, 8)
    """
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal()):
        raise ValueError(f"a shard must be like 0/8, not {text!r}")
    return int(index), int(count)


def choose_output_form(**chosen: bool) -> str | None:
    """Return the form of the output that was asked for; None for the usual one.

    Raises:
        ValueError: If several forms were asked for.

    Example:
        >>> choose_output_form(json=False, csv=True)
        'csv'
    """
    forms = [form for form, is_chosen in chosen.items() if is_chosen]
    if len(forms) > 1:
        raise ValueError(f"--{forms[0]} and --{forms[1]} exclude each other; choose one")
    return forms[0] if forms else None


Model = Annotated[Path, typer.Argument(help="Model file, or the name of a model in the package.")]
AnyModel = Annotated[
    Path,
    typer.Argument(
        help="Superword model or its name in the package, tokenizer.json, their folder, or "
        "tiktoken file."
    ),
]
CorpusPaths = Annotated[
    list[str], typer.Argument(help="Files, folders, globs or URLs; - is standard input.")
]
ModelOutput = Annotated[Path, option("Model file to write.", "Output", "--output", "-o")]
Pattern = Annotated[str, field_option(TrainingConfig, "pattern")]
TextFile = Annotated[
    Path | None, option("File to read; - is standard input.", None, "--file", "-f")
]
AsJson = Annotated[bool, option("Print JSON.", "Output", "--json")]
AsCsv = Annotated[bool, option("Print CSV, in full precision.", "Output", "--csv")]
AsMarkdown = Annotated[bool, option("Print Markdown tables.", "Output", "--markdown")]
AsLatex = Annotated[bool, option("Print LaTeX tables.", "Output", "--latex")]
HtmlOutput = Annotated[Path | None, option("Write a self-contained HTML page.", "Output", "--html")]
CorpusOption = Annotated[
    list[str], option("Files, folders, globs or URLs to measure on.", "Corpus", "--corpus")
]
SourceColumn = Annotated[
    str | None,
    option("Column that names a document's source; source by default, if there is one.", "Corpus"),
]
MeasuredPattern = Annotated[
    str | None,
    option(
        "Pattern to measure words by; the tokenizer's by default.",
        None,
        "--pattern",
        complete=complete_pattern,
    ),
]
Seed = Annotated[int, option("Seed of the sample that instability is measured on.")]
