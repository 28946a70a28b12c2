"""Files that are written completely or not at all: kills, errors, leftovers."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import superword
from superword.atomic_files import write_atomically

OLD = ["to be or not to be", "to be", "or not"] * 3
NEW = ["not to be", "to be or", "be", "or"] * 2
# Writes a set of files to `out`: a new one, or another one over it.
WRITERS = {
    "npy": "superword.encode_corpus(tok, texts, 'out/tokens.npy')",
    "bin": "superword.encode_corpus(tok, texts, 'out/tokens.bin')",
    "bin with ends": "superword.encode_corpus(tok, texts, 'out/tokens.bin', end_of_text=0)",
    "idx": "superword.encode_corpus(tok, texts, 'out/tokens.idx')",
    "parquet": "superword.encode_corpus(tok, texts, 'out/tokens.parquet')",
    "append": "superword.encode_corpus(tok, texts, 'out/tokens.npy', append=True)",
    "counts": "superword.count(texts, 'out', supermerges=False)",
    "tiktoken": "superword.export(tok.truncate(257 + len(texts) % 3), 'out/x.json', 'tiktoken')",
    "extended": (
        "from pathlib import Path\n"
        "from superword.cli import app\n"
        "Path('c.txt').write_text(' '.join(texts * 50))\n"
        "app('extend model.json c.txt -o out/m.json --add 1'.split(), standalone_mode=False)"
    ),
    "pruned": "superword.prune(tok, texts, to=256 + len(texts) % 3).save('out')",
}
# Kills the process instead of the n-th rename.
SCRIPT = """
import json, os, signal, sys
import superword
tok = superword.load("model.json")
texts, number = json.loads(sys.argv[2])
calls, replace = 0, os.replace
def replace_or_die(*names):
    global calls
    calls += 1
    if calls == number:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*names)
os.replace = replace_or_die
exec(sys.argv[1])
"""
# The file of each set that vouches for the others.
MANIFESTS = {
    "npy": "tokens.npy.json",
    "bin": "tokens.bin.json",
    "bin with ends": "tokens.bin.json",
    "idx": "tokens.bin.json",
    "parquet": "tokens.parquet",
    "append": "tokens.npy.json",
    "counts": "pretokens-0-of-1.json",
    "tiktoken": "x.json.json",
    "extended": "id_map.json",
    "pruned": "id_map.json",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    plain = {"supermerges": False, "deletion": None, "pattern": "gpt2"}
    superword.train(OLD, 260, **plain).save("model.json")  # type: ignore[arg-type]
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def is_killed(writer: str, number: int) -> bool:
    """Run a writer in a process that is killed instead of its n-th rename, if there is one."""
    arguments = [sys.executable, "-c", SCRIPT, writer, json.dumps([NEW, number])]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def write(folder: Path, writer: str, texts: list[str]) -> dict[str, bytes]:
    """Return the files after a writer wrote them, without any fault."""
    exec(writer, {"superword": superword, "tok": superword.load("model.json"), "texts": texts})
    return contents(folder)


@pytest.mark.parametrize(
    ("kind", "is_first"),
    [(kind, False) for kind in WRITERS] + [("npy", True), ("idx", True), ("tiktoken", True)],
)
def test_a_kill_between_two_renames_leaves_no_set_that_is_taken_for_whole(
    folder: Path, kind: str, is_first: bool
) -> None:
    writer = WRITERS[kind]
    old = {} if is_first else write(folder, writer, OLD)
    new = write(folder, writer, NEW)
    assert old != new
    for number in range(1, 10):
        shutil.rmtree(folder)
        folder.mkdir()
        for name, data in old.items():
            (folder / name).write_bytes(data)
        if not is_killed(writer, number):
            assert contents(folder) == new
            assert number > len(new), "each rename was tried"
            return
        # Temporary files are hidden.
        left = {name: data for name, data in contents(folder).items() if name[0] != "."}
        assert left in (old, new) or MANIFESTS[kind] not in left
        for name, data in left.items():
            assert data in (old.get(name), new.get(name)), "half a file"
        if kind == "append" and "tokens.npy" in left and left != old:
            with pytest.raises(ValueError, match="not to its end: tokens.npy.json is missing"):
                write(folder, writer, NEW)
        else:
            # The next run gives the same bytes, and removes what was left.
            assert write(folder, writer, NEW) == new


# A command prints a sentence.
@pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind != "extended"])
def test_an_error_in_the_first_rename_leaves_the_old_files(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = write(folder, WRITERS[kind], OLD)
    replace = os.replace

    def refuse(source: Path, target: Path) -> None:
        # What was removed is put aside before, and comes back.
        if not target.name.endswith(".tmp") and target.exists():
            raise PermissionError(1, "Operation not permitted", source, None, target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError) as refused:
        write(folder, WRITERS[kind], NEW)
    assert refused.value.filename in [str(folder / name) for name in old], (
        "the error names the file"
    )
    assert contents(folder) == old


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


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
from superword.cli import app
app(sys.argv[1:])
"""
COMMANDS: dict[str, tuple[list[str], str]] = {
    "npy": (["encode", "model.json", "c.txt", "-o", "out/t.npy"], "out/t.npy"),
    "bin": (["encode", "model.json", "c.txt", "-o", "out/t.bin"], "out/t.bin"),
    "idx": (["encode", "model.json", "c.txt", "-o", "out/t.idx"], "out/t.bin"),
    "parquet": (["encode", "model.json", "c.txt", "-o", "out/t.parquet"], "out/t.parquet"),
    "train": (["train", "c.txt", "-o", "out/m.json", "--vocab-size", "600"], "out/m.json"),
    "decode": (["decode", "model.json", "--file", "ids.txt", "-o", "out/text"], "out/text"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_error_in_writing_names_the_file(folder: Path, name: str) -> None:
    arguments, file = COMMANDS[name]
    words = " ".join(f"{number:x}y{number * 7:o}" for number in range(4000))
    Path("c.txt").write_text(words)
    Path("ids.txt").write_text("65 " * 9000)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert f"{file}: File too large" in done.stderr.replace(str(folder.parent) + "/", "")
    assert contents(folder) == {}
