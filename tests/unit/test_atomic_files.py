"""Files that are written completely or not at all: kills, errors, leftovers."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import superword
from superword.atomic_files import restore, write_atomically


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    plain = {"supermerges": False, "deletion": None, "pattern": "gpt2"}
    superword.train(["to be or not to be"] * 3, 260, **plain).save("model.json")  # type: ignore[arg-type]
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_process_with_the_same_number_is_not_in_the_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from superword.atomic_files import write_atomically\n"
        "os.getpid = lambda: 1\n"
        "with write_atomically() as files:\n"
        "    files.open(Path('out/a.bin')).write(bytes(10**6))\n"
        "    signal.raise_signal(signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script])
    assert killed.returncode == -signal.SIGKILL
    assert len(list(folder.iterdir())) == 1, "it was killed while it wrote"
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with write_atomically() as files:
        files.open(folder / "a.bin").write(b"whole")
        assert len(list(folder.iterdir())) == 1, "what was left is removed first"
    assert contents(folder) == {"a.bin": b"whole"}


def test_only_temporary_files_of_the_same_output_that_nobody_writes_are_removed(
    folder: Path,
) -> None:
    stale, used, other, foreign, longer = (
        folder / f".a.bin.{'0' * 16}.tmp",
        folder / f".a.bin.{'1' * 16}.tmp",
        folder / f".b.bin.{'0' * 16}.tmp",
        folder / ".a.bin.7.0.tmp",
        folder / f".a.bin.{'0' * 17}.tmp",
    )
    for path in (stale, used, other, foreign, longer):
        path.write_bytes(b"x")
    link, target = folder / f".a.bin.{'2' * 16}.tmp", folder / "target"
    target.write_bytes(b"x")
    link.symlink_to(target)
    with used.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with write_atomically() as files:
            files.open(folder / "a.bin").write(b"whole")
    names = {path.name for path in folder.iterdir()}
    assert names == {path.name for path in (used, other, foreign, longer, link, target)} | {"a.bin"}


def test_two_writers_of_one_output_do_not_disturb_each_other(folder: Path) -> None:
    with write_atomically() as first:
        first.open(folder / "a.bin").write(b"first")
        with write_atomically() as second:
            second.open(folder / "a.bin").write(b"second")
        assert (folder / "a.bin").read_bytes() == b"second"
    assert contents(folder) == {"a.bin": b"first"}


def write_set(folder: Path, content: bytes) -> None:
    with write_atomically() as files:
        for name in "abcd":
            files.open(folder / name, is_manifest=name == "d").write(content)


# A killed process closes nothing.
killing = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


class Killed(BaseException):
    """Stands for a kill: nothing is cleaned up after it."""


def die_at(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing happen from the n-th renaming, linking or removing on."""
    calls = 0

    def die(made: Callable[..., None]) -> Callable[..., None]:
        def make_or_die(*names: object, **options: object) -> None:
            nonlocal calls
            calls += 1
            if calls >= number:
                raise Killed
            made(*names, **options)

        return make_or_die

    for name in ("replace", "link", "unlink"):
        monkeypatch.setattr(os, name, die(getattr(os, name)))
    monkeypatch.setattr(Path, "unlink", die(Path.unlink))


# Three links, five renames, and a second name of each of four files is removed.
@killing
@pytest.mark.parametrize("number", range(1, 13))
def test_a_set_is_whole_or_restored_wherever_its_writer_was_killed(
    folder: Path, number: int
) -> None:
    old, new = dict.fromkeys("abcd", b"old"), dict.fromkeys("abcd", b"new")
    write_set(folder, b"old")
    with pytest.MonkeyPatch.context() as patched:
        die_at(number, patched)
        with suppress(Killed):
            write_set(folder, b"new")
    gc.collect()  # The locks of a process end with it.
    left = {name: data for name, data in contents(folder).items() if name[0] != "."}
    assert left in (old, new) or "d" not in left
    restore([folder / name for name in "abc"], folder / "d")
    left = {name: data for name, data in contents(folder).items() if name[0] != "."}
    assert left == (new if number > 8 else old)
    write_set(folder, b"next")
    assert contents(folder) == dict.fromkeys("abcd", b"next")


@killing
def test_what_an_older_kill_left_is_not_restored(folder: Path) -> None:
    write_set(folder, b"old")
    with pytest.MonkeyPatch.context() as patched:
        die_at(6, patched)
        with suppress(Killed):
            write_set(folder, b"new")
    gc.collect()
    assert "d" not in contents(folder)
    write_set(folder, b"next")
    (folder / "d").unlink()
    restore([folder / name for name in "abc"], folder / "d")
    assert contents(folder) == dict.fromkeys("abc", b"next")


def test_without_links_an_error_leaves_no_manifest_of_other_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*names: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    write_set(folder, b"old")
    replace, calls = os.replace, []

    def fail_at_the_third(*names: Path) -> None:
        calls.append(names)
        if len(calls) == 3:
            refuse()
        replace(*names)

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "replace", fail_at_the_third)
    with pytest.raises(PermissionError):
        write_set(folder, b"new")
    assert contents(folder) == {"a": b"old", "b": b"old", "c": b"new"}
    write_set(folder, b"next")
    assert contents(folder) == dict.fromkeys("abcd", b"next")


def test_a_set_waits_until_another_is_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_set(folder, b"old")
    second = threading.Thread(target=write_set, args=(folder, b"second"))
    replace, calls = os.replace, []

    def start_the_second(*names: Path) -> None:
        calls.append(names)
        if len(calls) == 3:
            second.start()
            second.join(0.5)
        replace(*names)

    monkeypatch.setattr(os, "replace", start_the_second)
    write_set(folder, b"first")
    second.join()
    assert contents(folder) == dict.fromkeys("abcd", b"second")


def test_processes_that_write_the_same_set_leave_it_whole(folder: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from superword.atomic_files import write_atomically\n"
        "for turn in range(20):\n"
        "    with write_atomically() as files:\n"
        "        for name in 'abcd':\n"
        "            file = files.open(Path('out', name), is_manifest=name == 'd')\n"
        "            file.write(f'{sys.argv[1]} {turn}'.encode())\n"
    )
    arguments = [[sys.executable, "-c", script, str(number)] for number in range(3)]
    processes = [subprocess.Popen(each) for each in arguments]
    assert [process.wait() for process in processes] == [0] * 3
    assert set(contents(folder)) == set("abcd")
    assert len(set(contents(folder).values())) == 1
