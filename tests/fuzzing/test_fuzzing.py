"""The Python fuzz targets on their seeds, on what they have found, and on some invented bytes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .targets import TARGETS

FUZZ = Path(__file__).parents[2] / "fuzz"
CASES = {"token_files": 300, "count_files": 100}


@pytest.mark.parametrize("name", TARGETS)
def test_targets_pass_on_seeds_and_regressions(name: str) -> None:
    seeds = [
        path for folder in ("seeds", "regressions") for path in FUZZ.glob(f"{folder}/{name}/*")
    ]
    assert seeds
    for path in seeds:
        TARGETS[name](path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_targets_pass_on_invented_bytes(name: str) -> None:
    for seed in range(CASES[name]):
        data = random.Random(seed).randbytes(40)
        try:
            TARGETS[name](data)
        except BaseException as error:
            error.add_note(f"{name} fails on bytes.fromhex('{data.hex()}')")
            raise
