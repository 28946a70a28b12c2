"""Profiles: names for options of training that belong together."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import superword
from superword import TrainingConfig
from superword.cli import app
from superword.tokenizer.profiles import PORTABLE_PATTERN

DOCUMENTS = [*superword.sample()][:5]
PORTABLE: dict[str, Any] = {
    "supermerges": False,
    "deletion": None,
    "second_pattern": PORTABLE_PATTERN,
}


def test_a_profile_stands_for_its_options() -> None:
    config = TrainingConfig(profile="portable", vocab_size=400)
    assert config == TrainingConfig(vocab_size=400, transition=300, **PORTABLE)
    tok = superword.train(DOCUMENTS, 400, profile="portable")
    assert tok == superword.train(DOCUMENTS, config=config)
    assert tok.parameters == config
    assert tok.pattern == PORTABLE_PATTERN


def test_other_options_are_free() -> None:
    config = TrainingConfig(profile="portable", vocab_size=400, transition=350, pattern="gpt2")
    assert (config.transition, config.pattern) == (350, "gpt2")
    assert TrainingConfig(profile="portable", vocab_size=256).transition == 256
    assert TrainingConfig(profile="portable", **PORTABLE).second_pattern == PORTABLE_PATTERN


def test_a_configuration_with_a_profile_can_be_copied() -> None:
    config = TrainingConfig(profile="portable", vocab_size=400)
    assert pickle.loads(pickle.dumps(config)) == config
    assert replace(config, min_count=3).min_count == 3


@pytest.mark.parametrize(
    ("name", "value", "typed"),
    [
        # The first two are the defaults of training, and yet were asked for.
        ("supermerges", True, ["--supermerges"]),
        ("deletion", "bytes", ["--deletion", "bytes"]),
        ("deletion", "pair", ["--deletion", "pair"]),
        ("second_pattern", "gpt2", ["--second-pattern", "gpt2"]),
    ],
)
def test_contradictions_are_refused(
    name: str, value: Any, typed: list[str], tmp_path: Path
) -> None:
    options: dict[str, Any] = {"profile": "portable", name: value}
    with pytest.raises(ValueError, match=f"^{name}={value!r} contradicts the profile portable"):
        superword.train(DOCUMENTS, 400, **options)
    with pytest.raises(ValueError, match="contradicts the profile"):
        TrainingConfig(**options)
    (tmp_path / "a.txt").write_text(DOCUMENTS[0])
    given = ["train", str(tmp_path / "a.txt"), "-o", str(tmp_path / "model.json")]
    done = CliRunner().invoke(app, [*given, "--vocab-size", "400", "--profile", "portable", *typed])
    assert done.exit_code == 1
    assert f"superword: {name}={value!r} contradicts the profile portable" in done.stderr


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="profile must be one of portable, not 'small'"):
        superword.train(DOCUMENTS, 400, profile="small")


def test_counts_refuse_a_profile_with_two_stages(tmp_path: Path) -> None:
    config = TrainingConfig(profile="portable", vocab_size=400)
    with pytest.raises(ValueError, match="does not apply to counts"):
        superword.train_on_counts(tmp_path, config=config)


def test_the_command_line_has_profiles(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(DOCUMENTS[0])
    output = tmp_path / "model.json"
    given = ["train", str(tmp_path / "a.txt"), "-o", str(output), "--vocab-size", "400"]
    done = CliRunner().invoke(app, [*given, "--profile", "portable", "--transition", "350"])
    assert done.exit_code == 0, done.stderr
    expected = superword.train([DOCUMENTS[0]], 400, profile="portable", transition=350)
    assert superword.load(output) == expected
    assert "--profile" in CliRunner().invoke(app, ["train", "--help"]).stdout
