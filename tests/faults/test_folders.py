"""Outputs that cannot be written end every writer in a sentence, and change nothing."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from drawing import IS_COMPLETE, draw
from trials import Trial
from writers import WRITERS

NAMES = draw((writer for writer in WRITERS if writer.limit is None), 3)
# Enough for all old files.
SMALL = 64 * 2**20


def fail(trial: Trial) -> None:
    """Run the command, which must fail in a sentence and leave nothing behind."""
    done = trial.preloaded.run(trial.command, trial.folder, folder=trial.out)
    trial.check_sentence(done)
    left, kept = trial.list_files()
    assert left == kept, "a temporary file stays"


@pytest.mark.parametrize("trial", NAMES, indirect=True)
def test_a_folder_in_place_of_a_file_is_refused(trial: Trial, chance: random.Random) -> None:
    trial.write_old()
    names = sorted(name for name in trial.new if trial.new[name] != trial.old.get(name))
    for name in names if IS_COMPLETE else [chance.choice(names)]:
        trial.restore()
        (trial.out / name).unlink(missing_ok=True)
        (trial.out / name).mkdir(parents=True)
        old = trial.list_files()[0]
        fail(trial)
        assert trial.list_files()[0] == old or trial.writer.has_steps


@pytest.mark.parametrize("trial", NAMES, indirect=True)
def test_a_folder_that_is_a_file_or_missing_is_refused(trial: Trial) -> None:
    trial.restore()
    trial.out.rmdir()
    done = trial.preloaded.run(trial.command, trial.folder, folder=trial.out)
    if done.status:  # Some make it.
        trial.check_sentence(done)
        assert not trial.out.exists()
    trial.restore()
    trial.out.rmdir()
    trial.out.write_text("a file")
    trial.check_sentence(trial.preloaded.run(trial.command, trial.folder, folder=trial.out))
    assert trial.out.read_text() == "a file"


@contextmanager
def mount(folder: Path, options: str) -> Iterator[None]:
    """Mount a file system in memory, or skip the test."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("trial", NAMES, indirect=True)
@pytest.mark.parametrize("is_full", [True, False], ids=["full", "read-only"])
def test_a_disk_that_is_full_or_read_only_keeps_the_old_files(trial: Trial, is_full: bool) -> None:
    trial.write_old()
    trial.restore()
    saved = trial.folder / "saved"
    shutil.copytree(trial.out, saved)
    with mount(trial.out, f"size={SMALL}"):
        shutil.copytree(saved, trial.out, dirs_exist_ok=True)
        if is_full:
            with (trial.out / "filler").open("wb") as filler:
                os.posix_fallocate(filler.fileno(), 0, free_bytes(trial.out))
        else:
            remount = ["mount", "-o", "remount,ro", str(trial.out)]
            subprocess.run(remount, check=True)
        old = trial.list_files()[0]
        fail(trial)
        assert trial.list_files()[0] == old


def free_bytes(folder: Path) -> int:
    free = os.statvfs(folder)
    return free.f_bavail * free.f_bsize
