"""Fixtures of the tests with faults."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from preloaded import Preloaded, compile_library
from trials import Trial
from writers import ALL, BY_NAME, Writer, make_inputs

from superword import Tokenizer

# `make faults` tries everything; the tests otherwise try some of it, drawn at random.
IS_COMPLETE = os.environ.get("SUPERWORD_FAULTS") == "all"
# The workers of xdist draw the same.
SEED = (
    os.environ.get("SUPERWORD_FAULTS_SEED")
    or os.environ.get("PYTEST_XDIST_TESTRUNUID", "")[:8]
    or str(random.SystemRandom().randrange(10**6))
)
KINDS = ALL if IS_COMPLETE else tuple(random.Random(SEED).sample(ALL, 2))


def draw(writers: Iterable[Writer], count: int | None = None) -> list[str]:
    """Return the names of writers to try: all, or without `make faults` some that are not slow."""
    if IS_COMPLETE:
        return [writer.name for writer in writers]
    quick = [writer.name for writer in writers if writer.limit is None]
    return quick if count is None else sorted(random.Random(SEED).sample(quick, count))


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
