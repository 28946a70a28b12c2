"""Options: declared once, taken as keywords or as objects, shown on the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import FrozenInstanceError, InitVar
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer.main

import superword
import superword.reference
from superword import CorpusOptions, Resources, Tokenizer, TrainingConfig
from superword.cli import app
from superword.commands.options import SPELLINGS
from superword.corpus import open_corpus
from superword.corpus.options import CorpusKeywords
from superword.evaluation import bits_per_byte, evaluate
from superword.keywords import list_options
from superword.spark import train as spark_train
from superword.tokenizer.config import TrainingKeywords
from superword.training.resources import ResourceKeywords

KINDS = [TrainingConfig, CorpusOptions, Resources]
OPTIONS = {each.name: each for kind in KINDS for each in list_options(kind)}
# Commands that have an option of the same name for something else.
DIFFERENT = {"pattern": ("extend", "prune", "compare", "evaluate"), "min_count": ("prune",)}
# The limits of an extension are those of its base by default.
DIFFERENT |= dict.fromkeys(["max_words", "max_token_bytes", "forbid"], ("extend",))
# Those of reproduce are lists of further values.
for name in ["tau", "min_count", "max_superwords"]:
    DIFFERENT[name] = (*DIFFERENT.get(name, ()), "reproduce")
FUNCTIONS: list[Callable[..., Any]] = [
    superword.train,
    superword.extend,
    superword.count,
    superword.train_on_counts,
    superword.extend_on_counts,
    superword.encode_corpus,
    superword.pretokenize,
    superword.is_eligible,
    spark_train,
    open_corpus,
    evaluate,
    bits_per_byte,
]
# Names that mean something else, or must be given, in these functions and commands.
APART = {
    ("extend", "pattern"),
    ("extend", "max_superwords"),
    ("extend_on_counts", "max_superwords"),
    ("is_eligible", "eligible"),
    ("evaluate", "pattern"),
    ("train", "vocab_size"),
    ("train_on_counts", "vocab_size"),
}
DOCUMENTS = ["to be or not to be", "to be"]


def test_no_option_is_declared_twice() -> None:
    assert len(OPTIONS) == sum(len(list_options(kind)) for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_has_a_help_that_the_docstring_shows(kind: type) -> None:
    for each in list_options(kind):
        assert each.metadata["help"].endswith("."), each.name
        assert f"    {each.name}: {each.metadata['help']}" in (kind.__doc__ or "")


@pytest.mark.parametrize(
    "function", FUNCTIONS, ids=lambda each: f"{each.__module__}.{each.__name__}"
)
def test_defaults_in_signatures_are_those_of_the_objects(function: Callable[..., Any]) -> None:
    for name, parameter in inspect.signature(function).parameters.items():
        if name in OPTIONS and (function.__name__, name) not in APART:
            assert parameter.default == OPTIONS[name].default, name


def test_defaults_and_help_on_the_command_line_are_those_of_the_objects() -> None:
    seen = set()
    for command, described in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        for parameter in described.params:
            name, declared = parameter.name, OPTIONS.get(parameter.name)
            if declared is None or command in DIFFERENT.get(name, ()):
                continue
            seen.add(name)
            spelling = SPELLINGS.get(name)
            if name == "vocab_size":
                assert parameter.required
            else:
                assert parameter.default == (spelling.default if spelling else declared.default)
            shown = (spelling.help if spelling else None) or declared.metadata["help"]
            assert parameter.help == shown or (command, name) == ("extend", "min_count")
    assert seen == set(OPTIONS)


def test_the_types_of_keywords_are_those_of_the_objects() -> None:
    typed = [(TrainingConfig, TrainingKeywords), (CorpusOptions, CorpusKeywords)]
    for kind, keywords in [*typed, (Resources, ResourceKeywords)]:
        hints = get_type_hints(kind)
        hints.pop("vocab_size", None)
        declared = {
            name: hint.type if isinstance(hint, InitVar) else hint for name, hint in hints.items()
        }
        assert get_type_hints(keywords) == declared


def test_objects_do_what_their_keywords_do(tmp_path: Path) -> None:
    rows = [{"body": text} for text in [*DOCUMENTS, "left out"]]
    config = TrainingConfig(vocab_size=258, supermerges=False, deletion=None, pattern="gpt2")
    options = CorpusOptions(column="body", max_documents=2)
    tok = superword.train(
        rows, config=config, corpus_options=options, resources=Resources(threads=1)
    )
    assert tok.parameters == config
    assert tok.training.documents == 2
    assert tok == superword.train(
        *(rows, 258),
        supermerges=False,
        deletion=None,
        pattern="gpt2",
        column="body",
        max_documents=2,
        threads=1,
    )
    assert tok == superword.train(rows, config=tok.parameters, corpus_options=options)
    extended = superword.extend(tok, rows, 0, corpus_options=options, resources=Resources())
    assert extended == superword.extend(tok, rows, 0, column="body", max_documents=2)
    written = superword.encode_corpus(
        tok, rows, tmp_path / "tokens.npy", corpus_options=options, resources=Resources(threads=1)
    )
    assert written.documents == 2


def test_counting_takes_objects(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    config, options = TrainingConfig(vocab_size=259), CorpusOptions(on_error="skip")
    resources = Resources(threads=1)
    superword.count(
        DOCUMENTS, tmp_path / "a", config=config, corpus_options=options, resources=resources
    )
    tok = superword.train_on_counts(
        tmp_path / "a",
        corpus=DOCUMENTS,
        config=config,
        corpus_options=options,
        resources=resources,
    )
    assert tok == superword.train(DOCUMENTS, 259)
    stages = TrainingConfig(vocab_size=300, transition=280, supermerges=False, deletion=None)
    with pytest.raises(ValueError, match=r"transition \(SuperBPE\) does not apply to counts"):
        superword.count(DOCUMENTS, tmp_path / "a", config=stages)
    with pytest.raises(ValueError, match="max_documents do not apply to counts"):
        superword.train_on_counts(tmp_path / "a", 259, corpus_options=CorpusOptions(max_bytes=9))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"config": TrainingConfig(), "tau": 0.9}, "tau is given both as a keyword and by a Tra"),
        ({"config": TrainingConfig(), "vocab_size": 300}, "vocab_size is given both"),
        ({"vocab_size": 300, "corpus_options": CorpusOptions(), "column": "a"}, "column is given"),
        ({"vocab_size": 300, "resources": Resources(), "threads": 1}, "threads is given both"),
    ],
)
def test_an_object_and_one_of_its_keywords_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        superword.train(DOCUMENTS, **given)


def test_unknown_options_are_rejected() -> None:
    train: Callable[..., Tokenizer] = superword.train
    with pytest.raises(TypeError, match=r"train\(\) got an unexpected keyword argument 'taw'"):
        train(DOCUMENTS, 300, taw=0.9)
    with pytest.raises(TypeError, match="expected a CorpusOptions, not {'column': 'a'}"):
        train(DOCUMENTS, 300, corpus_options={"column": "a"})
    with pytest.raises(TypeError, match="vocab_size is missing"):
        train(DOCUMENTS)


def test_objects_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        TrainingConfig().tau = 0.5  # type: ignore[misc]
    second = TrainingConfig(vocab_size=300, transition=280, supermerges=False, deletion=None)
    assert second.second_pattern == superword.patterns.SECOND_PATTERN


def test_the_reference_has_the_same_default_pattern() -> None:
    assert superword.reference.DEFAULT_PATTERN == TrainingConfig.pattern
