"""Fixtures of the tests with faults."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from drawing import KINDS, SEED
from preloaded import Preloaded, compile_library
from trials import Trial
from writers import BY_NAME, make_inputs

from superword import Tokenizer


def pytest_runtest_makereport(item: pytest.Item) -> None:
    item.add_report_section("call", "seed", f"SUPERWORD_FAULTS_SEED={SEED}")


@pytest.fixture(autouse=True)
def _unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flush nothing to disk in the process of the tests, where only readers run."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Return what draws at random, by the seed and the name of the test."""
    return random.Random(f"{SEED} {request.node.name}")


@pytest.fixture(scope="session")
def preloaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Preloaded]:
    """Return the process that runs commands with faults."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler, cc, for the library that makes calls fail")
    folder = tmp_path_factory.mktemp("preloaded")
    compile_library(folder / "faulty_calls.so")
    process = Preloaded(folder / "faulty_calls.so", folder)
    yield process
    process.close()


@pytest.fixture(scope="session")
def inputs(
    tmp_path_factory: pytest.TempPathFactory, train_kind: Callable[[str], Tokenizer]
) -> Callable[[str], Path]:
    """Return a function that makes the inputs of commands with a model of a kind, once."""
    made: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("inputs")
            make_inputs(made[kind], train_kind(kind))
        return made[kind]

    return make


@pytest.fixture
def trial(
    request: pytest.FixtureRequest,
    chance: random.Random,
    inputs: Callable[[str], Path],
    tmp_path: Path,
    preloaded: Preloaded,
) -> Trial:
    """Return the writer that the test names, in a folder of its own, with a kind of model."""
    writer = BY_NAME[request.param]
    kind = chance.choice([kind for kind in writer.kinds if kind in KINDS] or writer.kinds[:1])
    shutil.copytree(inputs(kind), tmp_path, dirs_exist_ok=True)
    return Trial(writer, kind, tmp_path.resolve(), preloaded)
