"""Two processes that write the same output leave that of one of them, whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawing import IS_COMPLETE, draw
from trials import Trial, read_messages
from writers import WRITERS, Contents

import superword
from superword.atomic_files import write_atomically

ROUNDS = 10 if IS_COMPLETE else 2
SAME = draw((each for each in WRITERS if each.limit is None and each.first is None), 3)
APPENDED = draw((each for each in WRITERS if each.appends), 2)


@pytest.mark.parametrize("trial", SAME, indirect=True)
def test_two_writers_leave_the_files_of_one(trial: Trial) -> None:
    whole = [trial.new]
    trial.write_old()
    whole.append(trial.old)
    trial.old_files = {}
    for _ in range(ROUNDS):
        trial.restore()
        commands = (trial.command, trial.first)
        running = [trial.preloaded.start(each, trial.folder) for each in commands]
        ended = [trial.preloaded.wait(each) for each in running]
        assert [done.status for done in ended] == [0, 0], ended
        assert trial.list_files()[0] in whole


@pytest.mark.parametrize("trial", APPENDED, indirect=True)
def test_of_two_that_append_one_is_refused_or_both_are_kept(trial: Trial) -> None:
    trial.write_old()
    commands = [trial.command, [each.replace("new.txt", "old.txt") for each in trial.command]]
    alone, both = [], []
    for order in ((0, 1), (1, 0)):
        trial.restore()
        alone.append(trial.run_undisturbed(commands[order[0]])[0])
        both.append(trial.run_undisturbed(commands[order[1]])[0])
    for _ in range(ROUNDS):
        trial.restore()
        running = [trial.preloaded.start(each, trial.folder) for each in commands]
        ended = [trial.preloaded.wait(each) for each in running]
        left: Contents = trial.list_files()[0]
        match [done.status for done in ended]:
            case [0, 0]:
                assert left in both
            case statuses:
                assert sorted(statuses) == [0, 1]
                assert left == alone[statuses.index(0)]
                [sentence] = read_messages(ended[statuses.index(1)])
                assert sentence.endswith("another process writes it; wait until it has ended")


@pytest.mark.parametrize("suffix", ["npy", "bin", "idx", "parquet"])
def test_a_file_that_is_appended_to_is_locked(tmp_path: Path, suffix: str) -> None:
    tok = superword.train(["to be or not to be"], 258)
    path = tmp_path / f"tokens.{suffix}"
    superword.encode_corpus(tok, ["to be"], path)
    with write_atomically() as files:
        files.lock(path)
        with pytest.raises(ValueError, match=r"tokens\.\w+: another process writes it; wait"):
            superword.encode_corpus(tok, ["or not"], path, append=True)
        # Replacing it is no appending.
        superword.encode_corpus(tok, ["to be"], path)
    superword.encode_corpus(tok, ["or not"], path, append=True)
