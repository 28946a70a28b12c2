"""Every writer is killed, or fails, at each call that changes a file.

After a kill, the old files or the new ones are whole, no reader takes anything else for whole, and
the next run gives what an undisturbed one gives. An error is one sentence that names the file, the
old files are still there, and nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from drawing import IS_COMPLETE, draw
from trials import ERRORS, KILLS, Trial
from writers import WRITERS

# The number of faults that are tried in `make test`, for each writer.
SAMPLED = 2


def choose_faults(trial: Trial, chance: random.Random) -> list[str]:
    """Return the faults to try: all of them, or some if there is less time."""
    numbers: Sequence[int] = range(1, len(trial.calls) + 1)
    kinds = (*KILLS, *ERRORS)
    limit = trial.writer.limit
    if IS_COMPLETE and limit is None:
        return [f"{kind}:{number}" for number in numbers for kind in kinds]
    if IS_COMPLETE and limit and len(numbers) > limit:
        ends = {*numbers[: limit // 4], *numbers[-limit // 4 :]}
        numbers = sorted({*ends, *chance.sample(numbers, limit // 2)})
    elif not IS_COMPLETE:
        numbers = sorted(chance.sample(numbers, min(SAMPLED, len(numbers))))
    return [f"{chance.choice(kinds)}:{number}" for number in numbers]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("trial", draw(WRITERS), indirect=True)
def test_a_fault_at_a_call_leaves_nothing_half_written(trial: Trial, chance: random.Random) -> None:
    problems: list[str] = []
    if IS_COMPLETE and not trial.writer.appends:
        problems += try_faults(trial, chance)
    if IS_COMPLETE or trial.writer.appends or chance.random() < 0.7:
        trial.write_old()
    problems += try_faults(trial, chance)
    assert not problems, "\n".join(problems)


def try_faults(trial: Trial, chance: random.Random) -> list[str]:
    """Try faults, and return what does not hold."""
    assert trial.calls
    problems = []
    for fault in choose_faults(trial, chance):
        try:
            trial.try_fault(fault)
        except AssertionError as problem:
            call = trial.calls[int(fault.partition(":")[2]) - 1].replace(str(trial.folder), "")
            problems.append(f"{fault} {call}: {str(problem)[:500]}")
    return problems
