"""Names of patterns: published vocabularies are known, unknown names are refused, models open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import regex
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

import superword
from superword import PatternError, TrainingConfig, pretokenize
from superword.evaluation import Ours, evaluate, open_tokenizer
from superword.interop import import_tokenizer
from superword.patterns import (
    NAMED_PATTERNS,
    PATTERN_NAMES,
    compile_pattern,
    find_pattern_name,
    resolve_pattern,
)
from superword.vocabularies import VOCABULARIES

COMMAND = Path(sys.executable).parent / "superword"
DOCUMENTS = ["to be or not to be", "to be"]
KINDS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "PickyBPE": {"supermerges": False, "deletion": "pair"},
    "BoundlessBPE": {},
    "SuperBPE": {"supermerges": False, "deletion": None, "transition": 257},
}
TEXTS = [
    "XMLHttpRequest isn't snake_case: 1234567",
    "a\n ",
    "x  \r\n\r\n  y \n ",
    "DON'T  l'été 日本語\t",
]


def train_with(pattern: str) -> object:
    return superword.train(DOCUMENTS, 258, pattern=pattern)


def train_second_stage_with(pattern: str) -> object:
    return superword.train(DOCUMENTS, 258, second_pattern=pattern, **KINDS["SuperBPE"])


def measure_with(pattern: str) -> object:
    return evaluate(Ours(superword.train(DOCUMENTS, 258)), DOCUMENTS, pattern=pattern)


@pytest.mark.parametrize(
    "use",
    [
        train_with,
        train_second_stage_with,
        measure_with,
        lambda pattern: TrainingConfig(pattern=pattern),
        lambda pattern: pretokenize("to be", pattern),
        lambda pattern: Ours(superword.train(DOCUMENTS, 258), pattern=pattern),
    ],
)
@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("gpt5", "gpt4"),
        ("GPT4o", "gpt4o"),
        ("cl100k", "cl100k_base"),
        ("Llama-3", "llama3"),
        ("qwen-2.5", r"qwen2\.5"),
        ("boundles", "boundless"),
        ("zzzzzzzz", "boundless"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_ones(
    use: Callable[[str], object], name: str, near: str
) -> None:
    with pytest.raises(PatternError, match=rf"no pattern named '{name}'.*\b{near}\b") as refused:
        use(name)
    assert f"(?:{name})" in str(refused.value)


@pytest.mark.parametrize("word", ["gpt5", "ab", "a.b", "12", "x_y-z"])
def test_a_word_in_a_group_is_a_regex(word: str) -> None:
    assert pretokenize(f"..{word}..", f"(?:{word})") == ["..", word, ".."]


@pytest.mark.parametrize("pattern", [".", "a", "", "a+", r"\s", " ab", "a|b"])
def test_other_strings_are_regexes(pattern: str) -> None:
    assert resolve_pattern(pattern) == pattern
    assert TrainingConfig(pattern=pattern).pattern == pattern


@pytest.mark.parametrize("name", openai_public.ENCODING_CONSTRUCTORS)
def test_the_vocabularies_are_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for load in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
        monkeypatch.setattr(openai_public, load, lambda *_, **__: {})
    theirs = openai_public.ENCODING_CONSTRUCTORS[name]()
    specials = dict(theirs["special_tokens"])
    if name == "o200k_harmony":
        del specials["<|reserved_200018|>"]  # The id of <|endofprompt|>.
    assert VOCABULARIES[name].special_tokens == specials
    for text in TEXTS:
        assert pretokenize(text, name) == regex.findall(theirs["pat_str"], text)


@pytest.mark.parametrize("name", PATTERN_NAMES)
def test_every_name_has_a_scanner_and_a_name_to_show(name: str) -> None:
    pattern = resolve_pattern(name)
    assert compile_pattern(pattern).covers_all
    assert resolve_pattern(find_pattern_name(pattern)) == pattern


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["cl100k_base", "llama3", "qwen2", "o200k_base"])
def test_a_model_holds_the_split_and_not_the_name_of_a_vocabulary(
    tmp_path: Path, kind: str, name: str
) -> None:
    tok = superword.train(DOCUMENTS, 258, pattern=name, **KINDS[kind])
    assert tok.parameters.pattern == VOCABULARIES[name].pattern
    tok.save(tmp_path / "model.json")
    assert superword.load(tmp_path / "model.json") == tok
    assert superword.train(DOCUMENTS, 258, pattern=tok.parameters.pattern, **KINDS[kind]) == tok


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_with_any_pattern_opens(tmp_path: Path, kind: str) -> None:
    """Models that were trained when `gpt5` was a regex."""
    path = tmp_path / "model.json"
    superword.train(DOCUMENTS, 257, pattern="(?:gpt5)", **KINDS[kind]).save(path)
    path.write_text(path.read_text().replace('"(?:gpt5)"', '"gpt5"'))
    tok = superword.load(path)
    assert tok.parameters.pattern == "gpt5"
    assert tok.decode(tok.encode("agpt5b")) == "agpt5b"
    assert import_tokenizer(path) == tok
    assert open_tokenizer(path).tokenize("agpt5b")


def test_counts_take_the_names_of_vocabularies(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("to be or not to be to be")
    superword.count(tmp_path / "a.txt", tmp_path / "counts", pattern="qwen2", supermerges=False)
    trained = superword.train_on_counts(
        tmp_path / "counts", 258, pattern="qwen2", supermerges=False, deletion=None
    )
    assert trained.pattern == VOCABULARIES["qwen2"].pattern
    with pytest.raises(PatternError, match="no pattern named 'qwen'"):
        superword.count(tmp_path / "a.txt", tmp_path / "others", pattern="qwen")


def test_a_regex_in_a_tokenizer_file_is_never_a_name(tmp_path: Path) -> None:
    plain = superword.train(DOCUMENTS, 258, pattern="gpt4o", **KINDS["BPE"])
    path = tmp_path / "tokenizer.json"
    superword.export(plain, path, "tokenizer.json")
    text = path.read_text()
    for word in ("gpt5", "gpt2"):
        [split] = json.loads(text)["pre_tokenizer"]["pretokenizers"][:1]
        assert split["pattern"]["Regex"] == NAMED_PATTERNS["gpt4o"]
        path.write_text(text.replace(json.dumps(split["pattern"]["Regex"]), json.dumps(word)))
        assert import_tokenizer(path).pattern == f"(?:{word})"


@pytest.mark.parametrize("command", ["train", "count", "pretokenize", "extend", "evaluate"])
def test_the_shell_completes_the_names_of_patterns(command: str) -> None:
    typed = f"superword {command} --pattern "
    environment = {
        **os.environ,
        "_SUPERWORD_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": "3",
    }
    done = subprocess.run([COMMAND], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == PATTERN_NAMES


def test_the_command_line_refuses_an_unknown_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("to be or not to be to be")
    output = tmp_path / "model.json"
    given = ["-o", str(output), "--vocab-size", "258", "--pattern", "gpt5"]
    command: list[str | Path] = [COMMAND, "train", tmp_path / "a.txt", *given]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("superword: there is no pattern named 'gpt5'; is it one of ")
    assert not output.exists()
