"""A writer in a folder, with what must hold after a fault."""

from __future__ import annotations

import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

from preloaded import Done, Preloaded
from writers import Contents, Writer, contents

KILLS, ERRORS = ("before", "partly"), ("full", "EIO", "EROFS", "vanish")
TEMPORARY = re.compile(r"(.*/)?\.[^/]+\.[0-9a-f]{16}\.(tmp|old)")
# What is read where there is nothing whole.
NOTHING: Any = object()


def read_messages(done: Done) -> list[str]:
    """Return the lines that a command printed, without progress."""
    return [line for line in done.stderr.splitlines() if not line.startswith("{")]


class Trial:
    """A writer in a folder, with the old files, and what it writes undisturbed."""

    def __init__(self, writer: Writer, kind: str, folder: Path, preloaded: Preloaded) -> None:
        self.writer, self.folder, self.preloaded = writer, folder, preloaded
        self.out = folder / "out"
        self.command = writer.fill(writer.command, kind, is_old=False)
        self.first = writer.fill(writer.first or writer.command, kind, is_old=True)
        # What undisturbed runs print: a resumed one prints fewer steps.
        self.messages: set[str] = set()
        self.old: Contents = {}
        # As they are, with what may differ between two runs.
        self.old_files: Contents = {}
        self.restore()
        self.new, self.calls = self.run_undisturbed(self.command)

    def write_old(self) -> None:
        """Let the folder hold old files from now on."""
        self.restore()
        self.old, _ = self.run_undisturbed(self.first)
        self.old_files = contents(self.out)
        self.restore()
        alone = self.new
        self.new, self.calls = self.run_undisturbed(self.command)
        assert self.new != self.old
        assert self.new == alone or self.writer.first, "something of the old files stays"

    def run_undisturbed(self, command: list[str]) -> tuple[Contents, list[str]]:
        """Run a command; return the files and the calls."""
        done = self.preloaded.run(command, self.folder, folder=self.out)
        assert done.status == 0, done.stderr
        assert "Traceback" not in done.stderr
        self.messages.update(read_messages(done))
        return self.writer.strip(contents(self.out)), done.calls

    def restore(self) -> None:
        """Put the old files back, and nothing else."""
        for path in (self.out, self.out.with_name("out.gone")):
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
        self.out.mkdir()
        for name, data in self.old_files.items():
            (self.out / name).parent.mkdir(parents=True, exist_ok=True)
            (self.out / name).write_bytes(data)

    def list_files(self) -> tuple[Contents, Contents]:
        """Return all files, and those that are not temporary."""
        left = self.writer.strip(contents(self.out))
        return left, {name: left[name] for name in left if not TEMPORARY.fullmatch(name)}

    def read(self) -> Any:
        """Return what the files say, or `NOTHING` if they are refused."""
        try:
            found = self.writer.read(self.out)
        except (OSError, ValueError):
            return NOTHING
        return self.writer.strip({"": found})[""] if isinstance(found, bytes) else found

    def try_fault(self, fault: str) -> None:
        """Run the command with a fault, and check everything."""
        self.restore()
        is_whole = {repr(self.read())}
        done = self.preloaded.run(self.command, self.folder, folder=self.out, fault=fault)
        if fault.startswith("vanish"):
            if done.status:
                self.check_sentence(done)
            return
        left, kept = self.list_files()
        if fault.startswith(KILLS):
            assert done.status == -signal.SIGKILL, done
        elif done.status:
            self.check_sentence(done)
            assert left == kept, "a temporary file stays"
            assert kept == self.old or self.writer.has_steps, "the old files are not back"
        else:
            # What is only a precaution failed: flushing the folder to disk, removing a file.
            assert kept == self.new
        self.check_files(kept)
        found = repr(self.read())
        if self.writer.appends and kept == self.new:
            return  # Another run would append once more.
        if self.writer.record and self.old:
            # It takes nothing of the run in between for its own.
            assert self.run_undisturbed(self.first)[0].items() >= self.old.items()
        after, _ = self.run_undisturbed(self.command)
        assert after == self.new
        assert found in is_whole | {repr(self.read()), repr(NOTHING)}

    def check_files(self, kept: Contents) -> None:
        """Check that each file is whole, and that all are of one writing if there is a manifest."""
        for name, data in kept.items():
            if name == self.writer.record:
                json.loads(data)
                continue
            assert data in (self.old.get(name), self.new.get(name)), f"{name} is half written"
        assert self.old.keys() & self.new.keys() <= kept.keys() | {self.writer.manifest}
        if self.writer.manifest in kept:
            assert kept in (self.old, self.new)

    def check_sentence(self, done: Done) -> None:
        """Check that a command failed in a sentence that names the file."""
        assert done.status == 1, done
        *messages, sentence = read_messages(done)
        assert set(messages) <= self.messages, "more than a sentence"
        assert re.match(r"superword: \S*out/?\S*: \w", sentence), sentence
        assert not TEMPORARY.search(sentence), sentence
